#include "split_counts.hpp"

#include <algorithm>

namespace bayesvc {

SplitCounts::SplitCounts(std::size_t p, bool with_ghosts)
    : counts_(p, 0), ghosts_(with_ghosts ? p : 0, 0.0), position_(p, unused) {}

void SplitCounts::enlist(std::uint32_t variable) {
  if (in_use(variable)) return;
  position_[variable] = static_cast<std::uint32_t>(used_.size());
  used_.push_back(variable);
}

void SplitCounts::strike_if_idle(std::uint32_t variable) {
  if (!seen(variable).is_zero()) return;
  const std::uint32_t at = position_[variable];
  used_[at] = used_.back();
  position_[used_[at]] = at;
  used_.pop_back();
  position_[variable] = unused;
}

void SplitCounts::add_ghosts(const std::vector<Ghost>& ghosts) {
  for (const Ghost& ghost : ghosts) {
    enlist(ghost.variable);
    if (ghost.count.counted()) {
      ghosts_[ghost.variable] += ghost.count.count();
      n_ghosts_ += ghost.count.count();
    } else {
      giants_.push_back(ghost);
    }
  }
}

void SplitCounts::remove_ghosts(const std::vector<Ghost>& ghosts) {
  for (const Ghost& ghost : ghosts) {
    if (ghost.count.counted()) {
      ghosts_[ghost.variable] -= ghost.count.count();
      n_ghosts_ -= ghost.count.count();
    } else {
      giants_.erase(std::find(giants_.begin(), giants_.end(), ghost));
    }
    strike_if_idle(ghost.variable);
  }
}

LogCount SplitCounts::seen(std::uint32_t variable) const {
  LogCount total = counted(variable);
  for (const Ghost& ghost : giants_)
    if (ghost.variable == variable) total += ghost.count;
  return total;
}

LogCount SplitCounts::seen_total() const {
  LogCount total = counted_total();
  for (const Ghost& ghost : giants_) total += ghost.count;
  return total;
}

}  // namespace bayesvc
