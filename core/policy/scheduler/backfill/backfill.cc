#include <algorithm>
#include <set>
#include <utility>

#include "core/policy/base/request_order.h"
#include "core/policy/scheduler/backfill/plan.h"
#include "core/policy/scheduler/schedulers.h"

namespace heddle {
namespace {

enum class Backfill { kMachines, kCount };
constexpr WordOption<Backfill> kBackfill(
    {.name = "backfill",
     .words = {"machines", "count"},
     .by_default = "machines",
     .help = "what reservations keep free: definite nodes, or only enough nodes"});
enum class BackfillOrder { kFcfs, kSjf };
constexpr WordOption<BackfillOrder> kBackfillOrder(
    {.name = "backfill_order",
     .words = {"fcfs", "sjf"},
     .by_default = "fcfs",
     .help = "order of the jobs after the first: by submission, or the shortest walltime first"});

constexpr SecondsOption kBackfillResolution(
    {.name = "backfill_resolution",
     .least = 0,
     .most = 3600,
     .unit = "s",
     .by_default = "0",
     .help = "plans round times down to a multiple of this, so that jobs that fit only just are "
             "backfilled although real starts are some milliseconds late; 0: exact"});

/// Backfilling over walltimes, for rigid jobs (JobSpec::rigid). After each change, the scheduler
/// makes a new plan of all waiting jobs (plan.h). The order of waiting jobs is (submit, id); their
/// priority does not count. The loop launches a failed task again on its own, as soon as the task
/// fits a node.
template <bool kConservative>
class Backfilling : public Scheduler {
 public:
  explicit Backfilling(const Scenario& scenario)
      : rules_{kConservative, value(scenario.policy, kBackfill) == Backfill::kMachines},
        shortest_first_(value(scenario.policy, kBackfillOrder) == BackfillOrder::kSjf),
        resolution_(value(scenario.policy, kBackfillResolution)) {}

  void refresh(Draft& draft) override {
    const View& view = draft.view();
    for (JobId job : view.changed_jobs) {
      const auto key = std::pair(view.cluster.job(job).spec().submit, job);
      if (gang_of(view.cluster, job) != nullptr)
        waiting_.insert(key);
      else
        waiting_.erase(key);
      order_.put(draft, job, 0);
    }
  }

  void in_order(const Round& round, const Visit& visit) override {
    order_.in_order(round, [&](const Request& request) { return request.gang || visit(request); });
  }
  void launched(const Draft& draft, const Request& request) override {
    order_.put(draft, request.phase.job, 0);
  }

  std::vector<const Request*> place_gangs(Draft& draft) override {
    if (!has_news(draft.view())) return {};
    const Plan plan = make_plan(draft);
    std::vector<const Request*> placed;
    for (std::size_t i = 0; i < plan.jobs.size(); ++i) {
      for (std::size_t node : plan.of[i].nodes)
        draft.launch(*plan.jobs[i], plan.nodes[node], i == 0 ? "first in order" : "backfilled");
      if (!plan.of[i].nodes.empty()) placed.push_back(plan.jobs[i]);
    }
    return placed;
  }

  std::optional<Refusal> gate(const Draft& draft, const Request& request) const override {
    if (!request.gang) return std::nullopt;
    const Plan plan = make_plan(draft);
    obstacle::Backfill found;
    for (std::size_t i = 0; i < plan.jobs.size(); ++i) {
      if (plan.jobs[i] == &request) {
        found.at = plan.of[i].start;
        if (found.at) found.at = std::max(*found.at, draft.view().now);
        found.keep = jobs_that_keep(draft.view().cluster);
        return found;
      }
      if (!(plan.of[i].start > rounded(draft.view().now))) continue;
      if (found.ahead.jobs++ == 0) found.ahead.first.push_back(plan.jobs[i]->phase.job);
    }
    return std::nullopt;
  }

  bool passes(EmuTime) const override { return true; }

 private:
  struct Plan {
    std::vector<NodeId> nodes;  ///< the nodes that can be used
    std::vector<const Request*> jobs;
    std::vector<backfill::Planned> of;  ///< what is planned for each job
  };

  /// Returns whether a plan is to be made. What a plan has started is no news, because a second
  /// plan at the same time could differ: another job would be first. If a job has just been killed,
  /// the ends of its containers follow, and bring news.
  bool has_news(const View& view) {
    bool news = std::ranges::any_of(view.container_changes, [](const ContainerChange& one) {
      return one.ended.has_value() && !one.kept;
    });
    for (NodeId id : view.changed_nodes) {
      const bool alive = view.cluster.node(id).alive;
      news |= alive ? alive_.insert(id).second : alive_.erase(id) > 0;
    }
    for (JobId id : view.changed_jobs) {
      news |= gang_of(view.cluster, id) != nullptr;
      if (view.cluster.job(id).finished() && !view.cluster.holdings(id).containers.empty())
        return false;
    }
    return news;
  }

  /// Returns the job's gang that waits. Returns nullptr if there is none.
  static const Request* gang_of(const ClusterState& cluster, JobId job) {
    for (const Request* request : cluster.requests(job))
      if (request && request->gang) return request;
    return nullptr;
  }

  static EmuTime walltime_of(const Job& job) {
    return job.spec().walltime.value_or(backfill::kForever);
  }

  EmuTime rounded(EmuTime time) const {
    return resolution_ > EmuTime(0) ? time - EmuTime(time.count() % resolution_.count()) : time;
  }

  /// Returns when the job is expected to release its nodes. A job that holds its nodes for longer
  /// is expected to end at once, but its nodes are not free yet. If each task of the job releases
  /// its own node, and one has ended, the others are expected to follow at once, so that no small
  /// job takes the first node that is free. `now`: the time of the plan.
  EmuTime end_of(const Job& job, EmuTime now) const {
    if (job.completed_tasks() > 0 && !job.spec().keeps_places()) return now + EmuTime(1);
    const EmuTime end = backfill::after(job.walltime_from().value_or(now), walltime_of(job));
    return std::max(end < backfill::kForever ? rounded(end) : end, now + EmuTime(1));
  }

  /// Returns the waiting jobs in the order in which they are planned.
  std::vector<const Request*> in_line(const ClusterState& cluster) const {
    std::vector<const Request*> jobs;
    for (const auto& [submit, job] : waiting_)  // a gang that was launched just now is still there
      if (const Request* gang = gang_of(cluster, job)) jobs.push_back(gang);
    if (!shortest_first_ || jobs.empty()) return jobs;
    const auto walltime = [&](const Request* request) {
      return walltime_of(cluster.job(request->phase.job));
    };
    std::stable_sort(jobs.begin() + 1, jobs.end(),
                     [&](const Request* a, const Request* b) { return walltime(a) < walltime(b); });
    return jobs;
  }

  Plan make_plan(const Draft& draft) const {
    const ClusterState& cluster = draft.view().cluster;
    const EmuTime now = rounded(draft.view().now);
    Plan made;
    std::vector<backfill::NodePlan> nodes;
    for (const Node& node : cluster.nodes()) {
      if (!node.alive || draft.reserved_by(node.id)) continue;
      made.nodes.push_back(node.id);
      backfill::NodePlan& free = nodes.emplace_back(now, draft.free(node.id));
      const auto release = [&free](EmuTime end, const Resources& size) {
        if (end < backfill::kForever) free.take(end, backfill::kForever, Resources{} - size);
      };
      for (ContainerId id : node.containers) {
        const Container& container = *cluster.container(id);
        const Job& job = cluster.job(container.task.phase.job);
        release(container.killed ? now + EmuTime(1) : end_of(job, now), held(container));
      }
      for (const auto& [job, size] : node.kept) release(end_of(cluster.job(job), now), size);
    }
    made.jobs = in_line(cluster);
    std::vector<backfill::Waiting> waiting;
    for (const Request* request : made.jobs)
      waiting.push_back(
          {request->pending, request->resources, walltime_of(cluster.job(request->phase.job))});
    made.of = backfill::plan(now, std::move(nodes), waiting, rules_);
    return made;
  }

  backfill::Rules rules_;
  bool shortest_first_;
  EmuTime resolution_;
  std::set<std::pair<EmuTime, JobId>> waiting_;  ///< jobs whose gang waits
  std::set<NodeId> alive_;                       ///< nodes that were alive at the last step
  RequestOrder order_;
};

}  // namespace

constinit const SchedulerPart kEasyScheduler{
    {.name = "easy",
     .summary = "first come, first served; later jobs go first if they do not delay the first",
     .good_at = "rigid jobs whose users know about how long they take. Small and short jobs fill "
                "the gaps before a large one.",
     .bad_at = "jobs that are large but not first: others can be backfilled before them again and "
               "again. Walltimes that are too long leave gaps unused.",
     .source = "Lifka, \"The ANL/IBM SP Scheduling System\", 1995; Mu'alem and Feitelson, IEEE "
               "TPDS 2001; batsched, easy_bf",
     .options = {&kBackfill, &kBackfillOrder, &kBackfillResolution},
     .rigid_only = true},
    &make_part<Scheduler, Backfilling<false>>};

constinit const SchedulerPart kConservativeScheduler{
    {.name = "conservative",
     .summary = "backfilling that delays no job before the backfilled one",
     .good_at = "predictable starts: each job knows its start as soon as it waits, and starts "
                "earlier if others end early.",
     .bad_at = "utilisation: it backfills less than easy. A plan costs more, because it has a "
               "reservation for each job that waits.",
     .source = "Mu'alem and Feitelson, IEEE TPDS 2001; batsched, conservative_bf",
     .options = {&kBackfill, &kBackfillOrder, &kBackfillResolution},
     .rigid_only = true},
    &make_part<Scheduler, Backfilling<true>>};

}  // namespace heddle
