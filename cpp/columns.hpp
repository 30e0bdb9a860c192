// The encoded predictors: every column as codes in the narrowest type that holds them.
//
// A variable is what rules are drawn for and counted by: one column, or several. An ordered column
// has one coding, by rank; with missing values it has three: missing as the lowest value, missing
// as the highest, and missing or not. A categorical column has one coding, its categories. Where
// every variable is one ordered column without missing values, variable, column and coding have the
// same number.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "aligned.hpp"
#include "column_blocks.hpp"

namespace bayesvc {

enum class CodeWidth : std::uint8_t { bits8, bits16, bits32 };

// One coding as the kernels see it. Codes of an ordered column are 0 .. n_distinct - 1 in the order
// of the values.
struct ColumnView {
  const void* codes = nullptr;
  CodeWidth width = CodeWidth::bits8;
};

inline constexpr std::uint32_t max_categories = 64;  // a rule holds one bit for each

// What the columns of a matrix are; left empty, all are ordered and each is a variable.
struct Layout {
  std::vector<std::uint32_t> n_categories;         // by column; 0: ordered
  std::vector<std::vector<std::uint32_t>> groups;  // the columns of each variable
};

class Columns {
 public:
  // All but the codes, for a copy in another process.
  struct State {
    std::size_t n = 0;
    bool has_values = false;
    std::array<std::uint64_t, 2> fingerprint{};
    std::vector<unsigned char> info;
    std::vector<std::uint32_t> members, first_member;
    std::vector<double> values;
  };

  // Elements are finite, or nan in an ordered column where they are missing; in a categorical one
  // the number of the category. The blocks must have p columns together, and the layout must fit.
  // The distinct values are needed only to turn kept trees into rules on raw data.
  Columns(const NextBlock& next, std::size_t n, std::size_t p, bool keep_values,
          const Layout& layout = {});
  // Of one block: element (i, j) is x[i * row_stride + j * column_stride].
  Columns(const double* x, std::size_t n, std::size_t p, std::ptrdiff_t row_stride,
          std::ptrdiff_t column_stride, bool keep_values, const Layout& layout = {})
      : Columns(one_block({x, row_stride, column_stride}, p), n, p, keep_values, layout) {}
  // Some rows of some variables, coded as if they were all there is (but categories keep their
  // numbers); without values and fingerprint.
  Columns(const Columns& whole, const std::vector<std::uint32_t>& rows,
          const std::vector<std::uint32_t>& variables);

  // Throws std::invalid_argument if the parts do not belong together.
  Columns(State state, std::span<const unsigned char> codes);

  State state() const;
  std::span<const unsigned char> all_codes() const { return storage_; }

  std::size_t n() const { return n_; }
  std::size_t p() const { return first_member_.size() - 1; }  // variables
  std::size_t n_codings() const { return info_.size(); }
  std::size_t nbytes() const { return storage_.size(); }
  bool has_values() const { return has_values_; }
  // Two words that tell one matrix from another; -0 counts as 0.
  std::array<std::uint64_t, 2> fingerprint() const { return fingerprint_; }

  // The first coding of each of the variable's columns.
  std::span<const std::uint32_t> members(std::size_t variable) const {
    return {members_.data() + first_member_[variable],
            first_member_[variable + 1] - first_member_[variable]};
  }
  bool one_column(std::size_t variable) const {
    return first_member_[variable + 1] - first_member_[variable] == 1;
  }
  // Not so for a group, missing values or categories.
  bool plain(std::size_t variable) const;

  // Of a coding.
  std::uint32_t column(std::size_t coding) const { return info_[coding].column; }
  // Its number in the whole of which these columns are a part.
  std::uint32_t origin(std::size_t coding) const { return info_[coding].origin; }
  std::uint32_t n_categories(std::size_t coding) const { return info_[coding].n_categories; }
  bool categorical(std::size_t coding) const { return info_[coding].n_categories > 0; }
  // Codings of the same column: the first, and how many there are.
  std::uint32_t first_coding(std::uint32_t coding) const { return info_[coding].first; }
  std::uint32_t n_alike(std::uint32_t coding) const { return info_[coding].n_alike; }
  // Missing is the lowest value here, and the first code.
  bool missing_low(std::size_t coding) const { return info_[coding].missing_low; }
  ColumnView view(std::size_t coding) const {
    return {storage_.data() + info_[coding].offset, info_[coding].width};
  }
  std::uint32_t code(std::size_t coding, std::size_t row) const;
  // Asks for a coding that is about to be read: one of many is in no cache.
  void prefetch(std::size_t coding) const;
  // Of an ordered column; of a categorical one how many of its categories occur.
  std::uint32_t n_distinct(std::size_t coding) const { return info_[coding].n_distinct; }
  // The largest number of rows that share one value: 1 in an untied column, n in a constant one.
  std::uint32_t max_ties(std::size_t coding) const { return info_[coding].max_ties; }
  // Missing as the lowest value is -infinity.
  double value(std::size_t coding, std::uint32_t code) const {
    return values_[info_[coding].first_value + code];
  }

 private:
  struct Info {
    std::size_t offset = 0;
    std::size_t first_value = 0;
    std::uint32_t column = 0;
    std::uint32_t origin = 0;
    std::uint32_t n_categories = 0;
    std::uint32_t n_distinct = 0;
    std::uint32_t max_ties = 0;
    std::uint32_t first = 0, n_alike = 1;
    CodeWidth width = CodeWidth::bits8;
    bool missing_low = false;
  };

  // `info` says what is known beforehand.
  void store(const std::vector<std::uint32_t>& codes, const std::vector<double>& values, Info info);

  std::size_t n_;
  bool has_values_;
  std::array<std::uint64_t, 2> fingerprint_;
  std::vector<Info> info_;
  std::vector<std::uint32_t> members_, first_member_;
  AlignedVector<unsigned char> storage_;
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
