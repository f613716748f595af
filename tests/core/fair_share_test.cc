// Usage, the two rules of fair share, and priorities. The numbers are computed by hand from the
// rules in core/model/fair_share.h and core/model/job_priority.h.
#include "core/model/fair_share.h"

#include <cmath>

#include "core/model/job_priority.h"
#include "tests/support/matchers.h"

namespace heddle::fair_share_test {

using ::testing::DoubleNear;

constexpr double kInfinite = std::numeric_limits<double>::infinity();

/// A tree, and what its users have used.
struct Tree {
  ShareTree tree;
  std::vector<double> used{0};

  int account(int above, ShareTree::Shares shares) {
    used.push_back(0);
    return tree.add_account(above, shares);
  }
  int user(int above, ShareTree::Shares shares, double usage) {
    used.push_back(usage);
    return tree.add_user(above, shares);
  }
  std::vector<FairShare> by_tree() const { return tree_fair_share(tree, usage_of_all(tree, used)); }
  std::vector<FairShare> by_classic(double damping = 1) const {
    return classic_fair_share(tree, normalised(usage_of_all(tree, used)), damping);
  }
};

/// Returns the ranks of the users, in their order.
std::vector<int> ranks(const Tree& it) {
  const std::vector<FairShare> all = it.by_tree();
  std::vector<int> ranks;
  for (std::size_t i = 0; i < all.size(); ++i)
    if (it.tree.members()[i].user)
      ranks.push_back(static_cast<int>(std::lround(all[i].factor * it.tree.users())));
  return ranks;
}

std::vector<double> factors(const std::vector<FairShare>& shares) {
  std::vector<double> all;
  for (const FairShare& share : shares) all.push_back(share.factor);
  return all;
}

constexpr int kRoot = ShareTree::kRoot;

/// Accounts a with 60 shares, of x (1) and y (3), and b with 40, of z.
Tree two_accounts(double x, double y, double z) {
  Tree it;
  const int a = it.account(kRoot, 60), b = it.account(kRoot, 40);
  it.user(a, 1, x);
  it.user(a, 3, y);
  it.user(b, 1, z);
  return it;
}

TEST(UsageOfAll, CountsForEachAccountAbove) {
  EXPECT_THAT(usage_of_all(two_accounts(1, 2, 4).tree, two_accounts(1, 2, 4).used),
              ElementsAre(7, 3, 4, 1, 2, 4));
}

// a has 0.6 of the shares and half of the usage, b 0.4 and half. In a, x has a quarter of the
// shares and half of the usage, y three quarters and half.
TEST(FairTree, DividesSharesByUsageLevelByLevel) {
  const std::vector<FairShare> got = two_accounts(30, 30, 60).by_tree();
  EXPECT_DOUBLE_EQ(got[1].level_fs, 1.2);
  EXPECT_DOUBLE_EQ(got[2].level_fs, 0.8);
  EXPECT_DOUBLE_EQ(got[3].level_fs, 0.5);
  EXPECT_DOUBLE_EQ(got[4].level_fs, 1.5);
  EXPECT_DOUBLE_EQ(got[5].level_fs, 1);
  EXPECT_THAT(ranks(two_accounts(30, 30, 60)), ElementsAre(2, 3, 1));
  EXPECT_DOUBLE_EQ(got[3].factor, 2.0 / 3);
}

TEST(FairTree, RanksTheUsersOfAnAccountTogether) {
  // b: 0.4 / 0.1 is before a, although x of a has used nothing.
  EXPECT_THAT(ranks(two_accounts(0, 90, 10)), ElementsAre(2, 1, 3));
}

TEST(FairTree, WithoutUsageEveryFactorIsOne) {
  EXPECT_THAT(ranks(two_accounts(0, 0, 0)), ElementsAre(3, 3, 3));
}

TEST(FairTree, ThoseThatTieKeepTheRank) {
  Tree it;
  for (int user = 0; user < 14; ++user) it.user(kRoot, 1, user < 3 ? 0 : user);
  EXPECT_THAT(ranks(it), ElementsAre(14, 14, 14, 11, 10, 9, 8, 7, 6, 5, 4, 3, 2, 1));
}

// Both accounts have 0 shares, and have used something.
TEST(FairTree, OnlyTheFirstOfATiedAccountTakesTheLastRank) {
  Tree it;
  const int a2 = it.account(kRoot, 0), a4 = it.account(kRoot, 0);
  for (const double used : {1, 2, 3}) it.user(a2, 1, used);
  for (const double used : {1, 2, 3, 4}) it.user(a4, 1, used);
  EXPECT_EQ(it.by_tree()[1].level_fs, 0);
  EXPECT_THAT(ranks(it), ElementsAre(7, 6, 5, 5, 3, 2, 1));
}

TEST(FairTree, UsersGoBeforeAccountsThatTie) {
  Tree it;
  const int a = it.account(kRoot, 1);
  it.user(a, 1, 5);
  it.user(a, 2, 5);
  it.user(kRoot, 1, 10);
  // The account and the user of the root have 0.5 / 0.5. The better of the account takes the rank.
  EXPECT_THAT(ranks(it), ElementsAre(1, 3, 3));
}

// The account without shares lends its users to the level above: u has 1 of 4 shares and half of
// the usage, v 1 of 4 and nothing, w 2 of 4 and half.
TEST(FairTree, MembersOfAnAccountWithoutSharesCompeteAbove) {
  Tree it;
  const int top = it.account(kRoot, 1), lifted = it.account(top, std::nullopt);
  const int u = it.user(lifted, 1, 10), v = it.user(lifted, 1, 0);
  const int w = it.user(top, 2, 10);
  const std::vector<FairShare> got = it.by_tree();
  EXPECT_DOUBLE_EQ(got[static_cast<std::size_t>(u)].level_fs, 0.5);
  EXPECT_EQ(got[static_cast<std::size_t>(v)].level_fs, kInfinite);
  EXPECT_DOUBLE_EQ(got[static_cast<std::size_t>(w)].level_fs, 1);
  EXPECT_THAT(ranks(it), ElementsAre(1, 3, 2));
  // Readers see the shares of the account above, and the part of its usage.
  EXPECT_EQ(got[static_cast<std::size_t>(lifted)].shares, 1);
  EXPECT_EQ(got[static_cast<std::size_t>(lifted)].usage, 0.5);
}

TEST(FairTree, AUserWithoutSharesIsFirst) {
  Tree it;
  it.user(kRoot, 1, 0.001);
  it.user(kRoot, std::nullopt, 100);
  EXPECT_THAT(ranks(it), ElementsAre(1, 2));
}

// Shares are 0.6, 0.4, and below a 0.15 and 0.45. Usages are half each, and a quarter each below a.
// The effective usage of x is 0.25 + (0.5 - 0.25) / 4, that of y 0.25 + (0.5 - 0.25) * 3 / 4.
TEST(Classic, ComparesUsageAndSharesOfAllLevels) {
  const std::vector<FairShare> got = two_accounts(30, 30, 60).by_classic();
  EXPECT_DOUBLE_EQ(got[3].shares, 0.15);
  EXPECT_DOUBLE_EQ(got[3].usage, 0.3125);
  EXPECT_DOUBLE_EQ(got[4].usage, 0.4375);
  EXPECT_THAT(factors(got), ElementsAre(0.5, DoubleNear(0.5612310, 1e-7),
                                        DoubleNear(0.4204482, 1e-7), DoubleNear(0.2359686, 1e-7),
                                        DoubleNear(0.5097203, 1e-7), DoubleNear(0.4204482, 1e-7)));
  EXPECT_NEAR(two_accounts(30, 30, 60).by_classic(2)[5].factor, std::sqrt(0.4204482), 1e-7);
}

TEST(Classic, WithoutUsageEveryFactorIsOneAndWithoutSharesZero) {
  EXPECT_THAT(factors(two_accounts(0, 0, 0).by_classic()), ElementsAre(0.5, 1, 1, 1, 1, 1));
  Tree none;
  none.user(kRoot, 0, 0);
  none.user(kRoot, 1, 0);
  EXPECT_THAT(factors(none.by_classic()), ElementsAre(0.5, 0, 1));
}

// u has the shares and the usage of its account.
TEST(Classic, AUserWithoutSharesHasThoseOfTheAccount) {
  Tree it;
  const int a = it.account(kRoot, 1), b = it.account(kRoot, 3);
  it.user(a, std::nullopt, 10);
  it.user(b, 1, 10);
  const std::vector<FairShare> got = it.by_classic();
  EXPECT_EQ(got[3].factor, got[1].factor);
  EXPECT_EQ(got[3].factor, 0.25);  // 2^-(0.5 / 0.25)
}

// d = 1 - 0.693 / 300 = 0.99769. After 10 s, 100 has become 100 d^10 = 97.71387. 4 CPUs for 10 s
// add 40 d^10 = 39.08555.
TEST(DecayedUsage, DecaysBySeconds) {
  DecayedUsage usage(2, 300);
  EXPECT_DOUBLE_EQ(usage.per_second(), 0.99769);
  usage.charge(0, 100, 1);
  usage.decay(9);
  EXPECT_NEAR(usage.values()[0], 97.71387, 1e-5);
  usage.charge(1, 4, 10);
  EXPECT_NEAR(usage.values()[1], 39.08555, 1e-5);
  usage.charge(1, 4, 0);
  EXPECT_NEAR(usage.values()[1], 39.08555, 1e-5);
}

TEST(DecayedUsage, CanLastForEverOrNoTime) {
  DecayedUsage kept(1, 0);
  kept.charge(0, 2, 50);
  kept.decay(1000000);
  EXPECT_EQ(kept.values()[0], 100);
  EXPECT_EQ(DecayedUsage(1, 0.5).per_second(), 0);
}

// Only whole seconds count: from the third second to the 30th.
TEST(JobPriority, AgeIsThePartOfTheLargestAge) {
  EXPECT_EQ(age_factor(emu_seconds(3.9), emu_seconds(30.2), emu_seconds(100)), 0.27);
  EXPECT_EQ(age_factor(emu_seconds(3), emu_seconds(300), emu_seconds(100)), 1);
  EXPECT_EQ(age_factor(emu_seconds(30), emu_seconds(20), emu_seconds(100)), 0);
}

TEST(JobPriority, SizeIsThePartOfTheClusterOrTheRest) {
  EXPECT_EQ(size_factor({20, 1}, {80, 4}, FavorSize::kLarge), 0.25);
  EXPECT_EQ(size_factor({80, 4}, {80, 4}, FavorSize::kLarge), 1);
  EXPECT_EQ(size_factor({20, 1}, {80, 4}, FavorSize::kSmall), 0.75);
  EXPECT_EQ(size_factor({80, 4}, {80, 4}, FavorSize::kSmall), 0);
}

TEST(JobPriority, TheSumIsCutOnce) {
  EXPECT_EQ(priority_of({0.6, 0.6, 100}), 101);
  EXPECT_EQ(priority_of({100.9, -50}), 50);
  EXPECT_EQ(priority_of({100.9, -500}), 1);
  EXPECT_EQ(priority_of({}), 1);
}

}  // namespace heddle::fair_share_test
