// The encoded predictors: every column as rank codes in the narrowest type that holds them.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <vector>

namespace bayesvc {

enum class CodeWidth : std::uint8_t { bits8, bits16, bits32 };

// One column as the kernels see it. Codes are 0 .. n_distinct - 1 in the order of the values.
struct ColumnView {
  const void* codes = nullptr;
  CodeWidth width = CodeWidth::bits8;
};

class Columns {
 public:
  // Element (i, j) is x[i * row_stride + j * column_stride]; all values must be finite.
  // The distinct values are needed only to turn kept trees into rules on raw data.
  Columns(const double* x, std::size_t n, std::size_t p, std::ptrdiff_t row_stride,
          std::ptrdiff_t column_stride, bool keep_values);
  // Some rows of some variables, coded as if they were all there is; without values and
  // fingerprint.
  Columns(const Columns& whole, const std::vector<std::uint32_t>& rows,
          const std::vector<std::uint32_t>& variables);

  std::size_t n() const { return n_; }
  std::size_t p() const { return info_.size(); }
  std::size_t nbytes() const { return storage_.size(); }
  bool has_values() const { return keep_values_; }
  // Two words that tell one matrix from another; -0 counts as 0.
  std::array<std::uint64_t, 2> fingerprint() const { return fingerprint_; }

  ColumnView view(std::size_t j) const {
    return {storage_.data() + info_[j].offset, info_[j].width};
  }
  std::uint32_t code(std::size_t j, std::size_t row) const;
  // Asks for a column that is about to be read: one of many is in no cache.
  void prefetch(std::size_t j) const;
  std::uint32_t n_distinct(std::size_t j) const { return info_[j].n_distinct; }
  // The largest number of rows that share one value: 1 in an untied column, n in a constant one.
  std::uint32_t max_ties(std::size_t j) const { return info_[j].max_ties; }
  double value(std::size_t j, std::uint32_t code) const {
    return values_[info_[j].first_value + code];
  }

 private:
  struct Info {
    std::size_t offset = 0;
    std::size_t first_value = 0;
    std::uint32_t n_distinct = 0;
    std::uint32_t max_ties = 0;
    CodeWidth width = CodeWidth::bits8;
  };

  void store(std::size_t j, const std::vector<std::uint32_t>& codes, std::size_t n_distinct,
             std::uint32_t max_ties);

  std::size_t n_;
  bool keep_values_;
  std::array<std::uint64_t, 2> fingerprint_;
  std::vector<Info> info_;
  std::vector<unsigned char> storage_;
  std::vector<double> values_;
};

// Calls f with the column's codes as a typed pointer.
template <class F>
decltype(auto) with_codes(const ColumnView& column, F&& f) {
  switch (column.width) {
    case CodeWidth::bits8:
      return f(static_cast<const std::uint8_t*>(column.codes));
    case CodeWidth::bits16:
      return f(static_cast<const std::uint16_t*>(column.codes));
    default:
      return f(static_cast<const std::uint32_t*>(column.codes));
  }
}

}  // namespace bayesvc
