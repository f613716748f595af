#include "worker/enforcer.h"

#include <algorithm>
#include <cerrno>
#include <csignal>
#include <utility>

#include "common/file.h"
#include "worker/caps.h"
#include "worker/command.h"
#include "worker/process_state.h"

namespace heddle::worker {
namespace {

/// Returns the time to the next check of a container that is to stop: short at first (a stop
/// usually takes 0.1 to 0.4 ms), then a quarter of the time waited so far.
real::Duration next_look(real::Duration waited) {
  return std::clamp<real::Duration>(waited / 4, std::chrono::microseconds(200),
                                    std::chrono::milliseconds(5));
}

/// How long starts wait for a stop at most. The stop is checked more often than that.
constexpr real::Duration kStopsFirst = std::chrono::milliseconds(10);

/// How long caps stay lifted: a killed task is gone within some milliseconds.
constexpr real::Duration kRelaxed = std::chrono::milliseconds(100);
/// Share of the node's memory from which on the node counts as nearly full.
constexpr double kFull = 0.9;

Result<void> check_size(const TaskWork& work) {
  if (work.threads > kMaxThreads)
    return usage_error("more than " + std::to_string(kMaxThreads) + " threads");
  if (work.memory.size() > kMaxMemoryPoints)
    return usage_error("a memory profile of more than " + std::to_string(kMaxMemoryPoints) +
                       " points");
  if (work.pieces.size() > kMaxPieces)
    return usage_error("work of more than " + std::to_string(kMaxPieces) + " pieces");
  return {};
}

}  // namespace

Result<std::unique_ptr<Enforcer>> Enforcer::create(cgroup::Driver& driver, const std::string& run,
                                                   const wire::Welcome& welcome) {
  std::unique_ptr<Enforcer> enforcer(new Enforcer(driver, welcome));
  const NodeSpec& spec = welcome.spec;
  const Millicores cores = spec.capacity.cores - spec.system.cores;
  HEDDLE_TRY(put(CpuLines::create({cores, spec.speed, welcome.cpu_limit, welcome.scale}),
                 enforcer->lines_));
  HEDDLE_TRY(put(MemoryFiller::run(), enforcer->filler_));
  Result<std::unique_ptr<cgroup::NodeTree>> tree =
      cgroup::NodeTree::create(driver, run, spec.name, node_caps(welcome));
  if (!tree) return std::move(tree).error().in("make the groups of node " + spec.name);
  enforcer->tree_ = *std::move(tree);
  return enforcer;
}

Result<LaunchPlan> Enforcer::prepare(const wire::LaunchCommand& launch) {
  HEDDLE_TRY(check_size(launch.work));
  const bool command = !launch.command.empty();
  Result<LaunchPlan> plan = prepare(launch.container, container_caps(welcome_, launch), !command);
  if (!plan || !command) return plan;
  const int slot = slots_.at(launch.container);
  commands_.insert(launch.container);
  tree_->count_cache(slot);
  HEDDLE_TRY(tree_->limit_processes(slot, kMostProcesses));
  return plan;
}

Result<LaunchPlan> Enforcer::prepare_load(ContainerId id, const Resources& load) {
  return prepare(id, load_caps(welcome_, load), true);
}

Result<LaunchPlan> Enforcer::prepare(ContainerId id, const cgroup::ContainerCaps& caps,
                                     bool attached) {
  if (dropper_)
    for (const int dropped : dropper_->take_over()) tree_->cache_dropped(dropped);
  Result<int> slot = tree_->acquire(caps);
  if (!slot) return std::move(slot).error();
  slots_[id] = *slot;
  LaunchPlan plan;
  plan.doorbell = lines_->doorbell_fd();
  if (!attached) return plan;
  plan.extra = filler_->bell_fd();
  if (driver_.version() == cgroup::Version::kV2)
    HEDDLE_TRY(put(tree_->open_directory(*slot), plan.directory));
  HEDDLE_TRY(put(tree_->open_attach(*slot), plan.attach));
  HEDDLE_TRY(put(tree_->open_memory_use(*slot), plan.resource));
  return plan;
}

std::vector<std::string> Enforcer::directories(ContainerId container) const {
  return driver_.directories(tree_->group(slots_.at(container)));
}

Result<int> Enforcer::publish(const wire::LaunchCommand& launch, real::Time now) {
  if (!launch.command.empty())
    return lines_->add_command(launch.container, launch.resources.cores, now);
  const Millicores cores = launch.resources.cores;
  return lines_->add(launch.container, cores, begin_order(launch.work, cores), now);
}

Result<int> Enforcer::publish_load(ContainerId id, const Resources& load, const TaskWork& work,
                                   real::Time now) {
  return lines_->add(id, load.cores, begin_order(work, load.cores), now, CpuLines::Kind::kCapped);
}

TaskOrder Enforcer::begin_order(const TaskWork& work, Millicores cores) const {
  TaskOrder order = order_for(work, welcome_.scale, cores, welcome_.spec.speed, welcome_.cpu_limit,
                              welcome_.pacing);
  order.huge_pages = huge_pages_ ? 1 : 0;
  return order;
}

void Enforcer::begin(ContainerId container, pid_t process, real::Time now) {
  lines_->begin(container, now);
  TaskPage& page = lines_->page(container);
  if (page.order.memory_points == 0) return;
  // Without the file, the ballast alone follows the profile.
  Result<Fd> usage = tree_->open_memory_use(slots_.at(container));
  filler_->add(container, process, page.ballast, usage ? *std::move(usage) : Fd(), now);
}

std::vector<CpuLines::DonePart> Enforcer::on_doorbell(real::Time now) {
  for (ContainerId container : lines_->releasing()) relax_one(container, now);
  return lines_->on_doorbell(now);
}

void Enforcer::give(ContainerId container, const ProcessPart& part, Millicores cores,
                    real::Time now) {
  lines_->give(container,
               order_for(part, welcome_.scale, cores, welcome_.spec.speed, welcome_.cpu_limit),
               now);
}

Result<void> Enforcer::release(ContainerId container, real::Time now) {
  (void)filler_->remove(container);
  lines_->remove(container, now);
  stops_.erase(container);
  relaxed_.erase(container);
  auto it = slots_.find(container);
  if (it == slots_.end()) return {};
  int slot = it->second;
  slots_.erase(it);
  Result<void> dropping = commands_.erase(container) > 0 ? drop_cache(slot) : Result<void>();
  HEDDLE_TRY(tree_->release(slot));
  return dropping;
}

Result<void> Enforcer::drop_cache(int slot) {
  Result<std::optional<cgroup::CacheDrop>> drop = tree_->begin_drop(slot);
  if (!drop) return std::move(drop).error();
  if (!*drop) return {};
  if (!dropper_) dropper_ = std::make_unique<CacheDropper>();
  dropper_->begin(**std::move(drop));
  return {};
}

Result<void> Enforcer::begin_stop(ContainerId container, real::Time now) {
  int slot = slots_.at(container);
  lines_->set_suspended(container, true, now);
  stops_[container] = {now, now};
  relaxed_.erase(container);
  (void)tree_->prefer(slot);  // without it, the stop only takes longer
  Result<void> begun = tree_->lift(slot, [&] {
    return welcome_.suspend_with == SuspendWith::kFreezer ? tree_->freeze(slot, true)
                                                          : signal(slot, SIGSTOP);
  });
  if (!begun) give_up_stop(container, now);
  return begun;
}

std::vector<Enforcer::StopOutcome> Enforcer::poll_stops(real::Time now) {
  std::vector<StopOutcome> outcomes;
  for (auto& [container, wait] : stops_) {
    if (wait.next > now) continue;
    wait.next = now + next_look(now - wait.since);
    Result<bool> stopped = try_stop(slots_.at(container));
    const real::Time seen = std::chrono::steady_clock::now();
    if (stopped && !*stopped && now - wait.since >= kStopLimit)
      stopped = aborted_error("did not stop within a second");
    if (!stopped)
      outcomes.push_back({container, false, stopped.error().text, seen});
    else if (*stopped)
      outcomes.push_back({container, true, "", seen});
  }
  for (StopOutcome& outcome : outcomes) {
    if (!outcome.stopped) {
      give_up_stop(outcome.container, now);
      continue;
    }
    stops_.erase(outcome.container);
    if (Result<void> restored = tree_->restore(slots_.at(outcome.container)); !restored)
      outcome.reason = "stopped, but: " + restored.error().text;
  }
  return outcomes;
}

Result<bool> Enforcer::try_stop(int slot) {
  if (welcome_.suspend_with == SuspendWith::kFreezer) return tree_->frozen(slot);
  Result<std::vector<pid_t>> members = driver_.members(tree_->group(slot));
  if (!members) return std::move(members).error();
  bool all = !members->empty();  // empty: the task has just ended, which is reported as its end
  for (pid_t process : *members) {
    if (is_stopped(process)) continue;
    all = false;
    // Processes that got the signal before get it again: no harm, and a new child has got none.
    if (::kill(process, SIGSTOP) < 0 && errno != ESRCH)
      return system_error("stop process " + std::to_string(process), errno);
  }
  if (!all) return false;
  // A process may have started another one after the list was read and before it stopped. Stopped
  // processes start none.
  const Result<std::vector<pid_t>> again = driver_.members(tree_->group(slot));
  if (!again) return again.error();
  return std::is_permutation(again->begin(), again->end(), members->begin(), members->end());
}

void Enforcer::give_up_stop(ContainerId container, real::Time now) {
  stops_.erase(container);
  // Continue what was stopped. There is no remedy if that fails, and the caller reports the error
  // that led here.
  (void)resume(container, now);
  (void)tree_->restore(slots_.at(container));
}

void Enforcer::relax(real::Time now) {
  for (const auto& [container, slot] : slots_) relax_one(container, now);
}

void Enforcer::relax_one(ContainerId container, real::Time now) {
  const int slot = slots_.at(container);
  if (!tree_->lifted(slot) && tree_->lift(slot)) relaxed_.insert(container);
  tighten_at_ = now + kRelaxed;
}

void Enforcer::relax_if_full(real::Time now) {
  const auto limit = static_cast<double>(node_caps(welcome_).memory.limit->count());
  Result<real::Bytes> used = tree_->node_memory();
  if (used && static_cast<double>(used->count()) > kFull * limit) relax(now);
}

void Enforcer::tighten(real::Time now) {
  if (now < tighten_at_) return;
  tighten_at_ = real::Time::max();
  // If a cap can't be restored, it stays lifted until the release; the line limits the task.
  for (ContainerId container : std::exchange(relaxed_, {}))
    (void)tree_->restore(slots_.at(container));
}

bool Enforcer::stops_first(real::Time now) const {
  return std::any_of(stops_.begin(), stops_.end(),
                     [now](const auto& stop) { return now - stop.second.since < kStopsFirst; });
}

real::Time Enforcer::next_check() const {
  real::Time next = std::min(tighten_at_, lines_->next_due());
  for (const auto& [container, wait] : stops_) next = std::min(next, wait.next);
  return next;
}

Result<void> Enforcer::resume(ContainerId container, real::Time now) {
  int slot = slots_.at(container);
  // Raise the line first: a thread that wakes under a line of 0 would go back to sleep at once.
  lines_->set_suspended(container, false, now, welcome_.scale.to_real(welcome_.suspend_cost));
  if (welcome_.suspend_with == SuspendWith::kFreezer) return tree_->freeze(slot, false);
  return signal(slot, SIGCONT);
}

Result<void> Enforcer::signal(int slot, int number) {
  Result<std::vector<pid_t>> members = driver_.members(tree_->group(slot));
  if (!members) return std::move(members).error();
  for (pid_t process : *members)
    if (::kill(process, number) < 0 && errno != ESRCH)
      return system_error("signal process " + std::to_string(process), errno);
  return {};
}

Result<void> Enforcer::kill(ContainerId container) {
  stops_.erase(container);
  relaxed_.erase(container);  // the caps stay lifted
  return tree_->kill(slots_.at(container));
}

Result<void> Enforcer::set_oom_score(ContainerId container, int adjustment) {
  Result<std::vector<pid_t>> members = driver_.members(tree_->group(slots_.at(container)));
  if (!members) return std::move(members).error();
  for (pid_t process : *members) {
    const std::string file = "/proc/" + std::to_string(process) + "/oom_score_adj";
    Result<void> written = write_control(file, std::to_string(adjustment));
    const bool gone = !written && (written.error().code == ENOENT || written.error().code == ESRCH);
    if (!written && !gone) return written;
  }
  return {};
}

Result<Sample> Enforcer::sample(ContainerId container) {
  Result<cgroup::ContainerStats> stats = tree_->stats(slots_.at(container));
  if (!stats) return std::move(stats).error();
  return Sample{*stats, said(container).progress};
}

std::optional<Error> Enforcer::start_failure(ContainerId container) const {
  const TaskSaid told = said(container);
  if (told.start_error == 0) return std::nullopt;
  Error why = system_error(text_of(told.failed_step), told.start_error);
  if (is_programs_fault(told.failed_step, told.start_error)) why.kind = Error::Kind::kUsage;
  return why;
}

}  // namespace heddle::worker
