#include "core/model/cpu_share.h"

#include <gtest/gtest.h>

#include <string>
#include <utility>

namespace heddle::cpu_share_test {

struct Case {
  std::string name;
  std::vector<CpuClaim> claims;
  std::int64_t cores;  // the node's, in millicores
  double speed;
  CpuLimit limit;
  std::vector<CpuShare> shares;
};

constexpr bool kContended = true;
constexpr bool kFree = false;
constexpr bool kSuspended = true;

CpuClaim claim(std::int64_t millicores, int runnable, bool suspended = false) {
  return {Millicores(millicores), runnable, suspended};
}

const std::vector<Case>& cases() {
  constexpr auto kStrict = CpuLimit::kStrict;
  constexpr auto kShares = CpuLimit::kShares;
  static const std::vector<Case> table = {
      {"nobody", {}, 4000, 1.0, kStrict, {}},

      // The command has a thread but gets half a core of the two. The other's two threads get 1.5.
      {"shares: a capped claim takes no more than its cores",
       {{Millicores(500), 1, false, true}, claim(1000, 2)},
       2000,
       1.0,
       CpuLimit::kShares,
       {{0.5, kFree}, {0.75, kContended}}},

      // strict ---------------------------------------------------------------------------------
      {"strict: a lone thread gets a core of the four",
       {claim(1000, 1)},
       4000,
       1.0,
       kStrict,
       {{1.0, kFree}}},
      {"strict: four on four cores are not in each other's way",
       {claim(1000, 1), claim(1000, 1), claim(1000, 1), claim(1000, 1)},
       4000,
       1.0,
       kStrict,
       {{1.0, kFree}, {1.0, kFree}, {1.0, kFree}, {1.0, kFree}}},
      // 4 threads share the 2 allocated cores, 2/4 each. The node has 8, but the limit is strict.
      {"strict: more threads than allocated cores",
       {claim(2000, 4)},
       8000,
       1.0,
       kStrict,
       {{0.5, kFree}}},
      // A thread can't use two cores.
      {"strict: fewer threads than allocated cores",
       {claim(2000, 1)},
       8000,
       1.0,
       kStrict,
       {{1.0, kFree}}},
      {"strict: half a core", {claim(500, 1)}, 4000, 1.0, kStrict, {{0.5, kFree}}},
      // 8 x 1 core are wanted of 4. The weights are equal, so each gets 4/8.
      {"strict: over-committed node", std::vector<CpuClaim>(8, claim(1000, 1)), 4000, 1.0, kStrict,
       std::vector<CpuShare>(8, CpuShare{0.5, kContended})},
      // 1 + 3 + 2 = 6 cores are wanted of 4. Each weight gets 4/6: 2/3, 2 and 4/3 cores. Each of
      // the second's 3 threads gets 2/3, and so does each of the third's 2.
      {"strict: over-committed, unequal",
       {claim(1000, 1), claim(3000, 3), claim(2000, 2)},
       4000,
       1.0,
       kStrict,
       {{4.0 / 6, kContended}, {2.0 / 3, kContended}, {(8.0 / 6) / 2, kContended}}},
      // The first has 3 cores allocated but only one thread, so it takes 1 of its 4 * 3/6 = 2. The
      // other 3 cores go to weights 2 and 1, which can use all of them.
      {"strict: what one can't use the others get",
       {claim(3000, 1), claim(2000, 2), claim(1000, 1)},
       4000,
       1.0,
       kStrict,
       {{1.0, kFree}, {1.0, kFree}, {1.0, kFree}}},
      {"strict: an idle container takes nothing",
       {claim(3000, 0), claim(3000, 3)},
       4000,
       1.0,
       kStrict,
       {{0.0, kFree}, {1.0, kFree}}},
      // The resumed containers over-commit the node (6 of 4). The suspended one leaves room for
      // both.
      {"strict: suspended leaves room",
       {claim(2000, 2, kSuspended), claim(2000, 2), claim(2000, 2)},
       4000,
       1.0,
       kStrict,
       {{0.0, kContended}, {1.0, kFree}, {1.0, kFree}}},
      {"strict: suspended and idle waits for nothing",
       {claim(1000, 0, kSuspended)},
       4000,
       1.0,
       kStrict,
       {{0.0, kFree}}},
      {"strict: no allocated cores, no CPU", {claim(0, 1)}, 4000, 1.0, kStrict, {{0.0, kFree}}},

      // shares ---------------------------------------------------------------------------------
      // The limit is its threads, not its one allocated core.
      {"shares: alone", {claim(1000, 3)}, 4000, 1.0, kShares, {{1.0, kFree}}},
      // 8 threads on 4 cores get 4/8 each, because the node is too small.
      {"shares: alone with more threads than cores",
       {claim(1000, 8)},
       4000,
       1.0,
       kShares,
       {{0.5, kContended}}},
      // Weights 1:3 on 4 cores give 1 and 3 cores, over 4 threads each.
      {"shares: 1:3, four threads each",
       {claim(1000, 4), claim(3000, 4)},
       4000,
       1.0,
       kShares,
       {{0.25, kContended}, {0.75, kContended}}},
      // There are eight claims of one thread, four of weight 1 and four of 3, on 4 cores: 4/16 per
      // weight.
      {"shares: 1:3, eight single threads",
       {claim(1000, 1), claim(3000, 1), claim(1000, 1), claim(3000, 1), claim(1000, 1),
        claim(3000, 1), claim(1000, 1), claim(3000, 1)},
       4000,
       1.0,
       kShares,
       {{0.25, kContended},
        {0.75, kContended},
        {0.25, kContended},
        {0.75, kContended},
        {0.25, kContended},
        {0.75, kContended},
        {0.25, kContended},
        {0.75, kContended}}},
      // The heavy claim would get 4 * 3/4 = 3 cores, but its 2 threads use only 2. The other 2
      // cores go to the light claim's 4 threads.
      {"shares: heavy but few threads",
       {claim(1000, 4), claim(3000, 2)},
       4000,
       1.0,
       kShares,
       {{0.5, kContended}, {1.0, kFree}}},
      // Two rounds: weights 4, 2, 1 on 7 cores would get 4, 2, 1. The first takes 1, which leaves
      // 6, so 4 and 2, for weights 2:1. The second takes 1, which leaves 5 for the third's 8
      // threads.
      {"shares: water rises twice",
       {claim(4000, 1), claim(2000, 1), claim(1000, 8)},
       7000,
       1.0,
       kShares,
       {{1.0, kFree}, {1.0, kFree}, {0.625, kContended}}},
      {"shares: suspended leaves room",
       {claim(1000, 4), claim(3000, 4, kSuspended)},
       4000,
       1.0,
       kShares,
       {{1.0, kFree}, {0.0, kContended}}},
      // A claim of 0 millicores counts as one: against 999, it gets 1/1000 of the core.
      {"shares: no allocated cores",
       {claim(0, 1), claim(999, 1)},
       1000,
       1.0,
       kShares,
       {{0.001, kContended}, {0.999, kContended}}},

      // speed ----------------------------------------------------------------------------------
      // A core of speed 0.5 gives half a core-second per second, which is the full rate there.
      {"speed 0.5: lone", {claim(1000, 1)}, 4000, 0.5, kStrict, {{0.5, kFree}}},
      {"speed 0.5: over-committed", std::vector<CpuClaim>(8, claim(1000, 1)), 4000, 0.5, kStrict,
       std::vector<CpuShare>(8, CpuShare{0.25, kContended})},
      {"speed 2: 1:3",
       {claim(1000, 4), claim(3000, 4)},
       4000,
       2.0,
       kShares,
       {{0.5, kContended}, {1.5, kContended}}},
  };
  return table;
}

TEST(CpuShare, Table) {
  for (const Case& c : cases()) {
    const CpuShares shares = share_cpu(c.claims, Millicores(c.cores), c.speed, c.limit);
    ASSERT_EQ(shares.size(), c.shares.size()) << c.name;
    for (std::size_t i = 0; i < shares.size(); ++i) {
      EXPECT_DOUBLE_EQ(shares[i].per_thread, c.shares[i].per_thread) << c.name << ", claim " << i;
      EXPECT_EQ(shares[i].contended, c.shares[i].contended) << c.name << ", claim " << i;
    }
  }
}

/// For every mix of small claims: the node gives out no more than it has, no thread gets more than
/// a core, nothing is left over while a claim could use it, and reversing the claims changes
/// nothing.
TEST(CpuShare, KeepsItsPromisesOnEveryMix) {
  for (int mix = 0; mix < 5 * 5 * 5 * 4 * 2; ++mix) {
    int digits = mix;
    auto next = [&](int base) { return std::exchange(digits, digits / base) % base; };
    std::vector<CpuClaim> claims = {claim(500, next(5)), claim(1000, next(5)),
                                    claim(3000, next(5), mix % 7 == 0)};
    Millicores cores(700 + 1300 * next(4));
    CpuLimit limit = next(2) == 0 ? CpuLimit::kStrict : CpuLimit::kShares;
    const CpuShares shares = share_cpu(claims, cores, 1.0, limit);

    double given = 0;
    bool someone_waits = false;
    for (std::size_t i = 0; i < claims.size(); ++i) {
      double total = shares[i].per_thread * claims[i].runnable;
      given += total;
      EXPECT_LE(shares[i].per_thread, 1.0);
      if (limit == CpuLimit::kStrict) {
        EXPECT_LE(total, static_cast<double>(claims[i].allocated.count()) / 1e3 + 1e-12);
      }
      if (shares[i].contended && !claims[i].suspended) someone_waits = true;
    }
    double room = static_cast<double>(cores.count()) / 1e3;
    EXPECT_LE(given, room + 1e-12) << mix;
    if (someone_waits) {
      EXPECT_NEAR(given, room, 1e-12) << mix;
    }

    std::vector<CpuClaim> reversed(claims.rbegin(), claims.rend());
    const CpuShares backwards = share_cpu(reversed, cores, 1.0, limit);
    EXPECT_EQ(shares, CpuShares(backwards.rbegin(), backwards.rend())) << mix;
  }
}

}  // namespace heddle::cpu_share_test
