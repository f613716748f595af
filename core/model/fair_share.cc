#include "core/model/fair_share.h"

#include <algorithm>
#include <cmath>

namespace heddle {
namespace {

std::size_t at(int index) { return static_cast<std::size_t>(index); }

double shares_of(const ShareTree& tree, const std::vector<int>& level) {
  double sum = 0;
  for (const int member : level) sum += tree.member(member).shares.value_or(0);
  return sum;
}

double part_of(double part, double whole) { return whole > 0 ? part / whole : 0; }

/// The rule `tree`: Level FS of all members, then ranks.
class FairTree {
 public:
  FairTree(const ShareTree& tree, std::span<const double> usage)
      : tree_(tree),
        usage_(usage),
        found_(tree.members().size()),
        free_rank_(tree.users()),
        rank_(tree.users()) {}

  std::vector<FairShare> all() {
    found_[ShareTree::kRoot].usage = 1;
    for (int member = 0; member < std::ssize(tree_.members()); ++member) {
      const ShareTree::Member& it = tree_.member(member);
      if (member != ShareTree::kRoot && !it.shares) inherit(member);
      if (!it.user && (it.shares || member == ShareTree::kRoot)) compare(member);
    }
    rank(tree_.level(ShareTree::kRoot), false);
    return std::move(found_);
  }

 private:
  /// Computes shares and usage of the members of an account's level.
  void compare(int account) {
    const std::vector<int> level = tree_.level(account);
    const double all = shares_of(tree_, level);
    for (const int member : level) {
      const ShareTree::Shares& shares = tree_.member(member).shares;
      if (!shares) continue;  // a user without shares has used nothing of its own
      FairShare& it = found_[at(member)];
      it.shares = part_of(*shares, all);
      it.usage = part_of(usage_[at(member)], usage_[at(account)]);
      if (it.usage > 0) it.level_fs = it.shares / it.usage;
    }
  }
  /// Sets shares and usage of a member without shares, for readers. REQUIRES: the account above it
  /// has them.
  void inherit(int member) {
    const int above = tree_.member(member).above;
    found_[at(member)].shares = found_[at(above)].shares;
    found_[at(member)].usage = part_of(usage_[at(member)], usage_[at(above)]);
  }
  /// Ranks the members of a level. `tied`: the account of this level equals the one before it.
  void rank(std::vector<int> level, bool tied) {
    std::ranges::stable_sort(level, [&](int a, int b) {
      const double first = found_[at(a)].level_fs, second = found_[at(b)].level_fs;
      return first != second ? first > second : tree_.member(a).user > tree_.member(b).user;
    });
    for (std::size_t i = 0; i < level.size(); ++i) {
      if (i > 0) tied = found_[at(level[i - 1])].level_fs == found_[at(level[i])].level_fs;
      if (!tree_.member(level[i]).user) {
        rank(tree_.level(level[i]), tied);
        continue;
      }
      if (!tied) rank_ = free_rank_;
      found_[at(level[i])].factor = part_of(rank_, tree_.users());
      --free_rank_;
    }
  }

  const ShareTree& tree_;
  const std::span<const double> usage_;
  std::vector<FairShare> found_;
  int free_rank_;  ///< of the next user that equals no other
  int rank_;       ///< the last that was given
};

/// The rule `classic`.
class Classic {
 public:
  Classic(const ShareTree& tree, std::span<const double> usage, double damping)
      : tree_(tree), usage_(usage), damping_(damping), found_(tree.members().size()) {}

  std::vector<FairShare> all() {
    set(ShareTree::kRoot, 1, 1);
    descend(ShareTree::kRoot);
    return std::move(found_);
  }

 private:
  void set(int member, double shares, double usage) {
    FairShare& it = found_[at(member)];
    it.shares = shares;
    it.usage = usage;
    it.factor = shares > 0 ? std::exp2(-(usage / shares) / damping_) : 0;
  }
  void descend(int account) {
    const std::vector<int> level = tree_.level(account);
    const double all = shares_of(tree_, level);
    const FairShare above = found_[at(account)];
    for (const int member : level) {
      const ShareTree::Member& it = tree_.member(member);
      const double used = usage_[at(member)], part = part_of(it.shares.value_or(0), all);
      if (!it.shares)
        set(member, above.shares, above.usage);
      else if (account == ShareTree::kRoot)
        set(member, part, used);
      else
        set(member, above.shares * part, used + (above.usage - used) * part);
      if (!it.user) descend(member);
    }
    for (const int member : tree_.member(account).below)
      if (!tree_.member(member).shares && !tree_.member(member).user)
        found_[at(member)] = found_[at(account)];
  }

  const ShareTree& tree_;
  const std::span<const double> usage_;
  const double damping_;
  std::vector<FairShare> found_;
};

}  // namespace

int ShareTree::add(Member member) {
  const int index = static_cast<int>(members_.size());
  members_[at(member.above)].below.push_back(index);
  users_ += member.user;
  members_.push_back(std::move(member));
  return index;
}

std::vector<int> ShareTree::level(int account) const {
  std::vector<int> level;
  for (const int index : member(account).below) {
    if (member(index).shares || member(index).user) {
      level.push_back(index);
      continue;
    }
    const std::vector<int> lifted = this->level(index);
    level.insert(level.end(), lifted.begin(), lifted.end());
  }
  return level;
}

std::vector<double> usage_of_all(const ShareTree& tree, std::span<const double> usage) {
  std::vector<double> all(tree.members().size(), 0);
  // A member comes after its account.
  for (int member = static_cast<int>(all.size()) - 1; member > 0; --member) {
    if (tree.member(member).user) all[at(member)] = usage[at(member)];
    all[at(tree.member(member).above)] += all[at(member)];
  }
  return all;
}

std::vector<FairShare> tree_fair_share(const ShareTree& tree, std::span<const double> usage) {
  return FairTree(tree, usage).all();
}

std::vector<FairShare> classic_fair_share(const ShareTree& tree, std::span<const double> usage,
                                          double damping) {
  return Classic(tree, usage, damping).all();
}

std::vector<double> normalised(std::span<const double> usage) {
  std::vector<double> parts;
  for (const double used : usage)
    parts.push_back(std::min(part_of(used, usage[ShareTree::kRoot]), 1.0));
  return parts;
}

DecayedUsage::DecayedUsage(std::size_t members, double half_life_s)
    : values_(members, 0),
      per_second_(half_life_s > 0 ? std::max(1 - 0.693 / half_life_s, 0.0) : 1) {}

double DecayedUsage::after(std::int64_t seconds) {
  if (seconds != last_seconds_) {
    last_seconds_ = seconds;
    last_after_ = std::pow(per_second_, static_cast<double>(seconds));
  }
  return last_after_;
}

void DecayedUsage::decay(std::int64_t seconds) {
  const double left = after(seconds);
  for (double& value : values_) value *= left;
}

void DecayedUsage::charge(int member, double billing, std::int64_t seconds) {
  values_[at(member)] += billing * static_cast<double>(seconds) * after(seconds);
}

}  // namespace heddle
