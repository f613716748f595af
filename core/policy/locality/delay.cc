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
constexpr AutoSecondsOption kDelayTime(
    {.name = "delay_time",
     .least = 0,
     .most = 86400,
     .unit = "s",
     .words = {"none"},
     .by_default = "none",
     .help = "time without a launch after which a job accepts a node in the rack of its data, and "
             "after the same time again any node; none: opportunities are counted instead"});
enum class DelayReset { kLaunch, kNever };
constexpr WordOption<DelayReset> kDelayReset(
    {.name = "delay_reset",
     .words = {"launch", "never"},
     .by_default = "launch",
     .help = "whether a launch makes a job wait again, or a job waits only once: launch: a launch "
             "near the data or, with delay_time, any launch"});

}  // namespace

constinit const PartText kDelayScheduling{
    .name = "delay scheduling",
    .summary = "jobs wait for a node near their data",
    .good_at = "short tasks with replicated data.",
    .bad_at =
        "long tasks, because the preferred nodes do not come free within the delay. A job "
        "whose data is on few nodes: by default, each local launch makes it wait again, so it "
        "never leaves them.",
    .source =
        "Zaharia et al., \"Delay Scheduling\", EuroSys 2010; Hadoop, node-locality-delay and "
        "rack-locality-additional-delay; Spark, spark.locality.wait",
    .options = {&kDelay, &kNodeDelay, &kRackDelay, &kDelayTime, &kDelayReset}};

LocalityWait relaxed(LocalityWait wait, EmuTime delay, EmuTime now) {
  while (wait.level < Locality::kRemote && now - wait.since >= delay) {
    wait.level = wait.level == Locality::kLocal ? Locality::kRack : Locality::kRemote;
    wait.since += delay;
  }
  return wait;
}

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
  time_ = value(policy, kDelayTime);
  resets_ = value(policy, kDelayReset) == DelayReset::kLaunch;
}

void Delay::refresh(const View& view) {
  for (JobId id : view.changed_jobs) {
    const Job& job = view.cluster.job(id);
    if (job.finished()) {
      missed_.erase(id);
      waits_.erase(id);
    } else if (time_ && delays(job.spec())) {
      for (const Request* request : view.cluster.requests(id))
        if (request && job.has_places(request->phase.phase))
          waits_.try_emplace(id, LocalityWait{Locality::kLocal, view.now});
    }
  }
}

void Delay::launching(const Request& request, NodeId node, const Draft& draft) {
  if (!resets_) return;
  const Locality level = draft.locality(request, node);
  if (level == Locality::kLocal) missed_.erase(request.phase.job);
  if (const auto it = waits_.find(request.phase.job); it != waits_.end() && level != Locality::kAny)
    it->second = {level, draft.view().now};
}

std::optional<obstacle::LocalityDelay> Delay::waits_for_time(const Request& request, NodeId node,
                                                             Locality level, EmuTime now) const {
  const auto it = waits_.find(request.phase.job);
  const LocalityWait wait =
      relaxed(it == waits_.end() ? LocalityWait{Locality::kLocal, now} : it->second, *time_, now);
  if (level <= wait.level) return std::nullopt;
  const int steps = static_cast<int>(level) - static_cast<int>(wait.level);
  return obstacle::LocalityDelay{.node = node, .until = wait.since + *time_ * steps};
}

std::optional<obstacle::LocalityDelay> Delay::waits(const Request& request, NodeId node,
                                                    const Draft& draft) const {
  const JobSpec& job = draft.job(request.phase);
  if (!delays(job)) return std::nullopt;
  const Locality level = draft.locality(request, node);
  if (level == Locality::kAny || level == Locality::kLocal) return std::nullopt;
  if (time_) return waits_for_time(request, node, level, draft.view().now);
  const int patience = node_delay_ + (level == Locality::kRemote ? rack_delay_ : 0);
  const auto it = missed_.find(request.phase.job);
  const Missed missed = it == missed_.end() ? Missed{} : it->second;
  if (missed.opportunities - (counted(missed, node, draft) ? 1 : 0) >= patience)
    return std::nullopt;
  return obstacle::LocalityDelay{node, missed.opportunities, patience};
}

void Delay::let_pass(const Request& request, NodeId node, Draft& draft) {
  if (time_) {
    if (const auto waits = this->waits(request, node, draft))
      wake_at(*waits->until, "a job has waited for its data", draft);
    return;
  }
  Missed& missed = missed_[request.phase.job];
  if (counted(missed, node, draft)) return;
  ++missed.opportunities;
  missed.last = node;
  missed.at = draft.view().now;
  draft.remember();
  // If decisions do not wait for reports, the next opportunity comes after one heartbeat period.
  // Without this wake, jobs would wait forever on an idle cluster.
  if (draft.view().anywhere) wake_at(missed.at + cluster_.heartbeat, "another opportunity", draft);
}

void Delay::wake_at(EmuTime at, const char* reason, Draft& draft) {
  if (wake_ > draft.view().now && wake_ <= at) return;
  wake_ = at;
  draft.wake_at(at, reason);
}

}  // namespace heddle
