#include <map>
#include <set>

#include "core/policy/scheduler/backfill/backfilling.h"
#include "core/policy/scheduler/schedulers.h"

namespace heddle {

constinit const AutoCountOption kReserveDepth(
    {.name = "reserve_depth",
     .least = 1,
     .most = 1e6,
     .unit = "jobs",
     .words = {"all"},
     .by_default = "1",
     .help = "number of waiting jobs that get a reservation"});

namespace {

/// EASY backfilling. In order, jobs start while they fit. The first that does not fit gets a
/// reservation: the earliest time at which it fits if running jobs end as expected. The others, in
/// their order, start if they fit now and do not delay it. Each change leads to a new
/// reservation. With a reserve_depth of K, the first K jobs that do not fit get reservations, each
/// planned around those before it.
///
/// With a backfill_interval, this is done only at its multiples. In between, jobs start in order
/// while they fit. A job that does not fit keeps all later jobs from starting that are in its
/// partition or in one that shares a node with it, as in Slurm's main loop.
///
/// If a job does not fit and its quality of service preempts running jobs, they end for it. Jobs
/// behind it then wait for the next pass, which is made when these jobs have ended.
///
/// A job without a walltime has no end. If too much is held by such jobs, the first job has no
/// reservation. Others must then fit beside its size, so that it starts when enough of the jobs
/// have ended that ran when it became first.
class Easy : public Backfilling {
 public:
  explicit Easy(const Scenario& scenario)
      : Backfilling(scenario),
        depth_(value(scenario.policy, kReserveDepth)),
        partitions_(value(scenario.policy, kBackfillInterval) > EmuTime(0)
                        ? partitions_beside(scenario.partitions)
                        : std::map<std::string, Names>()) {}

 private:
  using Names = std::set<std::string>;

  /// Returns for each partition which ones share a node with it, itself included.
  static std::map<std::string, Names> partitions_beside(const std::vector<PartitionSpec>& all) {
    std::map<std::string, Names> beside;
    for (const PartitionSpec& one : all)
      for (const PartitionSpec& other : all) {
        const std::set<NodeId> nodes(other.nodes.begin(), other.nodes.end());
        if (std::ranges::any_of(one.nodes, [&](NodeId node) { return nodes.contains(node); }))
          beside[one.name].insert(other.name);
      }
    return beside;
  }

  struct Reserved {
    JobId job;
    std::optional<EmuTime> start;
  };

  void pass(Picture& picture, const News&, Draft& draft) override {
    if (!backfills()) return start_in_order(picture, draft);
    std::span<InLine> rest(picture.line);
    std::vector<Reserved> reserved;
    std::vector<Booked> booked;
    begin(beside_, picture, draft);
    for (; !rest.empty() && !full(reserved); rest = rest.subspan(1)) {
      const InLine& job = rest.front();
      if (!may_start(job)) continue;
      std::optional<backfill::Plan> own;
      std::optional<backfill::Booking> at = plan_for(job, picture, draft, own).earliest(job.needs);
      if (at && at->start <= picture.now && beside_.fits(job.needs.all())) {
        start_now(job, *at, !reserved.empty(), picture);
        continue;
      }
      // Otherwise jobs behind this one could take what it can have at once by preemption.
      if (make_room(job, booked, picture, draft)) {
        rest = {};
        break;
      }
      if (preempts(job)) at = earliest_by_preemption(job, picture, draft);
      reserved.push_back({job.id(), at ? std::optional(at->start) : std::nullopt});
      if (at && at->start > picture.now) {
        picture.plan.book(job.needs, *at);
        booked.push_back({at->start, at->nodes});
      } else
        keep_beside(job);
    }
    if (!same_order()) sort_others(rest, draft);
    for (const InLine& job : rest) {
      if (!beside_.fits(job.needs.all()) || !may_start(job)) continue;
      std::optional<backfill::Plan> own;
      if (const auto at = plan_for(job, picture, draft, own).now(job.needs))
        start_now(job, *at, true, picture);
    }
    if (!beside_.limits()) beside_.clear();
    reserved_ = std::move(reserved);
  }

  void start_in_order(Picture& picture, Draft& draft) {
    begin(beside_, picture, draft);
    Names kept;  // partitions in which a job waits, and those beside them
    for (const InLine& job : picture.line) {
      const std::string& partition = draft.view().cluster.job(job.id()).spec().partition;
      if (!may_start(job) || kept.contains(partition)) continue;
      if (partition.empty() && !kept.empty()) continue;  // it could take any node
      std::optional<backfill::Plan> own;
      const auto at = plan_for(job, picture, draft, own).now(job.needs);
      if (at && beside_.fits(job.needs.all())) {
        start_now(job, *at, false, picture);
        continue;
      }
      if (make_room(job, {}, picture, draft) || partition.empty()) break;
      const Names& beside = partitions_.at(partition);
      kept.insert(beside.begin(), beside.end());
    }
    if (!beside_.limits()) beside_.clear();
  }

  bool full(const std::vector<Reserved>& reserved) const {
    return depth_ && std::ssize(reserved) >= *depth_;
  }

  void start_now(const InLine& job, const backfill::Booking& at, bool backfilled,
                 Picture& picture) {
    picture.plan.book(job.needs, at);
    beside_.take(job.id(), job.needs.all());
    start(job, at, backfilled, picture);
  }

  /// Keeps room for a job whose start is not known. The jobs that were backfilled since it became
  /// first hold a part of the room beside it.
  void keep_beside(const InLine& job) {
    if (!beside_.limits() && unknown_ != job.id()) {
      beside_.clear();
      unknown_ = job.id();
    }
    beside_.keep_for(job.needs.all());
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
  std::map<std::string, Names> partitions_;  ///< for start_in_order()
  std::vector<Reserved> reserved_;           ///< by the last pass
  std::optional<JobId> unknown_;             ///< the first job whose start is not known
  backfill::SideRoom beside_;                ///< jobs that were backfilled since it is first
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
     .options = with_priorities({&kBackfill, &kJobOrder, &kBackfillOrder, &backfill::kEstimates,
                                 &kReserveDepth, &kBackfillResolution, &kBackfillInterval}),
     .rigid_only = true},
    &make_part<Scheduler, Easy>};

}  // namespace heddle
