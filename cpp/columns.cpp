#include "columns.hpp"

#include <algorithm>
#include <array>
#include <bit>
#include <cmath>
#include <cstring>
#include <limits>
#include <numeric>
#include <stdexcept>
#include <utility>

#include "pages.hpp"

namespace bayesvc {
namespace {

// Order-preserving map of doubles to integers; -0 and 0 are one value, and so are all nans.
std::uint64_t sortable(double x) {
  if (std::isnan(x)) return ~std::uint64_t{0};
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

// Codes of one column.
class ColumnEncoder {
 public:
  // By rank, missing as the lowest value. Columns with few values (genotypes, indicators) skip the
  // sort.
  void encode(const double* x, std::size_t n) {
    missing_.clear();
    for (std::size_t i = 0; i < n; ++i)
      if (std::isnan(x[i])) missing_.push_back(static_cast<std::uint32_t>(i));
    if (missing_.empty()) return encode_observed(x, n);
    observed_.clear();
    for (std::size_t i = 0; i < n; ++i)
      if (!std::isnan(x[i])) observed_.push_back(x[i]);
    encode_observed(observed_.data(), observed_.size());
    ranks_ = codes;
    values.insert(values.begin(), -std::numeric_limits<double>::infinity());
    max_ties = std::max(max_ties, static_cast<std::uint32_t>(missing_.size()));
    ++n_distinct;
    spread_ranks(1, 0);
  }

  // The same column with missing as the highest value.
  void put_missing_last() {
    spread_ranks(0, n_distinct - 1);
    std::rotate(values.begin(), values.begin() + 1, values.end());
    values.back() = std::numeric_limits<double>::infinity();
  }

  // Whether it is missing, for the same column: 0 if it is.
  void tell_missing() {
    std::fill(ranks_.begin(), ranks_.end(), 0u);
    spread_ranks(1, 0);
    values = {-std::numeric_limits<double>::infinity(), std::numeric_limits<double>::infinity()};
    n_distinct = ranks_.empty() ? 1 : 2;
    max_ties = static_cast<std::uint32_t>(std::max(ranks_.size(), missing_.size()));
  }

  void take_categories(const double* x, std::size_t n) {
    std::array<std::uint32_t, max_categories> count{};
    codes.resize(n);
    values.clear();
    missing_.clear();
    for (std::size_t i = 0; i < n; ++i) ++count[codes[i] = static_cast<std::uint32_t>(x[i])];
    max_ties = *std::max_element(count.begin(), count.end());
    n_distinct = static_cast<std::uint32_t>(
        std::count_if(count.begin(), count.end(), [](std::uint32_t rows) { return rows > 0; }));
  }

  bool has_missing() const { return !missing_.empty(); }

  std::vector<std::uint32_t> codes;
  std::vector<double> values;  // of an ordered column: distinct, ascending
  std::uint32_t n_distinct = 0;
  std::uint32_t max_ties = 0;

 private:
  static constexpr std::size_t few = 8;

  void encode_observed(const double* x, std::size_t n) {
    codes.resize(n);
    values.clear();
    max_ties = 0;
    if (n > 0 && !encode_few(x, n)) encode_sorted(x, n);
    n_distinct = static_cast<std::uint32_t>(values.size());
  }

  // From the ranks of the observed rows to codes of all rows.
  void spread_ranks(std::uint32_t shift, std::uint32_t missing_code) {
    codes.resize(ranks_.size() + missing_.size());
    auto rank = ranks_.begin();
    auto missing = missing_.begin();
    for (std::size_t i = 0; i < codes.size(); ++i) {
      const bool is_missing = missing != missing_.end() && *missing == i;
      codes[i] = is_missing ? missing_code : *rank++ + shift;
      missing += is_missing;
    }
  }

  bool encode_few(const double* x, std::size_t n) {
    for (std::size_t i = 0; i < n; ++i) {
      std::size_t k = 0;
      while (k < values.size() && values[k] != x[i]) ++k;
      if (k == values.size()) {
        if (k == few) {
          values.clear();
          return false;
        }
        values.push_back(x[i] + 0.0);
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

  void encode_sorted(const double* x, std::size_t n) {
    items_.resize(n);
    for (std::size_t i = 0; i < n; ++i) items_[i] = {sortable(x[i]), static_cast<std::uint32_t>(i)};
    sort_items();
    max_ties = 0;
    std::uint32_t run = 0;
    for (std::size_t i = 0; i < n; ++i) {
      if (i == 0 || items_[i].key != items_[i - 1].key) {
        values.push_back(x[items_[i].row] + 0.0);
        run = 0;
      }
      max_ties = std::max(max_ties, ++run);
      codes[items_[i].row] = static_cast<std::uint32_t>(values.size() - 1);
    }
  }

  // Spread over their range, keys of a smooth distribution seldom share a bucket: one counting
  // pass, then a sort within buckets. Keys are nearly linear in the values while the range spans
  // few powers of two; otherwise the buckets are uneven and the radix sort takes over.
  void sort_items() {
    std::uint64_t low = items_[0].key, high = low;
    for (const Keyed& item : items_) {
      low = std::min(low, item.key);
      high = std::max(high, item.key);
    }
    const std::size_t n = items_.size();
    const int shift = std::max(
        0, static_cast<int>(std::bit_width(high - low)) - static_cast<int>(std::bit_width(n) + 1));
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

  std::vector<std::uint32_t> start_, missing_, ranks_;
  std::vector<double> observed_;
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

// Columns that share cache lines where rows are contiguous.
constexpr std::size_t together = 8;

// Copies some columns of the block, from `first` on, one after the other.
void copy_columns(const ColumnBlock& block, std::size_t first, std::size_t n,
                  std::vector<double>& copy) {
  const std::size_t number = std::min(together, block.n_columns - first);
  copy.resize(number * n);
  for (std::size_t i = 0; i < n; ++i)
    for (std::size_t k = 0; k < number; ++k) copy[k * n + i] = block.view.at(i, first + k);
}

std::size_t padded(std::size_t bytes) { return (bytes + cache_line - 1) / cache_line * cache_line; }

}  // namespace

Columns::Columns(const NextBlock& next, std::size_t n, std::size_t p, bool keep_values,
                 const Layout& layout)
    : n_(n), has_values_(keep_values), fingerprint_{n, p} {
  ColumnEncoder encoder;
  std::vector<std::uint32_t> first_coding(p);
  info_.reserve(p);
  ColumnBlock block;
  std::size_t first = 0;  // column of the block
  std::vector<double> copy;
  for (std::size_t j = 0; j < p; ++j) {
    if (j == first + block.n_columns) {
      first = j;
      block = next();
    }
    const double* column = block.view.column(j - first);
    if (block.view.row_stride != 1) {
      const std::size_t place = (j - first) % together;
      if (place == 0) copy_columns(block, j - first, n, copy);
      column = copy.data() + place * n;
    }
    for (std::size_t i = 0; i < n; ++i) mix(fingerprint_, sortable(column[i]));
    Info info;
    info.column = static_cast<std::uint32_t>(j);
    if (!layout.n_categories.empty()) info.n_categories = layout.n_categories[j];
    if (info.n_categories > 0) {
      mix(fingerprint_, info.n_categories);
      encoder.take_categories(column, n);
    } else {
      encoder.encode(column, n);
      info.missing_low = encoder.has_missing();
    }
    info.n_distinct = encoder.n_distinct;
    info.max_ties = encoder.max_ties;
    first_coding[j] = info.first = static_cast<std::uint32_t>(info_.size());
    info.n_alike = info.missing_low ? 3 : 1;
    store(encoder.codes, encoder.values, info);
    if (!info.missing_low) continue;
    encoder.put_missing_last();
    info.missing_low = false;
    store(encoder.codes, encoder.values, info);
    encoder.tell_missing();
    info.missing_low = true;
    info.n_distinct = encoder.n_distinct;
    info.max_ties = encoder.max_ties;
    store(encoder.codes, encoder.values, info);
  }
  for (const auto& group : layout.groups) {
    mix(fingerprint_, group.size());
    first_member_.push_back(static_cast<std::uint32_t>(members_.size()));
    for (const std::uint32_t j : group) {
      mix(fingerprint_, j);
      members_.push_back(first_coding[j]);
    }
  }
  if (layout.groups.empty()) {
    members_ = std::move(first_coding);
    first_member_.resize(p);
    std::iota(first_member_.begin(), first_member_.end(), 0u);
  }
  first_member_.push_back(static_cast<std::uint32_t>(members_.size()));
}

Columns::Columns(const Columns& whole, const std::vector<std::uint32_t>& rows,
                 const std::vector<std::uint32_t>& variables)
    : n_(rows.size()), has_values_(false), fingerprint_{} {
  info_.reserve(variables.size());
  std::vector<std::uint32_t> codes(n_), ties;
  const auto store_part = [&](std::uint32_t coding) {
    Info info = whole.info_[coding];
    info.origin = coding;
    ties.assign(whole.categorical(coding) ? info.n_categories : info.n_distinct, 0);
    with_codes(whole.view(coding), [&](const auto* all) {
      for (std::size_t i = 0; i < n_; ++i) ++ties[codes[i] = all[rows[i]]];
    });
    info.n_distinct = info.max_ties = 0;
    for (std::uint32_t& here : ties) {  // becomes the new code
      info.max_ties = std::max(info.max_ties, here);
      here = std::exchange(info.n_distinct, info.n_distinct + (here > 0));
    }
    if (!whole.categorical(coding))
      for (std::uint32_t& code : codes) code = ties[code];
    info.first += static_cast<std::uint32_t>(info_.size()) - coding;
    store(codes, {}, info);
  };
  for (const std::uint32_t variable : variables) {
    first_member_.push_back(static_cast<std::uint32_t>(members_.size()));
    for (const std::uint32_t first : whole.members(variable)) {
      members_.push_back(static_cast<std::uint32_t>(info_.size()));
      for (std::uint32_t k = 0; k < whole.n_alike(first); ++k) store_part(first + k);
    }
  }
  first_member_.push_back(static_cast<std::uint32_t>(members_.size()));
}

Columns::Columns(State state, std::span<const unsigned char> codes)
    : n_(state.n),
      has_values_(state.has_values),
      fingerprint_(state.fingerprint),
      info_(state.info.size() / sizeof(Info)),
      members_(std::move(state.members)),
      first_member_(std::move(state.first_member)),
      values_(std::move(state.values)) {
  bool fits = state.info.size() == info_.size() * sizeof(Info) && !first_member_.empty() &&
              first_member_.back() == members_.size();
  if (fits && !info_.empty()) std::memcpy(info_.data(), state.info.data(), state.info.size());
  for (const Info& info : info_)
    fits = fits && info.width <= CodeWidth::bits32 &&
           info.offset + padded(n_ * bytes_of(info.width)) <= codes.size() &&
           (!has_values_ || info.n_categories > 0 ||
            info.first_value + info.n_distinct <= values_.size());
  for (const std::uint32_t coding : members_) fits = fits && coding < info_.size();
  if (!fits) throw std::invalid_argument("the parts of the columns contradict each other");
  storage_.reserve(codes.size());
  prefer_huge_pages(storage_.data(), storage_.capacity());
  storage_.assign(codes.begin(), codes.end());
}

Columns::State Columns::state() const {
  State state{n_, has_values_, fingerprint_, {}, members_, first_member_, values_};
  state.info.resize(info_.size() * sizeof(Info));
  if (!info_.empty()) std::memcpy(state.info.data(), info_.data(), state.info.size());
  return state;
}

void Columns::store(const std::vector<std::uint32_t>& codes, const std::vector<double>& values,
                    Info info) {
  info.width = width_for(info.n_categories > 0 ? info.n_categories : info.n_distinct);
  info.offset = storage_.size();
  const std::size_t bytes = padded(n_ * bytes_of(info.width));
  if (info_.empty()) {
    // As if all rows differed in every column. To grow would copy the codes, while memory that is
    // never written to takes no space.
    storage_.reserve(info_.capacity() * padded(n_ * bytes_of(width_for(n_))));
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
  info.first_value = values_.size();
  if (has_values_) values_.insert(values_.end(), values.begin(), values.end());
  info_.push_back(info);
}

bool Columns::plain(std::size_t variable) const {
  const std::uint32_t coding = members(variable)[0];
  return one_column(variable) && !categorical(coding) && n_alike(coding) == 1;
}

void Columns::prefetch(std::size_t coding) const {
#if defined(__GNUC__)
  constexpr std::size_t line = 64, most = 4096;
  const unsigned char* first = storage_.data() + info_[coding].offset;
  const std::size_t bytes = std::min(most, n_ * bytes_of(info_[coding].width));
  for (std::size_t at = 0; at < bytes; at += line) __builtin_prefetch(first + at);
#else
  (void)coding;
#endif
}

std::uint32_t Columns::code(std::size_t coding, std::size_t row) const {
  return with_codes(view(coding), [row](const auto* codes) -> std::uint32_t { return codes[row]; });
}

}  // namespace bayesvc
