#include "core/policy/reduces/suspension.h"

#include <algorithm>
#include <cmath>
#include <map>
#include <optional>
#include <utility>

#include "core/policy/reduces/control_points.h"
#include "core/policy/reduces/framework_shares.h"
#include "core/scenario/quantity_text.h"

namespace heddle {
namespace {

/// Returns true if some task has no container, and the tasks of the phase cannot continue before
/// that task is complete.
bool lacks_containers(const Job& job, int phase) {
  const std::set<int> before = job.incomplete_before(phase);
  return std::any_of(before.begin(), before.end(), [&](int other) {
    return job.completed(other) + job.live(other) < job.spec().phases[other].tasks;
  });
}

bool is_starved(const Job& job, const Container& container) {
  const int phase = container.task.phase.phase;
  return job.spec().phases[phase].kind == PhaseKind::kReduce && container.waits &&
         !container.killed && container.state != ContainerState::kAllocated &&
         lacks_containers(job, phase);
}

constexpr NumberOption kSuspendPower(
    {.name = "suspend_power",
     .least = 0.01,
     .most = 100,
     .by_default = "1",
     .help = "power (v) in the length of a suspension, max(0, lambda^v - theta) T, where lambda is "
             "Spark's share of the allocation"});
constexpr NumberOption kSuspendThreshold(
    {.name = "suspend_threshold",
     .least = 0,
     .most = 1,
     .by_default = "0.15",
     .help =
         "threshold (theta) in the formula of suspend_power; stands for the cost of suspending"});
constexpr SecondsOption kSuspendCost(
    {.name = "suspend_cost",
     .least = 0,
     .most = 86400,
     .unit = "s",
     .by_default = "0",
     .help = "time for which a resumed reduce holds its cores but gets no CPU"});
enum class LambdaAt { kSubmission, kInterval };
constexpr WordOption<LambdaAt> kLambdaAt(
    {.name = "lambda_at",
     .words = {"submission", "interval"},
     .by_default = "submission",
     .help = "when lambda is computed: at control points and when a job is submitted or ends, or "
             "at control points only"});

/// iKayak's reduce adjustment (`reduce_adjustment: suspend`; docs/reference/policies.md). At each
/// control point (a multiple of control_interval), starved reduces are suspended for
/// suspend_span(). A reduce is starved if it runs and waits for map output, and some of its maps
/// have no container yet. A suspended reduce is resumed when that time has passed. It is resumed
/// earlier if its maps are complete. If it is still suspended and starved at a control point, it
/// stays suspended.
///
/// lambda = R_spark / (R_spark + R_mapreduce), or 0 if nothing was allocated. R of a framework is
/// the average share of the cluster that its jobs have held since the last control point
/// (FrameworkShares). Cores of suspended containers do not count. lambda is computed at each
/// control point. With `lambda_at: submission`, it is also computed when a job is submitted or
/// ends. A new value changes the end of all suspensions that have begun.
///
/// If a stop was refused, the reduce is not stopped again before the next control point. If a stop
/// is confirmed only after the time of the suspension has passed, the reduce is resumed at once.
/// Therefore no reduce stays stopped forever.
class Suspension : public ReduceAdjustment {
 public:
  /// The scenario must outlive this object.
  explicit Suspension(const Scenario& scenario)
      : scenario_(scenario),
        interval_(value(scenario.policy, kControlInterval)),
        power_(value(scenario.policy, kSuspendPower)),
        threshold_(value(scenario.policy, kSuspendThreshold)),
        at_submissions_(value(scenario.policy, kLambdaAt) == LambdaAt::kSubmission) {}

  void adjust(Draft& draft) override {
    const View& view = draft.view();
    given_.clear();
    const bool news = take_in_jobs(view);
    const bool control = control_ && view.now >= *control_;
    const bool changed = (control || (news && at_submissions_)) && compute_lambda(draft);
    if (control) shares_.begin_at(view.now);
    if (changed) move_ends();
    if (control) {
      control_.reset();
      // Keep this step in the journal, because a later step can find another state.
      draft.remember();
      suspend_starved(draft);
    }
    const bool due = wake_ && view.now >= *wake_;
    if (due) wake_.reset();
    if (control || changed || due) {
      for (auto it = stops_.begin(); it != stops_.end();) it = follow(it, draft);
    } else if (!stops_.empty()) {
      for (JobId job : view.changed_jobs)
        if (auto it = stops_.find(job); it != stops_.end()) follow(it, draft);
    }
    // If none of these is true, suspensions have only been removed since the last wake was
    // requested.
    ask_for_wakes(control || changed || due, draft);
  }

  std::vector<Favoured> favoured(NodeId node, const Draft& draft) const override {
    struct LetGo {
      Millicores cores{0};
      EmuTime since{INT64_MAX};
    };
    std::map<JobId, LetGo> jobs;
    if (stops_.empty()) return {};
    const ClusterState& cluster = draft.view().cluster;
    for (ContainerId id : cluster.node(node).containers) {
      const Container& container = *cluster.container(id);
      const auto stops = stops_.find(container.task.phase.job);
      if (stops == stops_.end()) continue;
      const auto stop = stops->second.find(id);
      if (stop == stops->second.end() || !stop->second.stopped || stop->second.resuming) continue;
      LetGo& let_go = jobs[stops->first];
      let_go.cores += container.resources.cores;
      let_go.since = std::min(let_go.since, *stop->second.stopped);
    }
    if (jobs.empty()) return {};
    for (ContainerId id : cluster.node(node).containers) {
      const Container& container = *cluster.container(id);
      const PhaseId phase = container.task.phase;
      const auto it = jobs.find(phase.job);
      if (it != jobs.end() && is_map(draft.job(phase).phases[phase.phase].kind) &&
          container.allocated_at >= it->second.since)
        it->second.cores -= container.resources.cores;
    }
    std::vector<Favoured> found;
    for (const auto& [job, let_go] : jobs) {
      const auto given = given_.find({node, job});
      const Millicores left =
          let_go.cores - (given == given_.end() ? Millicores(0) : given->second);
      if (left > Millicores(0)) found.push_back({job, left});
    }
    return found;
  }

  bool stopping(JobId job, EmuTime now) const override {
    const auto it = stops_.find(job);
    return it != stops_.end() &&
           std::any_of(it->second.begin(), it->second.end(), [now](const auto& stop) {
             return !stop.second.stopped && now < stop.second.until;
           });
  }

  std::set<NodeId> nodes() const override {
    std::set<NodeId> nodes;
    for (const auto& [job, stops] : stops_)
      for (const auto& [id, stop] : stops) nodes.insert(stop.node);
    return nodes;
  }

  void launched(const Request& request, std::optional<NodeId> node, const Resources& size,
                const Draft& draft) override {
    const JobId job = request.phase.job;
    shares_.add(job, scenario_.jobs[job.value].framework, size, draft.view().now);
    launched_.insert(job);
    if (node && is_map(request.kind) && stops_.contains(job)) given_[{*node, job}] += size.cores;
  }

 private:
  struct Stop {
    NodeId node;
    EmuTime since, until;            ///< begin and end of the suspension, as decided
    std::optional<EmuTime> stopped;  ///< when this object learned that the container has stopped
    bool resuming = false;
  };
  using Stops = std::map<ContainerId, Stop>;

  /// Takes in what jobs hold now. Returns true if a job was submitted or has ended.
  bool take_in_jobs(const View& view) {
    // If no reduce waited, no wake was requested for the last control point. The averages still
    // begin there.
    if (!control_)
      shares_.begin_at(EmuTime((view.now.count() - 1) / interval_.count() * interval_.count()));
    const auto take_in = [&](JobId id) {
      shares_.hold(id, scenario_.jobs[id.value].framework, view.cluster.holdings(id).allocated,
                   view.now);
    };
    // Read what these jobs hold again, because the engine can have refused a launch.
    for (JobId id : std::exchange(launched_, {})) take_in(id);
    bool news = false;
    for (JobId id : view.changed_jobs) {
      take_in(id);
      const Job& job = view.cluster.job(id);
      if (job.state() == JobState::kWaiting) continue;
      if (job.finished() && view.cluster.holdings(id).containers.empty()) {
        auto it = jobs_.find(id);
        if (it == jobs_.end()) continue;
        news |= !it->second;
        jobs_.erase(it);
        continue;
      }
      auto [it, fresh] = jobs_.try_emplace(id, job.finished());
      news |= fresh || std::exchange(it->second, job.finished()) != job.finished();
    }
    return news;
  }

  /// Computes lambda. Returns true if it has changed.
  bool compute_lambda(Draft& draft) {
    const View& view = draft.view();
    const FrameworkShares::Shares shares = shares_.at(view.now, view.cluster.total());
    if (shares.lambda() == lambda_) return false;
    lambda_ = shares.lambda();
    span_ = suspend_span(lambda_, power_, threshold_, interval_);
    draft.note({"ikayak.lambda",
                {{"lambda", lambda_},
                 {"spark", shares.spark},
                 {"mapreduce", shares.mapreduce},
                 {"suspend_s", to_seconds(span_)}}});
    return true;
  }

  void suspend_starved(Draft& draft) {
    if (span_ == EmuTime(0)) return;
    const ClusterState& cluster = draft.view().cluster;
    const EmuTime now = draft.view().now;
    for (JobId job : cluster.waiting_jobs())
      for (ContainerId id : cluster.holdings(job).containers) {
        const Container& container = *cluster.container(id);
        if (!is_starved(cluster.job(job), container)) continue;
        Stops& stops = stops_[job];
        const auto known = stops.find(id);
        if (container.state == ContainerState::kSuspended) {
          if (known == stops.end() || known->second.resuming) continue;
          known->second.since = now;
          known->second.until = now + span_;
          continue;
        }
        stops[id] = {container.node, now, now + span_, {}, false};
        draft.suspend(id, "starved: its maps wait for containers; for " + print_duration(span_));
      }
  }

  /// Sets the end of each suspension to its start plus the current span.
  void move_ends() {
    for (auto& [job, stops] : stops_)
      for (auto& [id, stop] : stops) stop.until = stop.since + span_;
  }

  /// Resumes those reduces of the job whose suspension has ended. Forgets reduces that have ended
  /// or run again. Returns the next job. Removes a job that has no stops left.
  std::map<JobId, Stops>::iterator follow(std::map<JobId, Stops>::iterator at, Draft& draft) {
    auto& [id, stops] = *at;
    const ClusterState& cluster = draft.view().cluster;
    const EmuTime now = draft.view().now;
    for (auto it = stops.begin(); it != stops.end();) {
      const Container* container = cluster.container(it->first);
      Stop& stop = it->second;
      const bool runs = container && container->state == ContainerState::kRunning;
      if (!container || container->killed || (runs && stop.stopped)) {
        it = stops.erase(it);
        continue;
      }
      ++it;
      if (runs) continue;  // the stop is not confirmed yet, or was refused
      if (!stop.stopped) stop.stopped = now;
      if (stop.resuming) continue;
      const bool fed =
          !container->waits || cluster.job(id).inputs_ready(container->task.phase.phase);
      if (!fed && now < stop.until) continue;
      stop.resuming = true;
      draft.resume(container->id, fed ? "its maps are complete" : "its time is over");
    }
    return stops.empty() ? stops_.erase(at) : std::next(at);
  }

  /// Requests the next wakes. `new_ends`: true if some suspension can end before the last requested
  /// wake.
  void ask_for_wakes(bool new_ends, Draft& draft) {
    const EmuTime now = draft.view().now;
    if (!control_ && !draft.view().cluster.waiting_jobs().empty()) {
      control_ = EmuTime((now.count() / interval_.count() + 1) * interval_.count());
      draft.wake_at(*control_, "control interval");
    }
    if (!new_ends) return;
    std::optional<EmuTime> end;
    for (const auto& [job, stops] : stops_)
      for (const auto& [id, stop] : stops)
        if (stop.until > now && (!end || stop.until < *end)) end = stop.until;
    if (!end || (wake_ && *wake_ <= *end)) return;
    wake_ = *end;
    draft.wake_at(*wake_, "a suspension ends");
  }

  const Scenario& scenario_;
  EmuTime interval_;
  double power_, threshold_;
  bool at_submissions_;
  std::map<JobId, bool> jobs_;  ///< jobs that can hold something; true if the job has ended
  FrameworkShares shares_;
  std::set<JobId> launched_;  ///< jobs with launches in the last step
  std::map<JobId, Stops> stops_;
  std::map<std::pair<NodeId, JobId>, Millicores> given_;  ///< cores given to maps in this step
  double lambda_ = 0;
  EmuTime span_{0};                 ///< length of suspensions for lambda_
  std::optional<EmuTime> control_;  ///< the control point for which a wake was requested
  std::optional<EmuTime> wake_;     ///< the end of a suspension for which a wake was requested
};

}  // namespace

constinit const ReducePart kSuspendReduces{
    {.name = "suspend",
     .summary = "starved reduces are suspended (iKayak)",
     .good_at = "mixed loads with reduces that wait long for maps.",
     .bad_at = "reduces whose bottleneck is fetching, because map output of that time is fetched "
               "later. A suspended reduce keeps its memory.",
     .source =
         "Cheng et al., \"Cross-platform Resource Scheduling for Spark and MapReduce on YARN\", "
         "IEEE TC 2017",
     .options = {&kControlInterval, &kSuspendPower, &kSuspendThreshold, &kSuspendCost, &kLambdaAt}},
    &make_part<ReduceAdjustment, Suspension>};

EmuTime suspend_span(double lambda, double power, double threshold, EmuTime interval) {
  const double part = std::max(0.0, std::pow(lambda, power) - threshold);
  return EmuTime(std::llround(part * static_cast<double>(interval.count())));
}

EmuTime suspend_cost(const PolicySpec& policy) { return value(policy, kSuspendCost); }

}  // namespace heddle
