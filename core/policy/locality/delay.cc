#include "core/policy/locality/delay.h"

namespace heddle {
namespace {

enum class Delays { kNone, kMapReduce, kSpark, kBoth };

constexpr WordOption<Delays> kDelay(
    {.name = "delay",
     .words = {"none", "mapreduce", "spark", "both"},
     .by_default = "none",
     .help = "frameworks whose jobs wait for a node near their data (delay scheduling)"});
constexpr CountOption kNodeDelay(
    {.name = "node_delay",
     .least = 0,
     .most = 1e6,
     .unit = "opportunities",
     .by_default = "40",
     .help =
         "opportunities that a job lets pass before it accepts a node in the rack of its data"});
constexpr CountOption kRackDelay(
    {.name = "rack_delay",
     .least = 0,
     .most = 1e6,
     .unit = "opportunities",
     .by_default = "40",
     .help = "further opportunities that a job lets pass before it accepts any node"});

}  // namespace

constinit const PartText kDelayScheduling{
    .name = "delay scheduling",
    .summary = "jobs wait for a node near their data",
    .good_at = "short tasks with replicated data.",
    .bad_at = "long tasks, because the preferred nodes do not come free within the delay.",
    .source =
        "Zaharia et al., \"Delay Scheduling\", EuroSys 2010; Hadoop, node-locality-delay and "
        "rack-locality-additional-delay",
    .options = {&kDelay, &kNodeDelay, &kRackDelay}};

bool delays_spark(const PolicySpec& policy) {
  const Delays who = value(policy, kDelay);
  return who == Delays::kSpark || who == Delays::kBoth;
}

Delay::Delay(const ClusterSpec& cluster, const PolicySpec& policy) : cluster_(cluster) {
  const Delays who = value(policy, kDelay);
  mapreduce_ = who == Delays::kMapReduce || who == Delays::kBoth;
  spark_ = delays_spark(policy);
  node_delay_ = value(policy, kNodeDelay);
  rack_delay_ = value(policy, kRackDelay);
}

void Delay::refresh(const View& view) {
  for (JobId id : view.changed_jobs)
    if (view.cluster.job(id).finished()) missed_.erase(id);
}

std::optional<obstacle::LocalityDelay> Delay::waits(const Request& request, NodeId node,
                                                    const Draft& draft) const {
  const JobSpec& job = draft.job(request.phase);
  if (!(job.framework == Framework::kSpark ? spark_ : mapreduce_)) return std::nullopt;
  const Locality level = draft.locality(request, node);
  if (level == Locality::kAny || level == Locality::kLocal) return std::nullopt;
  const int patience = node_delay_ + (level == Locality::kRemote ? rack_delay_ : 0);
  const auto it = missed_.find(request.phase.job);
  const Missed missed = it == missed_.end() ? Missed{} : it->second;
  if (missed.opportunities - (counted(missed, node, draft) ? 1 : 0) >= patience)
    return std::nullopt;
  return obstacle::LocalityDelay{node, missed.opportunities, patience};
}

void Delay::let_pass(const Request& request, NodeId node, Draft& draft) {
  Missed& missed = missed_[request.phase.job];
  if (counted(missed, node, draft)) return;
  ++missed.opportunities;
  missed.last = node;
  missed.at = draft.view().now;
  draft.remember();
  // If decisions do not wait for reports, the next opportunity comes after one heartbeat period.
  // Without this wake, jobs would wait forever on an idle cluster.
  if (draft.view().anywhere && wake_ <= missed.at) {
    wake_ = missed.at + cluster_.heartbeat;
    draft.wake_at(wake_, "another opportunity");
  }
}

}  // namespace heddle
