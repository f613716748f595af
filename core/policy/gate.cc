#include "core/policy/gate.h"

#include "core/policy/placement/first_fit.h"
#include "core/policy/reduces/early_start.h"

namespace heddle {

constinit const PartText kMasterShare{
    .name = "application masters",
    .summary = "masters together hold at most a share of the cluster",
    .source = "Hadoop YARN, CapacityScheduler, maximum-am-resource-percent",
    .options = {&kMaxAmShare}};

namespace gate {
namespace {

using Parts = Gates::Parts;

// Gates of requests ------------------------------------------------------------------------------

/// The scheduler has a limit or a plan for the request.
std::optional<Refusal> scheduler(const Parts& parts, const Request& request, const Draft& draft) {
  return parts.scheduler.gate(draft, request);
}

/// The user has as many jobs of this quality of service, or the array as many tasks, as are allowed
/// to run.
std::optional<Refusal> job_limits(const Parts& parts, const Request& request, const Draft&) {
  return parts.limits.refusal(request.phase.job);
}

/// Application masters would hold more than their share. One of them is always allowed to run.
std::optional<Refusal> masters(const Parts& parts, const Request& request, const Draft& draft) {
  const Resources held = draft.am_allocated();
  if (request.kind != PhaseKind::kAm || held == Resources{}) return std::nullopt;
  const Resources& total = draft.view().cluster.total();
  if (parts.scheduler.master_share(held + request.resources, total) <= parts.max_am_share + 1e-9)
    return std::nullopt;
  return obstacle::MasterShare{parts.scheduler.master_share(held, total), parts.max_am_share};
}

/// The cluster as a whole has too little left of a resource.
std::optional<Refusal> cluster_wide(const Parts& parts, const Request& request,
                                    const Draft& draft) {
  if (!parts.cluster_wide || request.resources.counts.none()) return std::nullopt;
  const Resources free = draft.total_free();
  for (std::size_t i = 0; i < parts.counted.size(); ++i) {
    if (parts.counted[i].scope != CountScope::kCluster) continue;
    const Thousandths asked =
        request.resources.counts[i] * (request.gang ? std::max(draft.pending(request), 1) : 1);
    if (asked > free.counts[i]) return obstacle::ClusterWide{i, asked, free.counts[i]};
  }
  return std::nullopt;
}

/// YARN's ramp allows no further early reduce.
std::optional<Refusal> ramp(const Parts& parts, const Request& request, const Draft& draft) {
  if (!request.early) return std::nullopt;
  const Ramp ramp = ramp_of(draft, request, parts.ramp_limit);
  if (ramp_allows(ramp, request.resources)) return std::nullopt;
  return obstacle::Ramp{ramp.completed, ramp.of};
}

constexpr std::optional<Refusal> (*kOfRequests[])(const Parts&, const Request&, const Draft&) = {
    &job_limits,    //
    &scheduler,     //
    &masters,       //
    &cluster_wide,  //
    &ramp,          //
};

// Gates of nodes ---------------------------------------------------------------------------------

const Node& node_of(const Spot& spot) { return spot.draft.view().cluster.node(spot.node); }

/// Returns what a smaller map than requested can get beside its data.
std::optional<Portion> shrunk(const Spot& spot) {
  if (!spot.locality) return std::nullopt;
  return spot.locality->portion(spot.request, spot.node, spot.draft);
}

bool labels(Spot& spot) {
  const Where& where = spot.draft.where(spot.request.phase);
  return where.empty() || meets(where, node_of(spot).spec->labels);
}

bool large_enough(Spot& spot) {
  return spot.request.resources.fits_in(node_of(spot).spec->allowance) || shrunk(spot);
}

bool alive(Spot& spot) { return node_of(spot).alive; }

bool room(Spot& spot) {
  const Resources& wanted = spot.request.resources;
  const std::optional<Portion> smaller = shrunk(spot);
  spot.portion = smaller.value_or(Portion{wanted, 1});
  return smaller || wanted.fits_in(spot.draft.free(spot.node));
}

bool not_reserved(Spot& spot) { return !spot.draft.held_by_other(spot.node, spot.request.phase); }

/// The site has not reserved the node for others, now or before the job would end.
bool not_for_others(Spot& spot) {
  const View& view = spot.draft.view();
  return !view.cluster.reserved_for_others(spot.request.phase.job, spot.node, view.now);
}

struct NodeGate {
  NotHere refusal;
  bool (*passes)(Spot&);
  bool fixed = false;  ///< what runs does not change the answer for a request and a node
};
constexpr NodeGate kOfNodes[] = {
    {NotHere::kTooSmall, &labels, true},
    {NotHere::kTooSmall, &large_enough, true},
    {NotHere::kLost, &alive},
    {NotHere::kNoRoom, &room},
    {NotHere::kReserved, &not_reserved},
    {NotHere::kAdvance, &not_for_others, true},
};

}  // namespace
}  // namespace gate

bool says_full(const Refusal& refusal) {
  const auto* limit = std::get_if<obstacle::Limit>(&refusal);
  return limit && limit->of == obstacle::Limit::Of::kQueue && limit->most >= 1;
}

std::string_view option_of(const Refusal& refusal) {
  if (const auto* here = std::get_if<NotHere>(&refusal))
    return *here == NotHere::kReserved ? kReserve.name : "";
  if (std::holds_alternative<obstacle::Ramp>(refusal)) return kReduceRampLimit.name;
  if (std::holds_alternative<obstacle::BetterNodes>(refusal)) return kNodeOrder.name;
  if (std::holds_alternative<obstacle::MasterShare>(refusal)) return kMaxAmShare.name;
  if (std::holds_alternative<obstacle::LocalityDelay>(refusal))
    return (*kDelayScheduling.options.begin())->name;
  return "";
}

std::optional<NotHere> refused(Spot& spot) {
  for (const auto& [refusal, passes, fixed] : gate::kOfNodes)
    if (!passes(spot)) return refusal;
  return std::nullopt;
}

bool could_take(const Request& request, NodeId node, const Draft& draft) {
  Spot spot{request, node, draft};
  return std::all_of(std::begin(gate::kOfNodes), std::end(gate::kOfNodes),
                     [&](const auto& one) { return !one.fixed || one.passes(spot); });
}

Gates::Gates(const Scenario& scenario, const Scheduler& scheduler, const JobLimits& limits,
             const LocalityRule* locality, const Delay& delay)
    : parts_{scheduler,
             limits,
             value(scenario.policy, kMaxAmShare),
             value(scenario.policy, kReduceRampLimit),
             scenario.cluster.resources,
             any_cluster_wide(scenario.cluster.resources)},
      locality_(locality),
      delay_(delay) {}

std::optional<Refusal> Gates::of_request(const Request& request, const Draft& draft) const {
  std::optional<Refusal> full;
  for (const auto ask : gate::kOfRequests) {
    std::optional<Refusal> refusal = ask(parts_, request, draft);
    if (refusal && !says_full(*refusal)) return refusal;
    if (refusal) full = refusal;
  }
  return full;
}

std::optional<Refusal> Gates::patience(const Request& request, NodeId node,
                                       const Draft& draft) const {
  const auto waits = delay_.waits(request, node, draft);
  return waits ? std::optional<Refusal>(*waits) : std::nullopt;
}

/// A policy without the placement loop is asked only for what the engine demands of it.
std::vector<Obstacle> Policy::obstacles(const View& view, JobId job) const {
  FreeNodeIndex nothing_withheld(view.cluster.nodes().size());
  const Draft draft(view, nothing_withheld);
  return obstacles_of(view, job, [&](const Request& request) -> Obstacle::What {
    int places = 0;  // for the request's containers, on the nodes with room
    Room room = room_for(draft, request, [&](NodeId node) {
      Spot spot{request, node, draft};
      const std::optional<NotHere> refusal = refused(spot);
      Resources free = draft.free(node);
      for (; !refusal && request.resources.fits_in(free); free -= request.resources)
        if (++places >= request.pending) break;
      return refusal;
    });
    if (room.own.empty() && room.open.empty()) return std::move(room.none);
    if (request.gang && places < request.pending) {
      const auto at = [&](NodeId node) {
        Spot spot{request, node, draft};
        return refused(spot);
      };
      return obstacle::Gang{places, request.pending, {},
                            {},     room.reserved,   holders_for_gang(draft, request, at)};
    }
    return obstacle::NextReport{room.own.empty() ? room.open.front() : room.own.front()};
  });
}

}  // namespace heddle
