#pragma once

#include <cstdint>
#include <limits>
#include <optional>
#include <span>
#include <vector>

namespace heddle {

// Fair share over a tree of accounts, as Slurm's plugin priority/multifactor computes it. Source:
// Slurm 22.05, src/plugins/priority/multifactor/priority_multifactor.c and fair_tree.c.

/// Accounts and users with shares. A user of two accounts is two members. Members are numbered in
/// the order in which they are added, from 0, which is the root.
class ShareTree {
 public:
  static constexpr int kRoot = 0;
  /// Shares among the members of a level. nullopt: none of its own (Slurm's shares `parent`). The
  /// members of such an account compete with those of the account above, and such a user has the
  /// shares and the usage of the account.
  using Shares = std::optional<double>;

  struct Member {
    int above = -1;  ///< the account; -1: the member is the root
    bool user = false;
    Shares shares = 1;
    std::vector<int> below = {};  ///< of an account, ascending
  };

  /// REQUIRES: `above` is an account.
  int add_account(int above, Shares shares) { return add({above, false, shares}); }
  int add_user(int above, Shares shares) { return add({above, true, shares}); }

  const std::vector<Member>& members() const { return members_; }
  const Member& member(int index) const { return members_[static_cast<std::size_t>(index)]; }
  int users() const { return users_; }
  /// Returns the members that compete for what the account gets: its own, ascending, with the
  /// members of an account without shares in the place of this account.
  std::vector<int> level(int account) const;

 private:
  int add(Member member);

  std::vector<Member> members_{Member{}};
  int users_ = 0;
};

/// The results of a rule for a member of the tree.
struct FairShare {
  /// Shares divided by those of the level. classic: multiplied by those of all accounts above.
  double shares = 0;
  /// tree: the part of its account's usage. classic: the part of all usage, moved towards that of
  /// its account.
  double usage = 0;
  /// tree: shares / usage; infinite if nothing was used.
  double level_fs = std::numeric_limits<double>::infinity();
  double factor = 0;  ///< F, 0..1. With the tree, only users have one.
};

/// Returns the usage of each member: of users as given, and of accounts the sum of all below.
/// `usage`: by member, in any unit; those of accounts are not read.
std::vector<double> usage_of_all(const ShareTree& tree, std::span<const double> usage);

/// Returns the fair share of each member by the rule `tree` (Slurm's fair tree). Members of a level
/// go by shares / usage, the highest first, and users before accounts if they are equal. Depth
/// first, the first of N users gets rank N, and each next user one less. F is rank / N. A member
/// that equals the one before it keeps the rank, and the ranks after it count on: 14, 14, 14, 11.
/// The first member of an account that equals the one before it gets the rank that was given last.
/// `usage`: as from usage_of_all().
std::vector<FairShare> tree_fair_share(const ShareTree& tree, std::span<const double> usage);

/// Returns the fair share of each member by the rule `classic`: F = 2^(-usage / shares / damping).
/// `usage`: by member, each divided by that of the root (normalised()).
std::vector<FairShare> classic_fair_share(const ShareTree& tree, std::span<const double> usage,
                                          double damping);
/// Returns each usage divided by the root's. Returns zeros if the root has used nothing.
std::vector<double> normalised(std::span<const double> usage);

/// Usage that decays. Times are whole seconds, as in Slurm.
class DecayedUsage {
 public:
  /// `half_life_s`: seconds in which a half is forgotten; 0: usage never decays.
  DecayedUsage(std::size_t members, double half_life_s);

  /// Lets the time pass for all usage.
  void decay(std::int64_t seconds);
  /// Adds what a member has used until now: `billing` for that time, decayed as if all of it was
  /// used at the beginning.
  void charge(int member, double billing, std::int64_t seconds);

  std::span<const double> values() const { return values_; }
  /// Returns what is left after one second, 0..1. Slurm's approximation is 1 - 0.693 / half-life.
  double per_second() const { return per_second_; }

 private:
  double after(std::int64_t seconds);

  std::vector<double> values_;
  double per_second_;
  std::int64_t last_seconds_ = 0;  ///< of the last call of after(), and its result
  double last_after_ = 1;
};

}  // namespace heddle
