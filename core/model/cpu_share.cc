#include "core/model/cpu_share.h"

#include <algorithm>
#include <cstdint>

namespace heddle {
namespace {

/// The weight of a claim, and the maximum that it can take, in millicores.
struct Demand {
  std::size_t claim;
  std::int64_t most;
  std::int64_t weight;
};
using Demands = boost::container::small_vector<Demand, 16>;

std::int64_t most_of(const CpuClaim& claim, CpuLimit limit) {
  if (claim.suspended) return 0;
  std::int64_t threads = std::int64_t{claim.runnable} * 1000;
  return limit == CpuLimit::kStrict || claim.capped ? std::min(threads, claim.allocated.count())
                                                    : threads;
}

/// Returns the claims that can take CPU, in their order.
Demands demands_of(std::span<const CpuClaim> claims, CpuLimit limit) {
  Demands demands;
  demands.reserve(claims.size());
  for (std::size_t i = 0; i < claims.size(); ++i) {
    std::int64_t most = most_of(claims[i], limit);
    if (most == 0) continue;
    demands.push_back({i, most, std::max<std::int64_t>(1, claims[i].allocated.count())});
  }
  return demands;
}

/// Orders demands by most / weight. When the water rises, the first demands are full first.
void sort(Demands& demands) {
  std::sort(demands.begin(), demands.end(), [](const Demand& a, const Demand& b) {
    const std::int64_t left = a.most * b.weight, right = b.most * a.weight;
    return left != right ? left < right : a.claim < b.claim;
  });
}

}  // namespace

CpuShares share_cpu(std::span<const CpuClaim> claims, Millicores cores, double speed,
                    CpuLimit limit) {
  CpuShares shares(claims.size());
  Demands demands = demands_of(claims, limit);
  std::int64_t room = cores.count();
  std::int64_t weight = 0, sum = 0;
  for (const Demand& demand : demands) {
    weight += demand.weight;
    sum += demand.most;
  }
  const bool enough = sum <= room;  // then all demands are full, and their order does not matter
  if (!enough) sort(demands);

  for (const Demand& demand : demands) {
    // Demands are sorted by most / weight. If a demand is not full, all demands after it are not
    // full either.
    bool full = enough || demand.most * weight <= room * demand.weight;
    double millicores = static_cast<double>(demand.most);
    if (!full) {
      millicores = static_cast<double>(room * demand.weight) / static_cast<double>(weight);
    } else {
      room -= demand.most;
      weight -= demand.weight;
    }
    shares[demand.claim] = {millicores / 1e3 / claims[demand.claim].runnable * speed, !full};
  }
  for (std::size_t i = 0; i < claims.size(); ++i)
    if (claims[i].suspended && claims[i].runnable > 0) shares[i].contended = true;
  return shares;
}

}  // namespace heddle
