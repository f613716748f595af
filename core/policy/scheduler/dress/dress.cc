#include <algorithm>
#include <cmath>
#include <map>
#include <numeric>
#include <optional>
#include <utility>
#include <vector>

#include "core/model/release_estimator.h"
#include "core/policy/base/master_share.h"
#include "core/policy/base/request_order.h"
#include "core/policy/scheduler/dress/ratio.h"
#include "core/policy/scheduler/schedulers.h"

namespace heddle {
namespace {

constexpr NumberOption kDressIndicator(
    {.name = "dress_indicator",
     .least = 0,
     .most = 1,
     .by_default = "0.1",
     .help = "jobs whose first wave is at most this share of the cluster are small"});
constexpr NumbersOption kCategories(
    {.name = "categories",
     .least = 0,
     .most = 1,
     .by_default = "[]",
     .help = "several shares, ascending, that replace dress_indicator; each category of jobs has "
             "its own pool"});
enum class IndicatorBase { kTotal, kAvailable };
constexpr WordOption<IndicatorBase> kIndicatorBase(
    {.name = "indicator_base",
     .words = {"total", "available"},
     .by_default = "total",
     .help = "what dress_indicator and categories are shares of: the whole cluster, or its free "
             "part when the job is submitted"});
constexpr NumberOption kInitialRatio({.name = "initial_ratio",
                                      .least = 0,
                                      .most = 1,
                                      .by_default = "0.1",
                                      .help = "ratio with which each pool but the last begins"});
constexpr NumberOption kMinRatio({.name = "min_ratio",
                                  .least = 0,
                                  .most = 1,
                                  .by_default = "0",
                                  .help = "smallest ratio of each pool but the last"});
constexpr NumberOption kMaxRatio({.name = "max_ratio",
                                  .least = 0,
                                  .most = 1,
                                  .by_default = "1",
                                  .help = "largest sum of the ratios of all pools but the last"});
enum class RatioFloor { kWaiting, kNone };
constexpr WordOption<RatioFloor> kRatioFloor(
    {.name = "ratio_floor",
     .words = {"waiting", "none"},
     .by_default = "waiting",
     .before = "none",
     .help = "while jobs of a pool wait, its ratio is at least what the pool holds and the least "
             "that one of them requests; none: Algorithm 3 as printed"});
enum class LargePool { kRest, kCapped };
constexpr WordOption<LargePool> kLargePool(
    {.name = "large_pool",
     .words = {"rest", "capped"},
     .by_default = "rest",
     .help = "what the last pool can use: all that the other pools have not reserved, or at most "
             "the share that their ratios leave"});
constexpr AutoSecondsOption kRatioInterval(
    {.name = "ratio_interval",
     .least = 0.001,
     .most = 86400,
     .unit = "s",
     .words = {"auto"},
     .by_default = "auto",
     .help = "time between two updates of the ratio; auto: the heartbeat period"});
enum class ReleaseEstimate { kOn, kOff };
constexpr WordOption<ReleaseEstimate> kReleaseEstimate(
    {.name = "release_estimate",
     .words = {"on", "off"},
     .by_default = "on",
     .help = "whether updates of the ratio count expected releases"});
constexpr AutoSecondsOption kReleaseHorizon(
    {.name = "release_horizon",
     .least = 0.001,
     .most = 86400,
     .unit = "s",
     .words = {"auto"},
     .by_default = "auto",
     .help = "how far ahead releases are expected; auto: ratio_interval"});
constexpr SecondsOption kPhaseWindow({.name = "phase_window",
                                      .least = 0.001,
                                      .most = 86400,
                                      .unit = "s",
                                      .by_default = "10",
                                      .help = "window (pw) in which starts and ends are counted"});
constexpr CountOption kPhaseStarts(
    {.name = "phase_starts",
     .least = 0,
     .most = 1e6,
     .by_default = "5",
     .help = "a phase begins after more starts than this (t_s) in the window"});
constexpr CountOption kPhaseEnds(
    {.name = "phase_ends",
     .least = 0,
     .most = 1e6,
     .by_default = "5",
     .help = "the release of a phase begins after more ends than this (t_e) in the window"});

/// Converts an option's share of the cluster to billionths. Rounds to the nearest number, because
/// options are decimals.
std::int64_t billionths(double share) {
  return std::llround(share * static_cast<double>(kWholeCluster));
}

std::vector<std::int64_t> indicators_of(const PolicySpec& policy) {
  std::vector<double> categories = value(policy, kCategories);
  if (categories.empty()) categories = {value(policy, kDressIndicator)};
  std::vector<std::int64_t> bounds;
  for (double category : categories) bounds.push_back(billionths(category));
  return bounds;
}

PhaseOptions phase_options(const PolicySpec& policy) {
  return {value(policy, kPhaseWindow), value(policy, kPhaseStarts), value(policy, kPhaseEnds)};
}

EmuTime interval_of(const Scenario& scenario) {
  return value(scenario.policy, kRatioInterval).value_or(scenario.cluster.heartbeat);
}

EmuTime horizon_of(const Scenario& scenario) {
  if (value(scenario.policy, kReleaseEstimate) == ReleaseEstimate::kOff) return EmuTime(0);
  return value(scenario.policy, kReleaseHorizon).value_or(interval_of(scenario));
}

Result<void> check_dress(const PolicySpec& policy) {
  if (given_text(policy, kCategories.name) && given_text(policy, kDressIndicator.name))
    return usage_error("categories and dress_indicator exclude each other; expected one of them");
  if (value(policy, kMinRatio) > value(policy, kMaxRatio))
    return usage_error("min_ratio is greater than max_ratio; expected at most max_ratio");
  return {};
}

bool is_am(const JobSpec& job, int phase) { return job.phases[phase].kind == PhaseKind::kAm; }

double share(double billionths) { return billionths / static_cast<double>(kWholeCluster); }

template <class Number>
std::vector<double> shares(const std::vector<Number>& billionths) {
  std::vector<double> shares;
  for (Number each : billionths) shares.push_back(share(static_cast<double>(each)));
  return shares;
}

PolicyNote phase_note(JobId job, std::size_t index, const DetectedPhase& phase) {
  PolicyNote note{"dress.phase", {{"job", job.value}, {"phase", static_cast<std::int64_t>(index)}}};
  if (phase.first_start) note.values.emplace_back("first_start", to_seconds(*phase.first_start));
  if (phase.closed) {
    note.values.emplace_back("last_start", to_seconds(*phase.last_start));
    note.values.emplace_back("spread", to_seconds(phase.spread()));
    note.values.emplace_back("share", share(static_cast<double>(phase.size)));
  }
  if (phase.release) note.values.emplace_back("release", to_seconds(*phase.release));
  if (phase.trailing > 0)
    note.values.emplace_back("trailing", static_cast<std::int64_t>(phase.trailing));
  return note;
}

/// DRESS. Jobs of small demand and jobs of large demand have separate pools. Each pool is served
/// first come, first served. A share of the cluster, the ratio, is reserved for the small jobs. The
/// ratio follows what is free, what is requested, and what is expected to be released. The size of
/// a request is its dominant share of the live nodes' allowances, in billionths (kWholeCluster).
/// cluster.unit does not matter here.
///
/// docs/reference/policies.md says how Heddle reads the paper. The paper has only two categories.
///
/// The journal has these notes (policy_state):
/// - dress.job {job, category, of, demand}, when a job is submitted
/// - dress.ratio {ratios, available, free, expected, wanted, used}, at every update
/// - dress.phase {job, phase, …}, when a phase changes
/// - dress.release {made, until, predicted, actual}, when the horizon of a forecast has ended
class Dress : public Scheduler {
 public:
  /// The scenario must outlive the scheduler.
  explicit Dress(const Scenario& scenario)
      : scenario_(scenario),
        indicators_(indicators_of(scenario.policy)),
        of_available_(value(scenario.policy, kIndicatorBase) == IndicatorBase::kAvailable),
        bounds_{billionths(value(scenario.policy, kMinRatio)),
                billionths(value(scenario.policy, kMaxRatio)),
                value(scenario.policy, kRatioFloor) == RatioFloor::kWaiting},
        capped_(value(scenario.policy, kLargePool) == LargePool::kCapped),
        interval_(interval_of(scenario)),
        horizon_(horizon_of(scenario)),
        estimator_(phase_options(scenario.policy), static_cast<int>(indicators_.size()) + 1),
        used_(indicators_.size() + 1),
        wanted_(indicators_.size() + 1),
        orders_(indicators_.size() + 1) {
    const std::int64_t most = bounds_.most / std::ssize(indicators_);
    const std::int64_t initial = billionths(value(scenario.policy, kInitialRatio));
    ratios_.assign(indicators_.size(), std::max(std::min(initial, most), bounds_.least));
  }

  void refresh(Draft& draft) override {
    if (take_in_total(draft.view()))
      for (auto& [id, entry] : jobs_) count(draft.view().cluster.job(id), entry, draft);
    take_in_containers(draft);
    take_in_jobs(draft);
    if (jobs_.empty())
      tell_releases(draft);
    else if (draft.view().now >= next_update_)
      update(draft);
  }

  void in_order(const Round& round, const Visit& visit) override {
    // All requests of a pool have the same limit. The limit changes only with a launch.
    auto visit_pools = [&](bool limited) {
      for (std::size_t i = 0; i < orders_.size(); ++i)
        if (limit(round.draft(), i).has_value() == limited && !orders_[i].in_order(round, visit))
          return false;
      return true;
    };
    // Ignore the limits if no task runs and the limits allow no launch. Otherwise nothing would
    // ever be released.
    if (visit_pools(false) && tasks_ == 0) visit_pools(true);
  }

  void launched(const Draft& draft, const Request& request) override {
    Entry& entry = jobs_.at(request.phase.job);
    const std::int64_t taken = size(request.resources);
    entry.used += taken;
    used_[entry.pool] += taken;
    entry.wanted -= taken;
    wanted_[entry.pool] -= taken;
    if (request.kind != PhaseKind::kAm) {
      ++entry.tasks;
      ++tasks_;
    }
    orders_[entry.pool].put(draft, request.phase.job, 0);
  }

  std::optional<Refusal> gate(const Draft& draft, const Request& request) const override {
    if (tasks_ == 0) return std::nullopt;
    return limit(draft, jobs_.at(request.phase.job).pool);
  }

  EmuTime passes_until() const override { return jobs_.empty() ? kNever : next_update_; }

 private:
  /// The state of a phase in its last note. Its counts are not part of it, because they change with
  /// each task.
  struct ToldPhase {
    bool begun = false, closed = false, released = false;
    int trailing = 0;
    friend bool operator==(const ToldPhase&, const ToldPhase&) = default;
  };
  struct Entry {
    std::size_t pool = 0;
    std::int64_t used = 0;        ///< held by its containers, including its application master
    std::int64_t wanted = 0;      ///< w: what its requests ask for
    int tasks = 0;                ///< tasks that hold a container
    std::vector<ToldPhase> told;  ///< by phase
  };

  /// Takes in the sum of the live nodes' allowances. Returns true if it has changed. All shares
  /// have then changed too.
  bool take_in_total(const View& view) {
    const Resources& total = view.cluster.allowances();
    // While no node is alive, keep the sum of the nodes that were alive last.
    if (total == total_ || total == Resources{}) return false;
    total_ = total;
    return true;
  }

  void take_in_containers(Draft& draft) {
    for (const ContainerChange& change : draft.view().container_changes) {
      const Container& container = change.container;
      const JobId id = container.task.phase.job;
      if (is_am(scenario_.jobs[id.value], container.task.phase.phase) || !estimator_.job(id))
        continue;
      if (change.kept)
        kept_[id].push_back(container.id);
      else if (change.ended)
        take_in_end(draft.view().cluster, change);
      else
        estimator_.started(id, change.at, container.id, size(container.resources));
    }
  }

  /// Takes in that a container releases what it holds. With the last container, the job also
  /// releases what it has kept.
  void take_in_end(const ClusterState& cluster, const ContainerChange& change) {
    const JobId id = change.container.task.phase.job;
    estimator_.ended(id, change.at, change.container.id);
    if (!cluster.holdings(id).kept.empty() || !kept_.contains(id)) return;
    for (ContainerId container : kept_.at(id)) estimator_.ended(id, change.at, container);
    kept_.erase(id);
  }

  void take_in_jobs(Draft& draft) {
    const View& view = draft.view();
    for (JobId id : view.changed_jobs) {
      const Job& job = view.cluster.job(id);
      if (job.state() == JobState::kWaiting) continue;
      const bool over = job.finished() && view.cluster.holdings(id).containers.empty();
      if (!jobs_.contains(id)) {
        if (over) continue;
        admit(job, draft);
      }
      Entry& entry = jobs_.at(id);
      count(job, entry, draft);
      orders_[entry.pool].put(draft, id, 0);
      if (over) forget(id, draft);
    }
  }

  void admit(const Job& job, Draft& draft) {
    const JobSpec& spec = job.spec();
    std::int64_t demand = 0;
    for (int i = 0; i < std::ssize(spec.phases); ++i)
      if (!is_am(spec, i) && spec.phases[i].after.empty())
        demand += spec.phases[i].tasks * size(spec.phases[i].request);
    const std::int64_t base = of_available_ ? available(draft) : kWholeCluster;
    std::size_t pool = 0;
    while (pool < indicators_.size() && demand > indicators_[pool] * base / kWholeCluster) ++pool;
    jobs_[job.id()].pool = pool;
    estimator_.add(job.id(), static_cast<int>(pool));
    draft.note({"dress.job",
                {{"job", job.id().value},
                 {"category", static_cast<std::int64_t>(pool)},
                 {"of", static_cast<std::int64_t>(indicators_.size() + 1)},
                 {"demand", share(static_cast<double>(demand))}}});
  }

  void count(const Job& job, Entry& entry, const Draft& draft) {
    const JobSpec& spec = job.spec();
    used_[entry.pool] -= entry.used;
    wanted_[entry.pool] -= entry.wanted;
    tasks_ -= entry.tasks;
    entry.used = entry.wanted = entry.tasks = 0;
    int outstanding = 0;
    for (int i = 0; i < std::ssize(spec.phases); ++i) {
      const std::int64_t each = size(spec.phases[i].request);
      const int pending = draft.pending(PhaseId{job.id(), i});
      entry.used += job.live(i) * each;
      entry.wanted += pending * each;
      if (is_am(spec, i)) continue;
      entry.tasks += job.live(i);
      outstanding += pending + job.live(i);
    }
    const JobHoldings& holds = draft.view().cluster.holdings(job.id());
    outstanding += static_cast<int>(holds.kept.size());
    for (const Container& container : holds.kept) entry.used += size(held(container));
    if (holds.suspended > 0)
      for (ContainerId id : holds.containers) {
        const Container& container = *draft.view().cluster.container(id);
        entry.used -= size(container.resources) - size(held(container));
      }
    used_[entry.pool] += entry.used;
    wanted_[entry.pool] += entry.wanted;
    tasks_ += entry.tasks;
    estimator_.asked(job.id(), outstanding - estimator_.job(job.id())->running());
  }

  void forget(JobId id, Draft& draft) {
    Entry& entry = jobs_.at(id);
    tell_phases(id, entry, draft);
    orders_[entry.pool].remove(id);
    estimator_.remove(id);
    jobs_.erase(id);
  }

  /// Returns A_c, including the effect of the draft's launches.
  std::int64_t available(const Draft& draft) const {
    return least_billionths(draft.free_nodes().open_free(), total_);
  }

  /// Returns the limit that keeps the pool from getting anything more now. Returns nullopt if there
  /// is none.
  std::optional<Refusal> limit(const Draft& draft, std::size_t pool) const {
    using Of = obstacle::Limit::Of;
    const auto limit_if = [&](bool reached, Of of, std::int64_t used, std::int64_t most) {
      return reached ? std::optional<Refusal>(obstacle::Limit{of, static_cast<int>(pool),
                                                              share(static_cast<double>(used)),
                                                              share(static_cast<double>(most))})
                     : std::nullopt;
    };
    const bool last = pool == ratios_.size();
    if (last && !capped_) {
      const std::int64_t reserve = dress_reserve(ratios_, used_);
      const std::int64_t free = available(draft);
      return limit_if(reserve > 0 && free <= reserve, Of::kReserve, free, reserve);
    }
    const std::int64_t most =
        last ? kWholeCluster - std::accumulate(ratios_.begin(), ratios_.end(), std::int64_t{0})
             : ratios_[pool];
    return limit_if(used_[pool] >= most, Of::kPool, used_[pool], most);
  }

  /// Ends forecasts whose horizon has ended, makes a new forecast, and updates the ratios. Writes
  /// notes about all of this.
  void update(Draft& draft) {
    const EmuTime now = draft.view().now;
    next_update_ = EmuTime((now.count() / interval_.count() + 1) * interval_.count());
    draft.wake_at(next_update_, "ratio");
    draft.remember();

    tell_releases(draft);
    estimator_.forecast(now, horizon_);
    for (auto& [id, entry] : jobs_) tell_phases(id, entry, draft);

    std::vector<DressPool> pools(used_.size());
    for (std::size_t i = 0; i < pools.size(); ++i) {
      pools[i].used = used_[i];
      pools[i].expected = estimator_.expected()[i];
    }
    for (const auto& [id, entry] : jobs_)
      if (entry.wanted > 0) pools[entry.pool].pending.push_back(entry.wanted);
    const std::int64_t free = available(draft);
    const std::vector<std::int64_t> by_pool = dress_available(ratios_, pools, free);
    ratios_ = next_dress_ratios(ratios_, pools, free, bounds_);
    draft.note({"dress.ratio",
                {{"ratios", shares(ratios_)},
                 {"available", share(static_cast<double>(free))},
                 {"free", shares(by_pool)},
                 {"expected", shares(estimator_.expected())},
                 {"wanted", shares(wanted_)},
                 {"used", shares(used_)}}});
  }

  void tell_releases(Draft& draft) {
    for (const Forecast& settled : estimator_.settle(draft.view().now))
      if (!settled.empty())
        draft.note({"dress.release",
                    {{"made", to_seconds(settled.made)},
                     {"until", to_seconds(settled.until)},
                     {"predicted", shares(settled.predicted)},
                     {"actual", shares(settled.actual)}}});
  }

  void tell_phases(JobId id, Entry& entry, Draft& draft) {
    const std::vector<DetectedPhase>& phases = estimator_.job(id)->phases();
    entry.told.resize(phases.size());
    for (std::size_t i = 0; i < phases.size(); ++i) {
      const DetectedPhase& phase = phases[i];
      const ToldPhase now{phase.begun, phase.closed, phase.release.has_value(), phase.trailing};
      if (std::exchange(entry.told[i], now) == now) continue;
      draft.note(phase_note(id, i + 1, phase));
    }
  }

  std::int64_t size(const Resources& held) const { return dominant_billionths(held, total_); }

  const Scenario& scenario_;
  std::vector<std::int64_t> indicators_;  ///< upper bounds of all categories but the last
  bool of_available_;
  DressBounds bounds_;
  bool capped_;       ///< large_pool: true if the last pool can use only what the ratios leave
  EmuTime interval_;  ///< time between two updates
  EmuTime horizon_;   ///< horizon of the estimate; 0 if no estimate is made
  ReleaseEstimator estimator_;
  std::map<JobId, std::vector<ContainerId>> kept_;  ///< ended containers of which a job keeps all

  Resources total_;  ///< sum of the live nodes' allowances; all shares are parts of it
  std::vector<std::int64_t> ratios_;  ///< delta, by pool; the last pool has none
  std::vector<std::int64_t> used_;    ///< by pool, after the launches of this step
  std::vector<std::int64_t> wanted_;  ///< P by pool, after the launches of this step
  int tasks_ = 0;  ///< number of tasks that hold a container, after these launches
  std::vector<RequestOrder> orders_;  ///< by pool
  std::map<JobId, Entry> jobs_;       ///< jobs that are submitted and not over
  EmuTime next_update_;
};

}  // namespace

constinit const SchedulerPart kDressScheduler{
    {.name = "dress",
     .summary = "a pool for small jobs, whose share follows expected releases",
     .good_at = "small jobs on a congested cluster.",
     .bad_at =
         "small jobs that come one at a time. While no small job asks, the ratio falls to "
         "`min_ratio`, so the next one waits until enough is released. With `ratio_floor: none`, "
         "small jobs beside large jobs whose demand fits what is released at once wait longer than "
         "under fifo. Reserved resources that nobody needs stay idle until the next update.",
     .source = "Mao et al., \"DRESS: Dynamic RESource-reservation Scheme for Congested "
               "Data-intensive Computing Platforms\", Algorithms 1 to 3",
     .options = {&kDressIndicator, &kCategories, &kIndicatorBase, &kInitialRatio, &kMinRatio,
                 &kMaxRatio, &kRatioFloor, &kLargePool, &kRatioInterval, &kReleaseEstimate,
                 &kReleaseHorizon, &kPhaseWindow, &kPhaseStarts, &kPhaseEnds},
     .defaults = {{&kMaxAmShare, "0.1"}},
     .check = &check_dress},
    &make_part<Scheduler, Dress>};

}  // namespace heddle
