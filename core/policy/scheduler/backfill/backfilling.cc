#include "core/policy/scheduler/backfill/backfilling.h"

#include <algorithm>
#include <utility>

#include "core/model/cluster.h"

namespace heddle {

constinit const WordOption<Backfill> kBackfill(
    {.name = "backfill",
     .words = {"count", "machines", "nodes"},
     .by_default = "count",
     .help =
         "what reservations keep free: only enough nodes, or what a job needs of definite nodes, "
         "or these nodes as a whole; never only enough nodes if the scenario has partitions or "
         "reservations"});
constinit const WordOption<JobOrder> kBackfillOrder(
    {.name = "backfill_order",
     .words = kJobOrder.words.with("as-order"),
     .by_default = "as-order",
     .help = "order of the jobs behind those that have a reservation or start in their turn"});
constinit const SecondsOption kBackfillResolution(
    {.name = "backfill_resolution",
     .least = 0,
     .most = 3600,
     .unit = "s",
     .by_default = "0",
     .help = "plans round times down to a multiple of this, so that jobs that fit only just are "
             "backfilled although real starts are some milliseconds late; 0: exact"});
constinit const SecondsOption kBackfillInterval(
    {.name = "backfill_interval",
     .least = 0,
     .most = 86400,
     .unit = "s",
     .by_default = "0",
     .help = "time between two passes of backfilling, as Slurm's bf_interval; meanwhile jobs start "
             "in order, and none passes a job of its partition that waits; 0: always backfill"});

Backfilling::Backfilling(const Scenario& scenario)
    : scenario_(scenario),
      counted_(scenario.cluster.resources),
      preemption_(scenario),
      machines_(value(scenario.policy, kBackfill) != Backfill::kCount ||
                !scenario.partitions.empty() || !scenario.reservations.empty() ||
                preemption_.suspends()),
      entire_(value(scenario.policy, kBackfill) == Backfill::kNodes),
      first_by_(value(scenario.policy, kJobOrder)),
      others_by_(value(scenario.policy, kBackfillOrder)),
      resolution_(value(scenario.policy, kBackfillResolution)),
      interval_(value(scenario.policy, kBackfillInterval)),
      estimates_(scenario, value(scenario.policy, backfill::kEstimates)) {
  if (others_by_ == JobOrder::kAsOrder) others_by_ = first_by_;
  if (first_by_ == JobOrder::kPriority || others_by_ == JobOrder::kPriority)
    priorities_.emplace(scenario);
}

void Backfilling::refresh(Draft& draft) {
  const View& view = draft.view();
  estimates_.refresh(view);
  if (priorities_) {
    priorities_->refresh(draft);
    news_.any |= priorities_->reordered();
  }
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

void Backfilling::in_order(const Round& round, const Visit& visit) {
  order_.in_order(round, [&](const Request& request) { return request.gang || visit(request); });
}

void Backfilling::launched(const Draft& draft, const Request& request) {
  order_.put(draft, request.phase.job, 0);
}

std::vector<const Request*> Backfilling::place_gangs(Draft& draft, const GangPlaces& places) {
  if (preemption_.any()) news_.any |= preemption_.release(draft);
  const EmuTime now = draft.view().now;
  if ((!news_.any && now < next_backfill_) || clearing(draft.view())) return {};
  const News news = std::exchange(news_, {});
  if (waiting_.empty()) {
    next_backfill_ = backfill::kForever;
    preemption_.resume(draft);
    return {};
  }
  backfills_ = backfills_at(now);
  placing_ = &places;
  Picture picture = look(draft);
  pass(picture, news, draft);
  if (preemption_.any()) {
    preempt(picture, draft);
    preemption_.resume(draft);
    news_.any |= preemption_.release(draft);
  }
  placing_ = nullptr;
  wake_for_backfilling(draft);
  wake_for_estimates(draft);
  return std::exchange(started_, {});
}

void Backfilling::wake_for_backfilling(Draft& draft) {
  next_backfill_ = backfill::kForever;
  if (backfills_) return;
  const EmuTime now = draft.view().now;
  next_backfill_ = now - EmuTime(now.count() % interval_.count()) + interval_;
  draft.wake_at(next_backfill_, "the next backfilling is due");
}

void Backfilling::start(const InLine& job, const backfill::Booking& booking, bool backfilled,
                        const Picture& picture) {
  for (const std::size_t node : booking.nodes)
    placing_->launch(*job.request, picture.nodes[node],
                     backfilled ? "backfilled" : "first in order");
  estimates_.started(job.id());
  started_.push_back(job.request);
}

std::optional<Refusal> Backfilling::gate(const Draft& draft, const Request& request) const {
  if (!request.gang) return std::nullopt;
  obstacle::Backfill found = prospects(draft, request.phase.job);
  found.keep = jobs_that_keep(draft.view().cluster);
  found.reserved = reserved_for_others(draft, request);
  return found;
}

std::optional<ReservedTime> Backfilling::reserved_at(const View& view, JobId job, NodeId node,
                                                     EmuTime start) const {
  const EmuTime from = std::max(start, view.now);
  const auto& walltime = scenario_.jobs[static_cast<std::size_t>(job.value)].walltime;
  return view.cluster.reservations().against(
      job, node, from, walltime ? backfill::after(from, *walltime) : backfill::kForever);
}

std::optional<obstacle::AdvanceReservation> Backfilling::reserved_for_others(
    const Draft& draft, const Request& request) const {
  const View& view = draft.view();
  std::optional<obstacle::AdvanceReservation> found;
  if (!view.cluster.reservations().any()) return found;
  for (const Node& node : view.cluster.nodes()) {
    if (!node.alive || draft.reserved_by(node.id) ||
        !request.resources.fits_in(draft.free(node.id)) ||
        !meets(draft.where(request.phase), node.spec->labels))
      continue;
    const auto time = reserved_at(view, request.phase.job, node.id, view.now);
    if (time && !found) found = obstacle::AdvanceReservation{0, *time};
    if (time) ++found->nodes;
  }
  return found;
}

void Backfilling::sort_others(std::span<InLine> jobs, const Draft& draft) const {
  sort(jobs, others_by_, draft);
}

Backfilling::Picture Backfilling::look(const Draft& draft) const {
  const ClusterState& cluster = draft.view().cluster;
  const EmuTime now = rounded(draft.view().now);
  std::vector<NodeId> ids;
  std::vector<Resources> free;
  Resources total = cluster_wide(counted_);
  for (const Node& node : cluster.nodes()) {
    if (!node.alive || draft.reserved_by(node.id)) continue;
    ids.push_back(node.id);
    free.push_back(draft.free(node.id));
    Millicores& cores = free.back().cores;
    cores = std::max(cores - preemption_.let_go(cluster, node.id), Millicores(0));
    total += addable(cluster.total(node.id), counted_);
  }
  auto labels = [&cluster, ids](std::size_t node) -> const Labels& {
    return cluster.node(ids[node]).spec->labels;
  };
  const auto running = [this, &cluster, now, ids, free] {
    std::vector<backfill::Plan::NodeUse> nodes;
    for (std::size_t i = 0; i < ids.size(); ++i)
      nodes.push_back({free[i], releases_of(cluster, ids[i], now)});
    return nodes;
  };
  backfill::Whole whole;
  if (any_cluster_wide(counted_)) {
    const Resources left = draft.total_free();
    whole = {&counted_, left - addable(left, counted_)};
  }
  backfill::Plan::Order order;
  if (placing_ && placing_->best_first)
    order = [this, ids](const Request& request, const std::vector<std::size_t>& open) {
      std::vector<NodeId> nodes;
      for (const std::size_t node : open) nodes.push_back(ids[node]);
      std::vector<std::size_t> sorted;
      for (const NodeId node : placing_->best_first(request, std::move(nodes)))
        sorted.push_back(
            static_cast<std::size_t>(std::ranges::lower_bound(ids, node) - ids.begin()));
      return sorted;
    };
  backfill::Site site;
  if (cluster.reservations().any())
    site = {[this, &view = draft.view(), ids](const backfill::Waiting& job, std::size_t node,
                                              EmuTime start) {
              return !reserved_at(view, job.request->phase.job, ids[node], start);
            },
            cluster.reservations().ends_after(draft.view().now)};
  backfill::Plan plan(now, std::move(free), running, machines_, whole, labels, std::move(order),
                      std::move(site), entire_);
  return {now, std::move(ids), total, std::move(plan), in_line(draft)};
}

std::vector<std::pair<EmuTime, Resources>> Backfilling::releases_of(const ClusterState& cluster,
                                                                    NodeId id, EmuTime now) const {
  std::vector<std::pair<EmuTime, Resources>> releases, of_suspended;
  const Node& node = cluster.node(id);
  for (ContainerId of : node.containers) {
    const Container& container = *cluster.container(of);
    const Job& job = cluster.job(container.task.phase.job);
    EmuTime end = container.killed ? now + EmuTime(1) : end_of(job, now);
    if (container.state == ContainerState::kSuspended && preemption_.suspended(job.id())) {
      end = backfill::after(end, resumption_of(cluster, job.id(), now) - now);
      if (end < backfill::kForever) of_suspended.emplace_back(end, container.resources);
    } else if (end < backfill::kForever) {
      releases.emplace_back(end, held(container));
    }
  }
  for (const auto& [job, size] : node.kept)
    if (const EmuTime end = end_of(cluster.job(job), now); end < backfill::kForever)
      releases.emplace_back(end, size);
  std::ranges::sort(releases, {}, [](const auto& one) { return one.first; });
  Millicores lent = lent_of(cluster, id);
  for (auto& [end, amount] : releases) {
    const Millicores back = std::min(lent, amount.cores);
    amount.cores -= back;
    lent -= back;
  }
  releases.insert(releases.end(), of_suspended.begin(), of_suspended.end());
  return releases;
}

Millicores Backfilling::lent_of(const ClusterState& cluster, NodeId node) const {
  const Millicores let_go = preemption_.let_go(cluster, node);
  return std::max(let_go - cluster.free(node).cores, Millicores(0));
}

EmuTime Backfilling::resumption_of(const ClusterState& cluster, JobId job, EmuTime now) const {
  EmuTime last = now;
  for (const ContainerId of : cluster.holdings(job).containers) {
    const NodeId node = cluster.container(of)->node;
    std::vector<std::pair<EmuTime, Millicores>> ends;
    for (const ContainerId id : cluster.node(node).containers)
      if (const Container& one = *cluster.container(id); one.state != ContainerState::kSuspended)
        ends.emplace_back(end_of(cluster.job(one.task.phase.job), now), one.resources.cores);
    std::ranges::sort(ends);
    Millicores lent = lent_of(cluster, node);
    for (const auto& [end, cores] : ends) {
      if (lent <= Millicores(0)) break;
      last = std::max(last, end);
      lent -= cores;
    }
  }
  return last;
}

backfill::Waiting Backfilling::needs_of(const Request& gang, const Draft& draft) const {
  const Where& where = draft.where(gang.phase);
  return {gang.pending, gang.resources, estimates_.of_waiting(gang.phase.job),
          where.empty() ? nullptr : &where, &gang};
}

const Request* Backfilling::gang_of(const ClusterState& cluster, JobId job) {
  for (const Request* request : cluster.requests(job))
    if (request && request->gang) return request;
  return nullptr;
}

void Backfilling::take_news(const View& view) {
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
  news_.any |= preemption_.due(view.now);
  if (preemption_.changed(view)) news_.any = news_.ended = true;
  if (view.now >= site_changes_) news_.any = news_.ended = true;
  site_changes_ = view.cluster.reservations().next_change(view.now).value_or(backfill::kForever);
}

bool Backfilling::clearing(const View& view) {
  return std::ranges::any_of(view.changed_jobs, [&](JobId id) {
    return view.cluster.job(id).finished() && !view.cluster.holdings(id).containers.empty();
  });
}

EmuTime Backfilling::rounded(EmuTime time) const {
  return resolution_ > EmuTime(0) ? time - EmuTime(time.count() % resolution_.count()) : time;
}

EmuTime Backfilling::end_of(const Job& job, EmuTime now) const {
  if (job.completed_tasks() > 0 && !job.spec().keeps_places()) return now + EmuTime(1);
  const EmuTime from = job.walltime_from(now).value_or(now);
  const EmuTime end = backfill::after(from, estimates_.of_running(job.id(), now - from));
  return std::max(end < backfill::kForever ? rounded(end) : end, now + EmuTime(1));
}

void Backfilling::wake_for_estimates(Draft& draft) {
  if (!estimates_.can_be_short() || waiting_.empty()) return;
  const EmuTime now = draft.view().now;
  const EmuTime next = estimates_.next_short(draft.view().cluster, now);
  if (next == backfill::kForever || next <= now || next == recheck_) return;
  recheck_ = next;
  draft.wake_at(next, "a job exceeds its estimate");
}

void Backfilling::preempt(const Picture& picture, Draft& draft) {
  const auto first = std::ranges::find_if(picture.line, [&](const InLine& job) {
    return draft.pending(*job.request) > 0 && may_start(job);
  });
  if (first != picture.line.end()) make_room(*first, {}, picture, draft);
}

bool Backfilling::make_room(const InLine& job, std::span<const Booked> booked,
                            const Picture& picture, Draft& draft) {
  if (!preempts(job)) return false;
  const EmuTime end = backfill::after(picture.now, job.needs.length);
  const Where& where = draft.where(job.request->phase);
  std::vector<backfill::QosPreemption::Place> places;
  for (std::size_t i = 0; i < picture.nodes.size(); ++i) {
    const NodeId id = picture.nodes[i];
    const bool taken = std::ranges::any_of(booked, [&](const Booked& one) {
      return one.start < end &&
             (one.nodes.empty() || std::ranges::find(one.nodes, i) != one.nodes.end());
    });
    places.push_back({id, !taken && meets(where, draft.view().cluster.node(id).spec->labels) &&
                              !reserved_at(draft.view(), job.id(), id, picture.now)});
  }
  const backfill::QosPreemption::Room room = preemption_.make_room(*job.request, places, draft);
  if (priorities_)
    for (const auto& [one, from] : room.requeued) priorities_->requeued(one, from);
  return room.comes;
}

backfill::Plan Backfilling::without(const std::vector<backfill::Preemptible>& jobs,
                                    const Picture& picture, const Draft& draft) const {
  backfill::Plan plan = picture.plan;
  for (const backfill::Preemptible& one : jobs) {
    const EmuTime end = end_of(draft.view().cluster.job(one.job), picture.now);
    for (const auto& [node, amount] : one.holds) plan.end_now(node, amount, end);
  }
  return plan;
}

backfill::Plan& Backfilling::plan_for(const InLine& job, Picture& picture, const Draft& draft,
                                      std::optional<backfill::Plan>& own) const {
  const std::vector<backfill::Preemptible> suspended =
      preemption_.suspended_for(job.id(), picture.nodes, draft);
  if (suspended.empty()) return picture.plan;
  own = without(suspended, picture, draft);
  return *own;
}

std::optional<backfill::Booking> Backfilling::earliest_by_preemption(const InLine& job,
                                                                     const Picture& picture,
                                                                     const Draft& draft) const {
  std::optional<EmuTime> next;
  auto jobs = preemption_.preemptible(job.id(), picture.nodes, draft, next);
  std::ranges::move(preemption_.suspended_for(job.id(), picture.nodes, draft),
                    std::back_inserter(jobs));
  return without(jobs, picture, draft).earliest(job.needs);
}

void Backfilling::sort(std::span<InLine> jobs, JobOrder order, const Draft& draft) const {
  if (order == JobOrder::kFcfs) return;
  std::vector<std::pair<double, InLine>> keyed;
  keyed.reserve(jobs.size());
  for (const InLine& job : jobs) {
    const JobSpec& spec = draft.job(job.request->phase);
    const EmuTime length = job.needs.length;
    keyed.emplace_back(
        place_in(order, {spec.submit, draft.view().cluster.job(job.request->phase.job).eligible(),
                         draft.view().now,
                         length < backfill::kForever ? std::optional(length) : std::nullopt,
                         processors_of(spec), priorities_ ? priorities_->number_of(job.id()) : 0}),
        job);
  }
  std::ranges::stable_sort(keyed, {}, [](const auto& one) { return one.first; });
  for (std::size_t i = 0; i < jobs.size(); ++i) jobs[i] = keyed[i].second;
}

void Backfilling::put_preempting_first(std::vector<InLine>& jobs) const {
  std::vector<InLine> sorted;
  for (const InLine& job : jobs) {
    const auto before =
        !preempts(job) ? sorted.end() : std::ranges::find_if(sorted, [&](const InLine& other) {
          return preemption_.preempts(job.id(), other.id());
        });
    sorted.insert(before, job);
  }
  jobs = std::move(sorted);
}

std::vector<Backfilling::InLine> Backfilling::in_line(const Draft& draft) const {
  std::vector<InLine> jobs;
  for (const auto& [submit, job] : waiting_)  // a gang that was launched just now is still there
    if (const Request* gang = gang_of(draft.view().cluster, job);
        gang && draft.pending(*gang) > 0 && !preemption_.held_back(job))
      if (const InLine in_line{gang, needs_of(*gang, draft)}; may_start(in_line))
        jobs.push_back(in_line);
  sort(jobs, first_by_, draft);
  if (preemption_.any()) put_preempting_first(jobs);
  return jobs;
}

}  // namespace heddle
