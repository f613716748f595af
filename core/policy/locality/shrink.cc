#include "core/policy/locality/shrink.h"

#include <cmath>

#include "core/scenario/fidelity_limits.h"
#include "core/scenario/fit.h"

namespace heddle {
namespace {

/// Returns the share of `whole`, rounded up. Subtracts a tiny amount before rounding, because mu is
/// a quotient and has a rounding error.
std::int64_t share_up(double share, std::int64_t whole) {
  return static_cast<std::int64_t>(std::ceil(share * static_cast<double>(whole) * (1 - 1e-12)));
}

/// iKayak's locality coordination (`locality: shrink`; docs/reference/policies.md, Algorithm 3).
/// Maps whose data is on a node get smaller containers there, so that more of them run beside their
/// data.
///
/// Let R be free on a node, and let P pending maps of a request have their data there. Each map
/// requests D. If the maps do not all fit in full, k of them are launched together with min(D, R /
/// k) each. k is the largest number for which each map still gets at least mu D of every resource.
/// mu is a share of the launches before this step. Only launches of tasks that have data on some
/// node count, and mu is the share of them that were on a node with the data. While most tasks are
/// launched beside their data, hardly any map is shrunk.
///
/// No container is made smaller than smallest_container().
class Shrink : public LocalityRule {
 public:
  /// The scenario must outlive this object.
  explicit Shrink(const Scenario& scenario) : scenario_(scenario) {}

  /// Returns nullopt in these cases:
  /// - The request is not for maps, or is for a gang.
  /// - No map has its data on the node.
  /// - All maps that have their data there fit in full.
  /// - k is 0.
  std::optional<Portion> portion(const Request& request, NodeId node,
                                 const Draft& draft) const override {
    if (request.kind != PhaseKind::kMap || request.gang) return std::nullopt;
    const Resources lowest = least(request.resources);
    const Resources free = draft.free(node);
    if (!lowest.fits_in(free)) return std::nullopt;
    // Count only as many maps as can be launched.
    const int most = static_cast<int>(std::min<std::int64_t>(times(lowest, free), request.pending));
    const int local = draft.local_tasks(request, node, most + 1);
    if (local <= times(request.resources, free)) return std::nullopt;
    return shrunk(free, request.resources, lowest, local);
  }

  Resources least(const Resources& wanted) const override {
    const std::int64_t all = local_ + elsewhere_;
    const double mu = all == 0 ? 1 : share_of(local_, all);
    return max(smallest_container(scenario_, wanted),
               combined(wanted, {},
                        [mu](std::int64_t whole, std::int64_t) { return share_up(mu, whole); }));
  }

  void settle(const Draft& draft) override {
    local_ += draft.launches_by_data().local;
    elsewhere_ += draft.launches_by_data().elsewhere;
  }

 private:
  const Scenario& scenario_;
  std::int64_t local_ = 0, elsewhere_ = 0;  ///< launches before this step
};

}  // namespace

constinit const LocalityPart kShrinkMaps{
    {.name = "shrink",
     .summary = "maps shrink to fit beside their data (iKayak's Algorithm 3)",
     .good_at = "short maps, inputs with few replicas, busy nodes.",
     .bad_at = "maps that use all their cores, if reading the data over the network would have "
               "cost less time than shrinking.",
     .source =
         "Cheng et al., \"Cross-platform Resource Scheduling for Spark and MapReduce on YARN\", "
         "IEEE TC 2017, Algorithm 3"},
    &make_part<LocalityRule, Shrink>};

std::optional<Portion> shrunk(const Resources& free, const Resources& wanted,
                              const Resources& least, int local) {
  const auto part = [&](int k) {
    return combined(free, {}, [k](std::int64_t all, std::int64_t) { return all / k; });
  };
  int k = local;
  while (k > 0 && !least.fits_in(part(k))) --k;
  if (k == 0) return std::nullopt;
  return Portion{min(wanted, part(k)), k};
}

}  // namespace heddle
