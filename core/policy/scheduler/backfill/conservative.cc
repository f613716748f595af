#include <algorithm>
#include <map>

#include "core/policy/scheduler/backfill/backfilling.h"
#include "core/policy/scheduler/schedulers.h"

namespace heddle {
namespace {

/// Conservative backfilling. Each job gets a reservation when it is submitted, the earliest that
/// delays none of those made before, and keeps it. Whenever a job has ended, all waiting jobs are
/// taken out of the plan and put back one at a time, in order, at the earliest time that is
/// possible then. So a job never starts after the time that it was first promised, as long as no
/// node is lost and running jobs end in time. If nodes come or go, all jobs are planned again. If
/// starts and ends came later than planned, as they do by some milliseconds in real runs, all jobs
/// are planned again in the order of their reservations.
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

  void pass(Picture& picture, const News& told, Draft& draft) override {
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
    begin(beside_, picture, draft);
    bool before = false;
    for (const InLine& job : picture.line) {
      if (!may_start(job)) continue;  // another job of its user has just started
      if (const auto booking = put(job, news, picture, draft)) {
        start(job, *booking, before, picture);
        places_.erase(job.id());
      } else {
        before = true;
      }
    }
    if (!beside_.limits()) beside_.clear();
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
    for (JobId job : draft.view().changed_jobs)
      if (cluster.job(job).finished()) places_.erase(job);
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

  /// Places a job: one that is new, is due, or can move because a job has ended. Returns its
  /// booking if it starts now.
  std::optional<backfill::Booking> put(const InLine& job, const News& news, Picture& picture,
                                       Draft& draft) {
    const auto [known, fresh] = places_.try_emplace(job.id());
    Place& place = known->second;
    const bool due = place.start && *place.start <= picture.now;
    if (!fresh && !news.ended && !news.nodes && !due) {
      if (!place.start) beside_.keep_for(job.needs.all());
      return std::nullopt;
    }
    if (place.start) picture.plan.give_back(job.needs, booking_of(place, picture));
    beside_.give_back(job.id());
    std::optional<backfill::Booking> booking;
    std::optional<backfill::Plan> own;
    if (beside_.fits(job.needs.all()))
      booking = plan_for(job, picture, draft, own).earliest(job.needs);
    if (!booking) {
      place.start.reset();
      beside_.keep_for(job.needs.all());
      return std::nullopt;
    }
    picture.plan.book(job.needs, *booking);
    beside_.take(job.id(), job.needs.all());
    const bool starts = booking->start <= picture.now;
    settle(job.id(), place, {starts ? draft.view().now : booking->start, booking->nodes}, news,
           picture, draft);
    return starts ? booking : std::nullopt;
  }

  /// Takes in the job's booking, and its promise if it is the first.
  static void settle(JobId job, Place& place, const backfill::Booking& booking, const News& news,
                     const Picture& picture, Draft& draft) {
    if (!place.promised) {
      place.promised = booking.start;
      draft.note(
          {"conservative.promise", {{"job", job.value}, {"start_s", to_seconds(booking.start)}}});
    } else if (place.start != booking.start) {
      place.moved_at = draft.view().now;
      place.moved_by = news.first_ended;
    }
    place.start = booking.start;
    place.nodes.clear();
    for (const std::size_t node : booking.nodes) place.nodes.push_back(picture.nodes[node]);
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
  backfill::SideRoom beside_;  ///< jobs placed beside one without a known start
};

}  // namespace

constinit const SchedulerPart kConservativeScheduler{
    {.name = "conservative",
     .summary = "backfilling that delays no job before the backfilled one",
     .good_at = "predictable starts: each job knows its start as soon as it waits, and starts "
                "earlier if others end early, but never later.",
     .bad_at = "utilisation: it backfills less than easy. It costs more, because it keeps a "
               "reservation for each job that waits.",
     .source = "Mu'alem and Feitelson, IEEE TPDS 2001. By default, the starts are those of pyss "
               "(conservative); with `backfill: machines`, those of batsched's conservative_bf",
     .options = with_priorities(
         {&kBackfill, &kJobOrder, &kBackfillOrder, &backfill::kEstimates, &kBackfillResolution}),
     .rigid_only = true},
    &make_part<Scheduler, Conservative>};

}  // namespace heddle
