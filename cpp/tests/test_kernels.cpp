// All builds of the kernels must give the same bits, and those what a naive loop gives.
#include <bit>
#include <cmath>
#include <cstdint>
#include <set>
#include <stdexcept>
#include <string>
#include <type_traits>
#include <vector>

#include "../kernels.hpp"
#include "brute_force.hpp"
#include "check.hpp"

using bayesvc::Advance;
using bayesvc::CodeWidth;
using bayesvc::ColumnView;
using bayesvc::Finish;
using bayesvc::Kernels;
using bayesvc::LeafId;
using bayesvc::Rng;
using bayesvc::RowSet;
using brute_force::below;
using brute_force::rng_of;

namespace {

// The builds to compare with the plain one; none on a CPU without AVX2.
std::vector<const Kernels*> fast_kernels() {
  std::vector<const Kernels*> found = bayesvc::available_kernels();
  found.erase(found.begin());
  return found;
}

constexpr CodeWidth widths[] = {CodeWidth::bits8, CodeWidth::bits16, CodeWidth::bits32};
constexpr std::size_t sizes[] = {1,   2,   3,   7,   8,   9,   15,  16,   17,   63,   100,  255,
                                 256, 300, 511, 512, 513, 519, 520, 1000, 1023, 1024, 1025, 1103};
// Sums and tables in registers up to 8, 16 and 32 leaves, and beyond.
constexpr std::size_t leaf_numbers[] = {1,  2,  3,  4,  5,  6,  7,  8,  9,
                                        12, 15, 16, 17, 20, 31, 32, 33, 40};

// Codes in a vector of their exact size, so that the address sanitizer sees a read beyond them.
struct Codes {
  CodeWidth width;
  std::vector<std::uint8_t> narrow;
  std::vector<std::uint16_t> middle;
  std::vector<std::uint32_t> wide;  // always filled

  Codes(CodeWidth w, std::vector<std::uint32_t> codes) : width(w), wide(std::move(codes)) {
    if (w == CodeWidth::bits8) narrow.assign(wide.begin(), wide.end());
    if (w == CodeWidth::bits16) middle.assign(wide.begin(), wide.end());
  }
  ColumnView view() const {
    if (width == CodeWidth::bits8) return {narrow.data(), width};
    if (width == CodeWidth::bits16) return {middle.data(), width};
    return {wide.data(), width};
  }
};

std::uint32_t code_limit(CodeWidth width) {
  return width == CodeWidth::bits8 ? 256u : width == CodeWidth::bits16 ? 65536u : 1u << 20;
}

Codes random_codes(CodeWidth width, std::size_t n, Rng& rng, std::uint32_t limit = 0) {
  std::vector<std::uint32_t> codes(n);
  for (auto& code : codes) code = rng.below(limit ? limit : code_limit(width));
  return Codes(width, std::move(codes));
}

std::vector<LeafId> random_ids(std::size_t n, std::size_t n_leaves, Rng& rng) {
  std::vector<LeafId> ids(n);
  for (LeafId& id : ids) id = static_cast<LeafId>(below(rng, n_leaves));
  return ids;
}

template <class Real>
struct Case {
  std::vector<Real> residual, previous_shift, current_shift;
  std::vector<Real> weights;  // empty: none
  std::vector<LeafId> previous_ids, current_ids;
  std::size_t n_previous, n_current;
  const Codes* codes;
  std::uint32_t cutpoint;
  LeafId first, second;

  Case(std::size_t n, std::size_t previous, std::size_t current, const Codes* column, Rng& rng)
      : n_previous(previous), n_current(current), codes(column) {
    for (std::size_t i = 0; i < n; ++i) residual.push_back(static_cast<Real>(rng.normal()));
    if (n > 3) residual[n / 2] = Real{-0.0};
    previous_ids = random_ids(n, previous, rng);
    current_ids = random_ids(n, current, rng);
    const auto table = [&](std::size_t k) {
      std::vector<Real> shift(k + bayesvc::table_padding, std::numeric_limits<Real>::quiet_NaN());
      for (std::size_t i = 0; i < k; ++i) shift[i] = static_cast<Real>(0.3 * rng.normal());
      return shift;
    };
    previous_shift = table(previous);
    current_shift = table(current);
    cutpoint = column ? rng.below(code_limit(column->width)) : 0;
    first = static_cast<LeafId>(below(rng, current));
    second = rng.below(2) ? first : static_cast<LeafId>(below(rng, current));
  }

  void add_weights(Rng& rng) {
    for (std::size_t i = 0; i < residual.size(); ++i)
      weights.push_back(static_cast<Real>(0.1 + 3.0 * rng.uniform()));
  }
  double weight(std::size_t row) const {
    return weights.empty() ? 1.0 : static_cast<double>(weights[row]);
  }
};

template <class Real>
struct Outcome {
  std::vector<Real> residual;
  std::vector<double> sums;
  double left_sum = 0;
  std::uint32_t left_count = 0;
  bool buffer_is_clear = true;
  std::vector<double> weight_sums{};
  double left_weight = 0;
};

template <class Real>
Outcome<Real> advance(const Kernels& kernels, const Case<Real>& given) {
  Outcome<Real> out{given.residual, std::vector<double>(given.n_current), 0, 0, true};
  const bool weighted = !given.weights.empty();
  const std::size_t n_sums = given.n_current * (weighted ? 2 : 1);
  std::vector<Real> lane_buffer(n_sums * bayesvc::lanes, Real{0});
  std::vector<double> totals(n_sums * bayesvc::n_totals, NAN);
  Advance<Real> task;
  task.residual = out.residual.data();
  task.n = given.residual.size();
  task.previous_ids = given.previous_ids.data();
  task.previous_shift = given.previous_shift.data();
  task.n_previous = given.n_previous;
  task.current_ids = given.current_ids.data();
  task.current_shift = given.current_shift.data();
  task.n_current = given.n_current;
  if (given.codes) task.column = given.codes->view();
  task.cutpoint = given.cutpoint;
  task.first = given.first;
  task.second = given.second;
  task.sums = out.sums.data();
  task.lane_buffer = lane_buffer.data();
  task.totals = totals.data();
  task.left_count = 12345;  // must not matter
  if (weighted) {
    out.weight_sums.resize(given.n_current);
    task.weights = given.weights.data();
    task.weight_sums = out.weight_sums.data();
  }
  if constexpr (std::is_same_v<Real, float>)
    (weighted ? kernels.advance_weighted_single : kernels.advance_single)(task);
  else
    (weighted ? kernels.advance_weighted_double : kernels.advance_double)(task);
  out.left_weight = task.left_weight;
  out.left_sum = task.left_sum;
  out.left_count = task.left_count;
  for (const Real x : lane_buffer) out.buffer_is_clear = out.buffer_is_clear && x == 0;
  return out;
}

bool same_bits(double a, double b) {
  return std::bit_cast<std::uint64_t>(a) == std::bit_cast<std::uint64_t>(b);
}
bool same_bits(float a, float b) {
  return std::bit_cast<std::uint32_t>(a) == std::bit_cast<std::uint32_t>(b);
}
template <class Real>
bool same_bits(const std::vector<Real>& a, const std::vector<Real>& b) {
  bool same = a.size() == b.size();
  for (std::size_t i = 0; same && i < a.size(); ++i) same = same_bits(a[i], b[i]);
  return same;
}

// A lane adds up to 32 numbers in Real before it is flushed.
template <class Real>
constexpr double rounding = 32 * static_cast<double>(std::numeric_limits<Real>::epsilon());

template <class Real>
void check_naive(const Case<Real>& given, const Outcome<Real>& out) {
  std::vector<double> sums(given.n_current, 0.0), weights = sums;
  double left = 0, left_weight = 0, size = 0;
  std::uint32_t count = 0;
  bool residuals_exact = true;
  for (std::size_t i = 0; i < given.residual.size(); ++i) {
    const LeafId id = given.current_ids[i];
    const Real r =
        given.residual[i] + given.previous_shift[given.previous_ids[i]] + given.current_shift[id];
    residuals_exact = residuals_exact && same_bits(r, out.residual[i]);
    const double weight = given.weight(i), product = weight * static_cast<double>(r);
    sums[id] += product;
    weights[id] += weight;
    size += std::fabs(product) + weight;
    if (given.codes && (id == given.first || id == given.second) &&
        given.codes->wide[i] <= given.cutpoint) {
      left += product;
      left_weight += weight;
      ++count;
    }
  }
  CHECK(residuals_exact);
  for (std::size_t k = 0; k < sums.size(); ++k)
    CHECK_NEAR(out.sums[k], sums[k], rounding<Real> * size);
  CHECK_NEAR(out.left_sum, left, rounding<Real> * size);
  for (std::size_t k = 0; k < out.weight_sums.size(); ++k)
    CHECK_NEAR(out.weight_sums[k], weights[k], rounding<Real> * size);
  if (!given.weights.empty()) CHECK_NEAR(out.left_weight, left_weight, rounding<Real> * size);
  CHECK(out.left_count == count);
  CHECK(out.buffer_is_clear);
}

template <class Real>
void check_same(const Outcome<Real>& plain, const Outcome<Real>& fast) {
  CHECK(same_bits(plain.residual, fast.residual));
  CHECK(same_bits(plain.sums, fast.sums));
  CHECK(same_bits(plain.left_sum, fast.left_sum));
  CHECK(same_bits(plain.weight_sums, fast.weight_sums));
  CHECK(same_bits(plain.left_weight, fast.left_weight));
  CHECK(plain.left_count == fast.left_count);
  CHECK(fast.buffer_is_clear);
}

template <class Real>
void check_advance(std::uint64_t stream, bool weighted) {
  Rng rng = rng_of(stream);
  for (const std::size_t n : sizes) {
    std::vector<Codes> columns;
    for (const CodeWidth width : widths) columns.push_back(random_codes(width, n, rng));
    for (const std::size_t n_current : leaf_numbers) {
      for (std::size_t c = 0; c <= columns.size(); ++c) {
        const std::size_t n_previous = 1 + rng.below(n_current <= 8 && rng.below(4) ? 8 : 40);
        Case<Real> given(n, n_previous, n_current, c ? &columns[c - 1] : nullptr, rng);
        if (weighted) given.add_weights(rng);
        const Outcome<Real> plain = advance(bayesvc::plain_kernels(), given);
        check_naive(given, plain);
        for (const Kernels* kernels : fast_kernels()) check_same(plain, advance(*kernels, given));
      }
    }
  }
}

template <class Real>
double finish(const Kernels& kernels, const Case<Real>& given, std::vector<Real>& residual) {
  Finish<Real> task;
  task.residual = residual.data();
  task.n = residual.size();
  task.ids = given.previous_ids.data();
  task.shift = given.previous_shift.data();
  task.n_leaves = given.n_previous;
  task.weights = given.weights.data();
  const bool weighted = !given.weights.empty();
  if constexpr (std::is_same_v<Real, float>)
    return (weighted ? kernels.finish_weighted_single : kernels.finish_single)(task);
  else
    return (weighted ? kernels.finish_weighted_double : kernels.finish_double)(task);
}

template <class Real>
void check_finish(std::uint64_t stream, bool weighted) {
  Rng rng = rng_of(stream);
  for (const std::size_t n : sizes) {
    for (const std::size_t n_leaves : leaf_numbers) {
      Case<Real> given(n, n_leaves, 1, nullptr, rng);
      if (weighted) given.add_weights(rng);
      std::vector<Real> plain = given.residual;
      const double sum = finish(bayesvc::plain_kernels(), given, plain);
      double squares = 0;
      for (std::size_t i = 0; i < n; ++i) {
        const Real r = given.residual[i] + given.previous_shift[given.previous_ids[i]];
        CHECK(same_bits(r, plain[i]));
        squares += given.weight(i) * static_cast<double>(r) * static_cast<double>(r);
      }
      CHECK_NEAR(sum, squares, rounding<Real> * squares);
      for (const Kernels* kernels : fast_kernels()) {
        std::vector<Real> fast = given.residual;
        const double fast_sum = finish(*kernels, given, fast);
        CHECK(same_bits(sum, fast_sum) && same_bits(plain, fast));
      }
    }
  }
}

}  // namespace

TEST(advance_is_exact_and_the_same_in_every_build) {
  for (const bool weighted : {false, true}) {
    check_advance<float>(20, weighted);
    check_advance<double>(21, weighted);
  }
}

TEST(finish_is_exact_and_the_same_in_every_build) {
  for (const bool weighted : {false, true}) {
    check_finish<float>(22, weighted);
    check_finish<double>(23, weighted);
  }
}

TEST(kernels_by_name) {
  const std::vector<const Kernels*> available = bayesvc::available_kernels();
  CHECK(std::string(available[0]->name) == "plain");
  CHECK(&bayesvc::kernels_named("auto") == available.back());
  for (const Kernels* kernels : available) CHECK(&bayesvc::kernels_named(kernels->name) == kernels);
  bool refused = false;
  try {
    bayesvc::kernels_named("sse");
  } catch (const std::invalid_argument&) {
    refused = true;
  }
  CHECK(refused);
}

namespace {

// Every pass over the rows of one set, against a loop.
void check_set(const Kernels& kernels, const Codes& codes, const std::vector<LeafId>& ids,
               LeafId first, LeafId second, std::uint32_t cutpoint) {
  const std::size_t n = ids.size();
  const auto rows = brute_force::rows_with(ids, first, second);
  const RowSet set{ids.data(), first, second, static_cast<std::uint32_t>(rows.size())};
  std::set<std::uint32_t> present;
  std::vector<LeafId> expected(n, 0), marks(n, 7);
  std::uint32_t n_left = 0, n_at_cut = 0, bits = 0;
  for (const std::size_t i : rows) {
    const std::uint32_t code = codes.wide[i];
    present.insert(code);
    n_left += code <= cutpoint;
    n_at_cut += code == cutpoint;
    expected[i] = code <= cutpoint ? 1 : 2;
    if (code < 32) bits |= 1u << code;
  }
  CHECK(kernels.has_two_values(n, set, codes.view()) == (present.size() > 1));
  CHECK(kernels.count_code(n, set, codes.view(), cutpoint) == n_at_cut);
  CHECK(kernels.count_left(n, set, codes.view(), cutpoint) == n_left);
  kernels.mark_sides(marks.data(), n, set, codes.view(), cutpoint);
  CHECK(marks == expected);
  if (present.empty() || *present.rbegin() < 32)
    CHECK(kernels.present_codes(n, set, codes.view()) == bits);
  const std::size_t step = rows.size() < 300 ? 1 : rows.size() / 7;
  for (std::size_t k = 0; k < rows.size(); k += step)
    CHECK(kernels.nth_row(n, set, static_cast<std::uint32_t>(k)) == rows[k]);
  if (!rows.empty())
    CHECK(kernels.nth_row(n, set, static_cast<std::uint32_t>(rows.size() - 1)) == rows.back());
}

void check_moves(const Kernels& kernels, const Codes& codes, const std::vector<LeafId>& ids,
                 std::uint32_t cutpoint) {
  constexpr LeafId from = 1, to = 9;
  std::vector<LeafId> expected = ids, moved = ids;
  std::uint32_t n_moved = 0, n_at_cut = 0;
  for (std::size_t i = 0; i < ids.size(); ++i) {
    if (ids[i] != from) continue;
    n_at_cut += codes.wide[i] == cutpoint;
    if (codes.wide[i] <= cutpoint) continue;
    expected[i] = to;
    ++n_moved;
  }
  const auto counts =
      kernels.split_rows(moved.data(), ids.size(), from, to, codes.view(), cutpoint);
  CHECK(moved == expected);
  CHECK(counts.moved == n_moved && counts.at_cutpoint == n_at_cut);
  for (const LeafId last : {LeafId{1}, LeafId{3}}) {  // `from` may itself be the last
    std::vector<LeafId> merged = ids;
    expected = ids;
    for (LeafId& id : expected) id = id == from ? LeafId{0} : id == last ? from : id;
    kernels.merge_rows(merged.data(), ids.size(), from, 0, last);
    CHECK(merged == expected);
  }
}

}  // namespace

TEST(row_passes_agree_with_loops) {
  Rng rng = rng_of(24);
  for (const Kernels* kernels : bayesvc::available_kernels()) {
    for (const std::size_t n : {1u, 2u, 7u, 8u, 9u, 127u, 128u, 129u, 255u, 257u, 513u, 1100u}) {
      for (const CodeWidth width : widths) {
        for (const std::uint32_t limit : {1u, 2u, 32u, code_limit(width)}) {
          const Codes codes = random_codes(width, n, rng, limit);
          for (const std::size_t n_leaves : {1u, 4u, 60u}) {
            const auto ids = random_ids(n, n_leaves, rng);
            const auto some = [&] { return static_cast<LeafId>(below(rng, n_leaves + 1)); };
            for (const std::uint32_t cutpoint : {rng.below(limit), limit - 1}) {
              const LeafId one = some();
              check_set(*kernels, codes, ids, one, one, cutpoint);
              check_set(*kernels, codes, ids, one, some(), cutpoint);
              check_moves(*kernels, codes, ids, cutpoint);
            }
          }
        }
      }
    }
  }
}

// Counts run in 16 bits for 32768 rows at a time: all rows move, or lie at the cutpoint.
TEST(row_passes_count_beyond_sixteen_bits) {
  Rng rng = rng_of(25);
  for (const Kernels* kernels : bayesvc::available_kernels()) {
    for (const std::size_t n : {32767u, 32768u, 32769u, 65536u, 70001u}) {
      const std::vector<LeafId> all(n, 1);
      for (const CodeWidth width : widths) {
        const Codes codes(width, std::vector<std::uint32_t>(n, 1));
        for (const std::uint32_t cutpoint : {0u, 1u, 2u})
          check_moves(*kernels, codes, all, cutpoint);
        check_set(*kernels, codes, all, 1, 1, 1);
        check_set(*kernels, codes, all, 1, 2, 0);
      }
      const Codes codes = random_codes(CodeWidth::bits16, n, rng);
      const auto ids = random_ids(n, 4, rng);
      check_moves(*kernels, codes, ids, 30000);
      check_set(*kernels, codes, ids, 1, 2, 30000);
    }
  }
}

// The only other value is in the last row, or in the first.
TEST(a_single_different_row_is_seen) {
  for (const Kernels* kernels : bayesvc::available_kernels()) {
    for (const std::size_t n : {2u, 128u, 129u, 1000u}) {
      for (const CodeWidth width : widths) {
        for (const std::size_t odd : {std::size_t{0}, n - 1}) {
          std::vector<std::uint32_t> codes(n, 3);
          codes[odd] = 4;
          check_set(*kernels, Codes(width, codes), std::vector<LeafId>(n, 5), 5, 5, 4);
          check_set(*kernels, Codes(width, codes), std::vector<LeafId>(n, 5), 6, 5, 3);
        }
      }
    }
  }
}
