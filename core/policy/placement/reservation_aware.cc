#include "core/policy/placement/reservation_aware.h"

#include <algorithm>

#include "core/policy/placement/first_fit.h"
#include "core/scenario/quantity_text.h"

namespace heddle {

namespace {

constexpr NumberOption kReplaceMargin(
    {.name = "replace_margin",
     .least = 0,
     .most = 1,
     .by_default = "0.2",
     .help = "a reservation moves at a control point to a node where the wait is shorter by more "
             "than this share, or less of the request is missing by more than this share"});

}  // namespace

constinit const ExecutorPart kReservationAwarePart{
    {.name = "reservation-aware",
     .summary = "executors where room is expected soonest (iKayak's Algorithms 1 and 2)",
     .good_at = "executors much larger than tasks, on busy clusters. It shortens the time in which "
                "gathered resources lie idle.",
     .bad_at = "maps that are long, because their length is not known. It reserves nothing if "
               "executors fill the nodes.",
     .source =
         "Cheng et al., \"Cross-platform Resource Scheduling for Spark and MapReduce on YARN\", "
         "IEEE TC 2017, Algorithms 1 and 2",
     .options = {&kPredictor, &kPredictionNoise, &kControlInterval, &kReplaceMargin}},
    [](const Scenario& scenario) -> std::unique_ptr<ExecutorPlacement> {
      return std::make_unique<ReservationAware>(scenario, make_remaining_time(scenario));
    }};

ReservationAware::ReservationAware(const Scenario& scenario,
                                   std::unique_ptr<RemainingTime> remaining)
    : ClusterPlacement(scenario),
      remaining_(std::move(remaining)),
      margin_(value(scenario.policy, kReplaceMargin)) {}

bool ReservationAware::predict(NodeLoad& load, const Resources& wanted,
                               std::optional<EmuTime> sooner_than, const Draft& draft) {
  Resources room = most_room(load);
  for (HeldByReduce& reduce : load.reduces) {
    if (reduce.predicted_in != step()) {
      reduce.remaining = remaining_->of(*draft.view().cluster.container(reduce.id), draft.view());
      reduce.predicted_in = step();
    }
    if (!sooner_than || reduce.remaining < *sooner_than) continue;
    room -= reduce.held;
    if (!wanted.fits_in(room)) return false;
  }
  std::sort(load.reduces.begin(), load.reduces.end(), [](const auto& a, const auto& b) {
    return a.remaining != b.remaining ? a.remaining < b.remaining : a.id < b.id;
  });
  return true;
}

Resources ReservationAware::most_room(const NodeLoad& load) const {
  Resources room = load.free + load.maps;
  for (const HeldByReduce& reduce : load.reduces) room += reduce.held;
  return room;
}

std::optional<Chosen> ReservationAware::choose_now(const Request& request, const Nodes& candidates,
                                                   const Draft& draft) {
  const Resources& wanted = request.resources;
  const Resources& total = draft.view().cluster.total();
  const std::optional<Chosen> chosen = choose(loads(), candidates, wanted, total);
  // Remaining times decide only between nodes in step 3.
  if (!chosen || chosen->prospect.step < 3) return chosen;
  std::optional<Chosen> best;
  for (NodeId node : candidates) {
    NodeLoad& load = loads()[node.value];
    if (!load.open || !prospect(load, wanted, total)) continue;
    const auto sooner_than = best ? std::optional(best->prospect.wait) : std::nullopt;
    if (predict(load, wanted, sooner_than, draft))
      best = Chosen{node, *prospect(load, wanted, total)};
  }
  return best;
}

std::optional<Prospect> ReservationAware::prospect_of(NodeId node, const Request& request,
                                                      const Draft& draft) {
  NodeLoad& load = loads()[node.value];
  predict(load, request.resources, std::nullopt, draft);
  return prospect(load, request.resources, draft.view().cluster.total());
}

std::string ReservationAware::reason(const Chosen& chosen, const Resources& wanted) const {
  const NodeLoad& load = loads()[chosen.node.value];
  const Prospect& prospect = chosen.prospect;
  std::string text = "step " + std::to_string(prospect.step) + ": " + in_words(load.free) + " free";
  if (prospect.step == 1) return text;
  text += ", " + in_words(load.maps) + " held by maps, " + in_words(missing(wanted, load.free)) +
          " missing";
  if (prospect.step == 3)
    text += "; reduces to end: " + std::to_string(prospect.reduces) + ", expected in " +
            print_duration(prospect.wait);
  return text;
}

std::optional<ExecutorPlacement::Choice> ReservationAware::best_room(const Request& request,
                                                                     const Nodes& candidates,
                                                                     const Resources& total) const {
  const std::optional<Chosen> chosen = choose(loads(), candidates, request.resources, total);
  if (!chosen || chosen->prospect.step > 1) return std::nullopt;
  return Choice{chosen->node, reason(*chosen, request.resources)};
}

std::optional<ExecutorPlacement::Choice> ReservationAware::best_to_hold(const Request& request,
                                                                        const Nodes& candidates,
                                                                        const Draft& draft) {
  const std::optional<Chosen> chosen = choose_now(request, candidates, draft);
  if (!chosen) return std::nullopt;
  return Choice{chosen->node, reason(*chosen, request.resources)};
}

std::optional<ExecutorPlacement::Choice> ReservationAware::better_than(NodeId held,
                                                                       const Request& request,
                                                                       const Nodes& candidates,
                                                                       const Draft& draft) {
  const std::optional<Prospect> now = prospect_of(held, request, draft);
  const std::optional<Chosen> other = choose_now(request, candidates, draft);
  if (!other || (now && !better_by(margin_, *now, other->prospect))) return std::nullopt;
  return Choice{other->node, reason(*other, request.resources)};
}

std::optional<EmuTime> ReservationAware::wait_on(NodeId node, const Request& request,
                                                 const Draft& draft) {
  const std::optional<Prospect> now = prospect_of(node, request, draft);
  if (!now || now->step < 3) return std::nullopt;
  return now->wait;
}

}  // namespace heddle
