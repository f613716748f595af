#include "core/model/cpu_share.h"

#include <gtest/gtest.h>

#include <cmath>
#include <sstream>
#include <string>
#include <utility>
#include <vector>

#include "tests/support/messages.h"

namespace heddle::cpu_share_test {

CpuClaim claim(std::int64_t millicores, int runnable, bool suspended = false) {
  return {Millicores(millicores), runnable, suspended};
}

/// Reads claims such as "1x4, 0.5x1 suspended".
std::vector<CpuClaim> claims_of(const std::string& text) {
  std::vector<CpuClaim> claims;
  std::istringstream in(text);
  for (std::string words; std::getline(in, words, ',');) {
    double cores = 0;
    char times = 0;
    CpuClaim& claim = claims.emplace_back();
    std::istringstream(words) >> cores >> times >> claim.runnable;
    claim.allocated = Millicores(std::llround(cores * 1000));
    claim.suspended = words.ends_with(" suspended");
    claim.capped = words.ends_with(" command");
  }
  return claims;
}

TEST(CpuShare, Table) {
  tests::expect_messages("core/cpu_share.yaml", "shares", [](const std::vector<std::string>& row) {
    const CpuLimit limit = row.at(0) == "strict" ? CpuLimit::kStrict : CpuLimit::kShares;
    const Millicores cores(std::llround(std::stod(row.at(1)) * 1000));
    std::ostringstream text;
    text.precision(12);
    for (const CpuShare& share :
         share_cpu(claims_of(row.at(3)), cores, std::stod(row.at(2)), limit))
      text << (text.tellp() > 0 ? " " : "") << share.per_thread << (share.contended ? "*" : "");
    return text.str();
  });
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
