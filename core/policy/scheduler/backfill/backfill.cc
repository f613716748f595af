#include <algorithm>
#include <set>
#include <utility>

#include "core/policy/base/request_order.h"
#include "core/policy/scheduler/backfill/estimates.h"
#include "core/policy/scheduler/backfill/plan.h"
#include "core/policy/scheduler/job_order.h"
#include "core/policy/scheduler/schedulers.h"

namespace heddle {
namespace {

enum class Backfill { kCount, kMachines };
constexpr WordOption<Backfill> kBackfill(
    {.name = "backfill",
     .words = {"count", "machines"},
     .by_default = "count",
     .help = "what reservations keep free: only enough nodes, or definite nodes"});
constexpr WordOption<JobOrder> kBackfillOrder(
    {.name = "backfill_order",
     .words = {"fcfs", "sjf", "ljf", "saf", "wfp3", "unicef", "f1", "as-order"},
     .by_default = "as-order",
     .help = "order of the jobs behind those that have a reservation or start in their turn"});
constexpr AutoCountOption kReserveDepth({.name = "reserve_depth",
                                         .least = 1,
                                         .most = 1e6,
                                         .unit = "jobs",
                                         .words = {"all"},
                                         .by_default = "1",
                                         .help = "number of waiting jobs that get a reservation"});

constexpr SecondsOption kBackfillResolution(
    {.name = "backfill_resolution",
     .least = 0,
     .most = 3600,
     .unit = "s",
     .by_default = "0",
     .help = "plans round times down to a multiple of this, so that jobs that fit only just are "
             "backfilled although real starts are some milliseconds late; 0: exact"});

/// Backfilling over expected run times, for rigid jobs (JobSpec::rigid). It decides once per
/// instant, after all ends and submissions of that instant. The order of waiting jobs is the option
/// `order`; their priority does not count. The loop launches a failed task again on its own, as
/// soon as the task fits a node.
///
/// The derived class decides, in pass(), which waiting jobs start now and what is kept for others.
class Backfilling : public Scheduler {
 public:
  explicit Backfilling(const Scenario& scenario)
      : machines_(value(scenario.policy, kBackfill) == Backfill::kMachines),
        first_by_(value(scenario.policy, kJobOrder)),
        others_by_(value(scenario.policy, kBackfillOrder)),
        resolution_(value(scenario.policy, kBackfillResolution)),
        estimates_(scenario, value(scenario.policy, backfill::kEstimates)) {
    if (others_by_ == JobOrder::kAsOrder) others_by_ = first_by_;
  }

  void refresh(Draft& draft) override {
    const View& view = draft.view();
    estimates_.refresh(view);
    for (JobId job : view.changed_jobs) {
      const auto key = std::pair(view.cluster.job(job).spec().submit, job);
      if (gang_of(view.cluster, job) != nullptr)
        waiting_.insert(key);
      else
        waiting_.erase(key);
      order_.put(draft, job, 0);
    }
    take_news(view);
  }

  void in_order(const Round& round, const Visit& visit) override {
    order_.in_order(round, [&](const Request& request) { return request.gang || visit(request); });
  }
  void launched(const Draft& draft, const Request& request) override {
    order_.put(draft, request.phase.job, 0);
  }

  std::vector<const Request*> place_gangs(Draft& draft) override {
    if (!news_.any || clearing(draft.view())) return {};
    const News news = std::exchange(news_, {});
    std::vector<const Request*> placed;
    if (waiting_.empty()) return placed;
    Picture picture = look(draft);
    for (Planned& job : pass(picture, news, draft)) {
      for (std::size_t node : job.booking.nodes)
        draft.launch(*job.request, picture.nodes[node],
                     job.backfilled ? "backfilled" : "first in order");
      estimates_.started(job.request->phase.job);
      placed.push_back(job.request);
    }
    wake_for_estimates(draft);
    return placed;
  }

  std::optional<Refusal> gate(const Draft& draft, const Request& request) const override {
    if (!request.gang) return std::nullopt;
    obstacle::Backfill found = prospects(draft, request.phase.job);
    found.keep = jobs_that_keep(draft.view().cluster);
    return found;
  }

  bool passes(EmuTime now) const override { return now < recheck_; }

 protected:
  /// A job that waits, as the plan sees it.
  struct InLine {
    const Request* request;
    backfill::Waiting needs;

    JobId id() const { return request->phase.job; }
  };
  /// A job that starts now.
  struct Planned {
    const Request* request;
    backfill::Booking booking;
    bool backfilled = false;  ///< another job before it waits on
  };
  /// The state of the cluster, as a plan sees it. Indices of the plan's nodes are those of `nodes`.
  struct Picture {
    EmuTime now;
    std::vector<NodeId> nodes;
    Resources total;  ///< of these nodes, when they are empty
    backfill::Plan plan;
    std::vector<InLine> line;  ///< the waiting jobs, by the option `order`
  };
  /// Changes since the last pass.
  struct News {
    bool any = false;
    bool ended = false;  ///< a job has ended
    bool nodes = false;  ///< nodes have come or gone
    std::optional<JobId> first_ended;
  };

  /// Decides which jobs start now. Books what it keeps for others in its own state.
  virtual std::vector<Planned> pass(Picture& picture, const News& news, Draft& draft) = 0;
  /// Returns what the last pass means for a job that waits.
  virtual obstacle::Backfill prospects(const Draft& draft, JobId job) const = 0;

  /// Sorts the jobs by the option backfill_order.
  void sort_others(std::span<InLine> jobs, const Draft& draft) const {
    sort(jobs, others_by_, draft);
  }
  bool same_order() const { return others_by_ == first_by_; }

  Picture look(const Draft& draft) const {
    const ClusterState& cluster = draft.view().cluster;
    const EmuTime now = rounded(draft.view().now);
    std::vector<NodeId> ids;
    std::vector<backfill::Steps<Resources>> nodes;
    Resources total;
    for (const Node& node : cluster.nodes()) {
      if (!node.alive || draft.reserved_by(node.id)) continue;
      ids.push_back(node.id);
      total += cluster.total(node.id);
      backfill::Steps<Resources>& free = nodes.emplace_back(now, draft.free(node.id));
      const auto release = [&free](EmuTime end, const Resources& size) {
        free.add(end, backfill::kForever, size);
      };
      for (ContainerId id : node.containers) {
        const Container& container = *cluster.container(id);
        const Job& job = cluster.job(container.task.phase.job);
        const EmuTime end = container.killed ? now + EmuTime(1) : end_of(job, now);
        if (end < backfill::kForever) release(end, held(container));
      }
      for (const auto& [job, size] : node.kept)
        if (const EmuTime end = end_of(cluster.job(job), now); end < backfill::kForever)
          release(end, size);
    }
    return {now, std::move(ids), total, backfill::Plan(now, std::move(nodes), machines_),
            in_line(draft)};
  }

 private:
  /// Returns the job's gang that waits. Returns nullptr if there is none.
  static const Request* gang_of(const ClusterState& cluster, JobId job) {
    for (const Request* request : cluster.requests(job))
      if (request && request->gang) return request;
    return nullptr;
  }

  /// Collects what a pass must know. What a pass has started is no news, because a second pass at
  /// the same time could differ: another job would be first.
  void take_news(const View& view) {
    for (const ContainerChange& one : view.container_changes) {
      if (!one.ended || one.kept) continue;
      news_.any = news_.ended = true;
      if (!news_.first_ended) news_.first_ended = one.container.task.phase.job;
    }
    for (NodeId id : view.changed_nodes) {
      const bool alive = view.cluster.node(id).alive;
      const bool changed = alive ? alive_.insert(id).second : alive_.erase(id) > 0;
      if (changed) news_.any = news_.nodes = true;
    }
    for (JobId id : view.changed_jobs) news_.any |= gang_of(view.cluster, id) != nullptr;
    if (view.now >= recheck_) {
      news_.any = true;
      recheck_ = backfill::kForever;
    }
  }

  /// Returns true if a job has just been killed. The ends of its containers follow at the same
  /// time, and the pass is made then.
  static bool clearing(const View& view) {
    return std::ranges::any_of(view.changed_jobs, [&](JobId id) {
      return view.cluster.job(id).finished() && !view.cluster.holdings(id).containers.empty();
    });
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
    const EmuTime from = job.walltime_from().value_or(now);
    const EmuTime end = backfill::after(from, estimates_.of_running(job.id(), now - from));
    return std::max(end < backfill::kForever ? rounded(end) : end, now + EmuTime(1));
  }

  /// Wakes the scheduler when a running job exceeds its estimate.
  void wake_for_estimates(Draft& draft) {
    if (!estimates_.can_be_short() || waiting_.empty()) return;
    const EmuTime now = draft.view().now;
    const EmuTime next = estimates_.next_short(draft.view().cluster, now);
    if (next == backfill::kForever || next <= now || next == recheck_) return;
    recheck_ = next;
    draft.wake_at(next, "a job exceeds its estimate");
  }

  void sort(std::span<InLine> jobs, JobOrder order, const Draft& draft) const {
    if (order == JobOrder::kFcfs) return;
    std::vector<std::pair<double, InLine>> keyed;
    keyed.reserve(jobs.size());
    for (const InLine& job : jobs) {
      const JobSpec& spec = draft.job(job.request->phase);
      const EmuTime length = job.needs.length;
      keyed.emplace_back(
          place_in(order, {spec.submit, draft.view().now,
                           length < backfill::kForever ? std::optional(length) : std::nullopt,
                           processors_of(spec)}),
          job);
    }
    std::ranges::stable_sort(keyed, {}, [](const auto& one) { return one.first; });
    for (std::size_t i = 0; i < jobs.size(); ++i) jobs[i] = keyed[i].second;
  }

  std::vector<InLine> in_line(const Draft& draft) const {
    std::vector<InLine> jobs;
    for (const auto& [submit, job] : waiting_)  // a gang that was launched just now is still there
      if (const Request* gang = gang_of(draft.view().cluster, job);
          gang && draft.pending(*gang) > 0)
        jobs.push_back({gang, {gang->pending, gang->resources, estimates_.of_waiting(job)}});
    sort(jobs, first_by_, draft);
    return jobs;
  }

  bool machines_;
  JobOrder first_by_, others_by_;
  EmuTime resolution_;
  backfill::Estimates estimates_;
  std::set<std::pair<EmuTime, JobId>> waiting_;  ///< jobs whose gang waits
  std::set<NodeId> alive_;                       ///< nodes that were alive at the last step
  News news_;
  EmuTime recheck_ = backfill::kForever;  ///< when the next running job exceeds its estimate
  RequestOrder order_;
};

/// EASY backfilling. In order, jobs start while they fit. The first that does not fit gets a
/// reservation: the earliest time at which it fits if running jobs end as expected. The others, in
/// their order, start if they fit now and do not delay it. The reservation is made anew at each
/// change. With a reserve_depth of K, the first K jobs that do not fit get reservations, each
/// planned around those before it.
///
/// A job without a walltime has no end. If too much is held by such jobs, the first job has no
/// reservation. Others must then fit beside its size, so that it starts when enough of the jobs
/// have ended that ran when it became first.
class Easy : public Backfilling {
 public:
  explicit Easy(const Scenario& scenario)
      : Backfilling(scenario), depth_(value(scenario.policy, kReserveDepth)) {}

 private:
  struct Reserved {
    JobId job;
    std::optional<EmuTime> start;
  };

  std::vector<Planned> pass(Picture& picture, const News&, Draft& draft) override {
    std::vector<Planned> started;
    std::span<InLine> rest(picture.line);
    std::vector<Reserved> reserved;
    backfill::SideRoom beside(picture.total);
    for (; !rest.empty() && !full(reserved); rest = rest.subspan(1)) {
      const InLine& job = rest.front();
      const std::optional<backfill::Booking> at = picture.plan.earliest(job.needs);
      if (at && at->start <= picture.now && beside.fits(job.needs.all())) {
        start(job, *at, !reserved.empty(), picture, beside, started);
        continue;
      }
      reserved.push_back({job.id(), at ? std::optional(at->start) : std::nullopt});
      if (at && at->start > picture.now)
        picture.plan.book(job.needs, *at);
      else
        keep_beside(job, draft.view().cluster, beside);
    }
    if (!same_order()) sort_others(rest, draft);
    for (const InLine& job : rest) {
      if (!beside.fits(job.needs.all())) continue;
      if (const auto at = picture.plan.now(job.needs))
        start(job, *at, true, picture, beside, started);
    }
    if (!beside.limits()) beside_.clear();
    reserved_ = std::move(reserved);
    return started;
  }

  bool full(const std::vector<Reserved>& reserved) const {
    return depth_ && std::ssize(reserved) >= *depth_;
  }

  void start(const InLine& job, const backfill::Booking& at, bool backfilled, Picture& picture,
             backfill::SideRoom& beside, std::vector<Planned>& started) {
    picture.plan.book(job.needs, at);
    if (beside.limits()) {
      beside.take(job.needs.all());
      beside_[job.id()] = job.needs.all();
    }
    started.push_back({job.request, at, backfilled});
  }

  /// Keeps room for a job whose start is not known. The jobs that were backfilled since it became
  /// first hold a part of the room beside it.
  void keep_beside(const InLine& job, const ClusterState& cluster, backfill::SideRoom& beside) {
    if (!beside.limits()) {
      if (unknown_ != job.id()) beside_.clear();
      unknown_ = job.id();
      std::erase_if(beside_, [&](const auto& one) { return cluster.job(one.first).finished(); });
      for (const auto& [id, size] : beside_) beside.take(size);
    }
    beside.keep_for(job.needs.all());
  }

  obstacle::Backfill prospects(const Draft&, JobId job) const override {
    obstacle::Backfill found;
    for (const Reserved& one : reserved_) {
      if (one.job == job) {
        found.at = one.start;
        return found;
      }
      if (found.ahead.jobs++ == 0) found.ahead.first.push_back(one.job);
    }
    return found;
  }

  std::optional<int> depth_;
  std::vector<Reserved> reserved_;     ///< by the last pass
  std::optional<JobId> unknown_;       ///< the first job whose start is not known
  std::map<JobId, Resources> beside_;  ///< jobs that were backfilled since it is first
};

/// Conservative backfilling. Each job gets a reservation when it is submitted, the earliest that
/// delays none of those made before, and keeps it. Whenever a job has ended, all waiting jobs are
/// taken out of the plan and put back one at a time, in order, at the earliest time that is
/// possible then. So a job never starts after the time that it was first promised, as long as no
/// node is lost and running jobs end in time. If nodes come or go, the plan is made anew. If starts
/// and ends came later than planned, as they do by some milliseconds in real runs, the plan is made
/// anew in the order of the reservations.
///
/// A job has no promise if too much is held by jobs without a walltime. It is then placed again at
/// each end, and no later job may take what it needs.
class Conservative : public Backfilling {
 public:
  explicit Conservative(const Scenario& scenario) : Backfilling(scenario) {}

 private:
  /// The place of a waiting job in the plan. `nodes`: the node of each task, if the plan is on
  /// definite nodes.
  struct Place {
    std::optional<EmuTime> start;
    std::vector<NodeId> nodes;
    std::optional<EmuTime> promised;  ///< the first start that was known
    std::optional<EmuTime> moved_at;  ///< when it was last moved
    std::optional<JobId> moved_by;    ///< the job whose end moved it
  };

  std::vector<Planned> pass(Picture& picture, const News& told, Draft& draft) override {
    News news = told;
    news.nodes |= std::ranges::any_of(
        places_, [&](const auto& one) { return !still_there(one.second, picture); });
    if (news.nodes)
      for (auto& [job, place] : places_) place.start.reset();
    if (!same_order() && !picture.line.empty())
      sort_others(std::span(picture.line).subspan(1), draft);
    for (const InLine& job : picture.line) book_kept(job, picture);
    if (picture.plan.overbooked()) {
      picture = look(draft);
      take_out_all(picture.line);
      news.nodes = true;
    }
    std::vector<Planned> started;
    backfill::SideRoom beside = side_room(picture);
    bool before = false;
    for (const InLine& job : picture.line) {
      if (put(job, news, beside, picture, draft)) {
        started.push_back({job.request, *booked_, before});
        places_.erase(job.id());
      } else {
        before = true;
      }
    }
    if (!beside.limits()) beside_.clear();
    return started;
  }

  /// Takes all jobs out of the plan, because starts and ends came later than they were planned.
  /// They are put back in the order of their places, so that no job passes another by that.
  void take_out_all(std::vector<InLine>& line) {
    std::ranges::stable_sort(line, {}, [&](const InLine& job) {
      const auto place = places_.find(job.id());
      return place == places_.end() ? backfill::kForever
                                    : place->second.start.value_or(backfill::kForever);
    });
    for (auto& [job, place] : places_) place.start.reset();
  }

  /// Returns whether the plan has all nodes of the place.
  static bool still_there(const Place& place, const Picture& picture) {
    return std::ranges::all_of(
        place.nodes, [&](NodeId node) { return std::ranges::binary_search(picture.nodes, node); });
  }

  void refresh(Draft& draft) override {
    Backfilling::refresh(draft);
    const ClusterState& cluster = draft.view().cluster;
    for (JobId job : draft.view().changed_jobs) {
      if (!cluster.job(job).finished()) continue;
      places_.erase(job);
      beside_.erase(job);
    }
  }

  void book_kept(const InLine& job, Picture& picture) {
    const auto place = places_.find(job.id());
    if (place == places_.end() || !place->second.start) return;
    picture.plan.book(job.needs, booking_of(place->second, picture));
  }

  static backfill::Booking booking_of(const Place& place, const Picture& picture) {
    backfill::Booking booking{*place.start, {}};
    for (const NodeId node : place.nodes)
      booking.nodes.push_back(static_cast<std::size_t>(
          std::ranges::lower_bound(picture.nodes, node) - picture.nodes.begin()));
    return booking;
  }

  backfill::SideRoom side_room(const Picture& picture) {
    backfill::SideRoom beside(picture.total);
    for (const auto& [id, size] : beside_) beside.take(size);
    return beside;
  }

  /// Places a job: one that is new, is due, or can move because a job has ended. Returns true if it
  /// starts now; booked_ then has its nodes.
  bool put(const InLine& job, const News& news, backfill::SideRoom& beside, Picture& picture,
           Draft& draft) {
    const auto [known, fresh] = places_.try_emplace(job.id());
    Place& place = known->second;
    const bool due = place.start && *place.start <= picture.now;
    if (!fresh && !news.ended && !news.nodes && !due) {
      if (!place.start) beside.keep_for(job.needs.all());
      return false;
    }
    if (place.start) picture.plan.give_back(job.needs, booking_of(place, picture));
    if (const auto own = beside_.find(job.id()); own != beside_.end()) {
      beside.give_back(own->second);
      beside_.erase(own);
    }
    booked_ = beside.fits(job.needs.all()) ? picture.plan.earliest(job.needs) : std::nullopt;
    if (!booked_) {
      place.start.reset();
      beside.keep_for(job.needs.all());
      return false;
    }
    picture.plan.book(job.needs, *booked_);
    if (beside.limits()) {
      beside.take(job.needs.all());
      beside_[job.id()] = job.needs.all();
    }
    return settle(job.id(), place, news, picture, draft);
  }

  /// Takes in the job's booking. Returns true if the job starts now.
  bool settle(JobId job, Place& place, const News& news, const Picture& picture, Draft& draft) {
    const EmuTime now = draft.view().now;
    const bool starts = booked_->start <= picture.now;
    const EmuTime start = starts ? now : booked_->start;
    if (!place.promised) {
      place.promised = start;
      draft.note({"conservative.promise", {{"job", job.value}, {"start_s", to_seconds(start)}}});
    } else if (place.start != start) {
      place.moved_at = now;
      place.moved_by = news.first_ended;
    }
    place.start = start;
    place.nodes.clear();
    for (const std::size_t node : booked_->nodes) place.nodes.push_back(picture.nodes[node]);
    return starts;
  }

  obstacle::Backfill prospects(const Draft& draft, JobId job) const override {
    obstacle::Backfill found;
    const auto place = places_.find(job);
    if (place == places_.end()) return found;
    found.at = place->second.start;
    if (found.at) found.at = std::max(*found.at, draft.view().now);
    found.promised = place->second.promised;
    found.moved_at = place->second.moved_at;
    found.moved_by = place->second.moved_by;
    return found;
  }

  std::map<JobId, Place> places_;
  std::map<JobId, Resources> beside_;  ///< jobs placed beside one without a known start
  std::optional<backfill::Booking> booked_;
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
               "TPDS 2001. By default, the starts are those of pyss (easy backfill and, with "
               "`backfill_order: sjf`, EASY-SJBF); with `backfill: machines`, those of batsched's "
               "easy_bf. `estimates: last-two` with `backfill_order: sjf` is EASY++ (Tsafrir et "
               "al., IEEE TPDS 2007)",
     .options = {&kBackfill, &kJobOrder, &kBackfillOrder, &backfill::kEstimates, &kReserveDepth,
                 &kBackfillResolution},
     .rigid_only = true},
    &make_part<Scheduler, Easy>};

constinit const SchedulerPart kConservativeScheduler{
    {.name = "conservative",
     .summary = "backfilling that delays no job before the backfilled one",
     .good_at = "predictable starts: each job knows its start as soon as it waits, and starts "
                "earlier if others end early, but never later.",
     .bad_at = "utilisation: it backfills less than easy. It costs more, because it keeps a "
               "reservation for each job that waits.",
     .source = "Mu'alem and Feitelson, IEEE TPDS 2001. By default, the starts are those of pyss "
               "(conservative); with `backfill: machines`, those of batsched's conservative_bf",
     .options = {&kBackfill, &kJobOrder, &kBackfillOrder, &backfill::kEstimates,
                 &kBackfillResolution},
     .rigid_only = true},
    &make_part<Scheduler, Conservative>};

}  // namespace heddle
