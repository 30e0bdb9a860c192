// How often the forest splits on each variable, and the ghosts that its nodes keep beside their
// splits (docs/theory.md, "DART when variables run out").
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "../log_count.hpp"
#include "../tree.hpp"

namespace bayesvc {

class SplitCounts {
 public:
  SplitCounts(std::size_t p, bool with_ghosts);

  void add(std::uint32_t variable) {
    enlist(variable);
    ++counts_[variable];
    ++n_splits_;
  }
  void remove(std::uint32_t variable) {
    --counts_[variable];
    --n_splits_;
    if (counts_[variable] == 0) strike_if_idle(variable);
  }
  void add_ghosts(const std::vector<Ghost>& ghosts);
  void remove_ghosts(const std::vector<Ghost>& ghosts);

  std::uint32_t count(std::uint32_t variable) const { return counts_[variable]; }
  std::uint32_t n_splits() const { return n_splits_; }
  // The variables with a split or a ghost, in no particular order.
  const std::vector<std::uint32_t>& used() const { return used_; }
  bool in_use(std::uint32_t variable) const { return position_[variable] != unused; }

  // Splits and ghosts of a variable, and of all variables: without the numbers of ghosts that are
  // known by their logarithm only (giants), or with them.
  bool has_giants() const { return !giants_.empty(); }
  double counted(std::uint32_t variable) const {
    const double splits = static_cast<double>(counts_[variable]);
    return ghosts_.empty() ? splits : splits + ghosts_[variable];
  }
  double counted_total() const { return static_cast<double>(n_splits_) + n_ghosts_; }
  LogCount seen(std::uint32_t variable) const;
  LogCount seen_total() const;

 private:
  void enlist(std::uint32_t variable);
  void strike_if_idle(std::uint32_t variable);

  static constexpr std::uint32_t unused = 0xffffffff;

  std::vector<std::uint32_t> counts_;
  // Counted ghosts add up without rounding; the rare giants are kept one by one, so that removing
  // one leaves nothing behind.
  std::vector<double> ghosts_;
  std::vector<Ghost> giants_;
  std::vector<std::uint32_t> used_, position_;
  std::uint32_t n_splits_ = 0;
  double n_ghosts_ = 0;
};

}  // namespace bayesvc
