#include "columns.hpp"

#include <algorithm>
#include <array>
#include <bit>
#include <cstring>
#include <utility>

#include "pages.hpp"

namespace bayesvc {
namespace {

// Order-preserving map of finite doubles to integers; -0 and 0 are one value.
std::uint64_t sortable(double x) {
  const auto bits = std::bit_cast<std::uint64_t>(x + 0.0);
  return (bits >> 63) ? ~bits : bits | (std::uint64_t{1} << 63);
}

void mix(std::array<std::uint64_t, 2>& state, std::uint64_t word) {
  state[0] = (state[0] ^ word) * 0x9e3779b97f4a7c15u;
  state[1] = (state[1] + word) * 0xd1342543de82ef95u;
  state[0] ^= state[0] >> 29;
  state[1] ^= state[1] >> 32;
}

struct Keyed {
  std::uint64_t key;
  std::uint32_t row;
};

void radix_sort(std::vector<Keyed>& items, std::vector<Keyed>& buffer) {
  std::array<std::array<std::uint32_t, 256>, 8> histogram{};
  for (const Keyed& item : items)
    for (unsigned digit = 0; digit < 8; ++digit)
      ++histogram[digit][(item.key >> (8 * digit)) & 0xff];
  buffer.resize(items.size());
  for (unsigned digit = 0; digit < 8; ++digit) {
    auto& start = histogram[digit];
    if (start[(items[0].key >> (8 * digit)) & 0xff] == items.size()) continue;
    std::uint32_t total = 0;
    for (std::uint32_t& count : start) {
      const std::uint32_t here = count;
      count = total;
      total += here;
    }
    for (const Keyed& item : items) buffer[start[(item.key >> (8 * digit)) & 0xff]++] = item;
    items.swap(buffer);
  }
}

// Rank codes of one column. Columns with few values (genotypes, indicators) skip the sort.
class ColumnEncoder {
 public:
  void encode(const double* x, std::size_t n, std::ptrdiff_t stride) {
    codes.resize(n);
    values.clear();
    if (!encode_few(x, n, stride)) encode_sorted(x, n, stride);
  }

  std::vector<std::uint32_t> codes;
  std::vector<double> values;  // distinct, ascending
  std::uint32_t max_ties = 0;

 private:
  static constexpr std::size_t few = 8;

  bool encode_few(const double* x, std::size_t n, std::ptrdiff_t stride) {
    for (std::size_t i = 0; i < n; ++i) {
      const double value = x[static_cast<std::ptrdiff_t>(i) * stride];
      std::size_t k = 0;
      while (k < values.size() && values[k] != value) ++k;
      if (k == values.size()) {
        if (k == few) {
          values.clear();
          return false;
        }
        values.push_back(value + 0.0);
      }
      codes[i] = static_cast<std::uint32_t>(k);
    }
    std::array<std::uint32_t, few> count{}, rank{};
    for (const std::uint32_t code : codes) ++count[code];
    for (std::size_t k = 0; k < values.size(); ++k)
      for (const double other : values) rank[k] += other < values[k];
    for (std::uint32_t& code : codes) code = rank[code];
    std::sort(values.begin(), values.end());
    max_ties = *std::max_element(count.begin(), count.end());
    return true;
  }

  void encode_sorted(const double* x, std::size_t n, std::ptrdiff_t stride) {
    items_.resize(n);
    for (std::size_t i = 0; i < n; ++i)
      items_[i] = {sortable(x[static_cast<std::ptrdiff_t>(i) * stride]),
                   static_cast<std::uint32_t>(i)};
    sort_items();
    max_ties = 0;
    std::uint32_t run = 0;
    for (std::size_t i = 0; i < n; ++i) {
      if (i == 0 || items_[i].key != items_[i - 1].key) {
        values.push_back(x[static_cast<std::ptrdiff_t>(items_[i].row) * stride] + 0.0);
        run = 0;
      }
      max_ties = std::max(max_ties, ++run);
      codes[items_[i].row] = static_cast<std::uint32_t>(values.size() - 1);
    }
  }

  // Spread over their range, keys of a smooth distribution fall into buckets of about one: one
  // counting pass, then a sort within buckets. Keys are nearly linear in the values while the range
  // spans few powers of two; otherwise the buckets are uneven and the radix sort takes over.
  void sort_items() {
    std::uint64_t low = items_[0].key, high = low;
    for (const Keyed& item : items_) {
      low = std::min(low, item.key);
      high = std::max(high, item.key);
    }
    const std::size_t n = items_.size();
    const int shift = std::max(
        0, static_cast<int>(std::bit_width(high - low)) - static_cast<int>(std::bit_width(n)));
    const std::size_t n_buckets = static_cast<std::size_t>((high - low) >> shift) + 1;
    start_.assign(n_buckets + 1, 0);
    for (const Keyed& item : items_) ++start_[((item.key - low) >> shift) + 1];
    if (*std::max_element(start_.begin(), start_.end()) > 32) return radix_sort(items_, buffer_);
    for (std::size_t k = 0; k < n_buckets; ++k) start_[k + 1] += start_[k];
    buffer_.resize(n);
    for (const Keyed& item : items_) buffer_[start_[(item.key - low) >> shift]++] = item;
    items_.swap(buffer_);
    for (std::size_t i = 1; i < n; ++i) {  // insertion sort: no item is far from its place
      const Keyed item = items_[i];
      std::size_t at = i;
      for (; at > 0 && items_[at - 1].key > item.key; --at) items_[at] = items_[at - 1];
      items_[at] = item;
    }
  }

  std::vector<std::uint32_t> start_;
  std::vector<Keyed> items_, buffer_;
};

template <class Code>
void narrow(const std::vector<std::uint32_t>& codes, unsigned char* out) {
  for (std::size_t i = 0; i < codes.size(); ++i) {
    const Code code = static_cast<Code>(codes[i]);
    std::memcpy(out + i * sizeof(Code), &code, sizeof(Code));
  }
}

CodeWidth width_for(std::size_t n_distinct) {
  if (n_distinct <= 0x100) return CodeWidth::bits8;
  if (n_distinct <= 0x10000) return CodeWidth::bits16;
  return CodeWidth::bits32;
}

std::size_t bytes_of(CodeWidth width) { return std::size_t{1} << static_cast<unsigned>(width); }

}  // namespace

Columns::Columns(const double* x, std::size_t n, std::size_t p, std::ptrdiff_t row_stride,
                 std::ptrdiff_t column_stride, bool keep_values)
    : n_(n), keep_values_(keep_values), fingerprint_{n, p}, info_(p) {
  ColumnEncoder encoder;
  for (std::size_t j = 0; j < p; ++j) {
    const double* column = x + static_cast<std::ptrdiff_t>(j) * column_stride;
    for (std::size_t i = 0; i < n; ++i)
      mix(fingerprint_, sortable(column[static_cast<std::ptrdiff_t>(i) * row_stride]));
    encoder.encode(column, n, row_stride);
    store(j, encoder.codes, encoder.values.size(), encoder.max_ties);
    if (keep_values) {
      info_[j].first_value = values_.size();
      values_.insert(values_.end(), encoder.values.begin(), encoder.values.end());
    }
  }
}

Columns::Columns(const Columns& whole, const std::vector<std::uint32_t>& rows,
                 const std::vector<std::uint32_t>& variables)
    : n_(rows.size()), keep_values_(false), fingerprint_{}, info_(variables.size()) {
  std::vector<std::uint32_t> codes(n_), ties;
  for (std::size_t k = 0; k < variables.size(); ++k) {
    ties.assign(whole.n_distinct(variables[k]), 0);
    with_codes(whole.view(variables[k]), [&](const auto* all) {
      for (std::size_t i = 0; i < n_; ++i) ++ties[codes[i] = all[rows[i]]];
    });
    std::uint32_t n_distinct = 0, max_ties = 0;
    for (std::uint32_t& here : ties) {  // becomes the new code
      max_ties = std::max(max_ties, here);
      here = std::exchange(n_distinct, n_distinct + (here > 0));
    }
    for (std::uint32_t& code : codes) code = ties[code];
    store(k, codes, n_distinct, max_ties);
  }
}

void Columns::store(std::size_t j, const std::vector<std::uint32_t>& codes, std::size_t n_distinct,
                    std::uint32_t max_ties) {
  constexpr std::size_t alignment = 32;
  Info& info = info_[j];
  info.n_distinct = static_cast<std::uint32_t>(n_distinct);
  info.max_ties = max_ties;
  info.width = width_for(n_distinct);
  info.offset = storage_.size();
  const std::size_t bytes = (n_ * bytes_of(info.width) + alignment - 1) / alignment * alignment;
  if (j == 0) {
    storage_.reserve(p() * bytes);
    prefer_huge_pages(storage_.data(), storage_.capacity());
  }
  storage_.resize(info.offset + bytes);
  unsigned char* out = storage_.data() + info.offset;
  switch (info.width) {
    case CodeWidth::bits8:
      narrow<std::uint8_t>(codes, out);
      break;
    case CodeWidth::bits16:
      narrow<std::uint16_t>(codes, out);
      break;
    case CodeWidth::bits32:
      narrow<std::uint32_t>(codes, out);
      break;
  }
}

void Columns::prefetch(std::size_t j) const {
#if defined(__GNUC__)
  constexpr std::size_t line = 64, most = 4096;
  const unsigned char* first = storage_.data() + info_[j].offset;
  const std::size_t bytes = std::min(most, n_ * bytes_of(info_[j].width));
  for (std::size_t at = 0; at < bytes; at += line) __builtin_prefetch(first + at);
#else
  (void)j;
#endif
}

std::uint32_t Columns::code(std::size_t j, std::size_t row) const {
  return with_codes(view(j), [row](const auto* codes) -> std::uint32_t { return codes[row]; });
}

}  // namespace bayesvc
