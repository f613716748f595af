#include "worker/node.h"

#include <fmt/core.h>
#include <poll.h>

#include <algorithm>
#include <csignal>
#include <iterator>
#include <utility>

#include "common/host_clock.h"
#include "common/log/log.h"
#include "common/overloads.h"
#include "host/host_resources.h"
#include "worker/host_limits.h"
#include "worker/link.h"
#include "worker/load_work.h"
#include "worker/oom_rank.h"

namespace heddle::worker {
namespace {

/// How long a probe waits for heddle-task to begin its work.
constexpr real::Duration kProbeLimit = std::chrono::seconds(1);

/// Number of launches that are under way at the same time. While the start thread waits for the
/// exec of one process, this thread prepares the group of the next.
constexpr std::size_t kMostStarting = 2;

/// Time between samples of a command's memory.
constexpr real::Duration kSamplePeriod = std::chrono::milliseconds(50);

/// Id of probes, which no container and no external load has.
constexpr ContainerId kProbe{1LL << 61};

void log_failure(const char* what, ContainerId container, const Result<void>& result) {
  if (!result)
    log_error(fmt::format("{} container {}: {}", what, container.value, result.error().text));
}

std::vector<std::string> arguments_of(const wire::LaunchCommand& launch) {
  return {std::to_string(launch.container.value), launch.job, launch.phase,
          std::to_string(launch.task), std::to_string(launch.attempt)};
}

}  // namespace

Node::Node(const Parts& parts, const wire::Welcome& welcome)
    : parts_(parts),
      welcome_(welcome),
      monitor_(welcome.scale, heartbeat_period(welcome) / 2),
      transfers_(parts.data, welcome.node, welcome.scale),
      meter_(welcome_, real::now()) {}

Result<std::unique_ptr<Node>> Node::create(const Parts& parts, const wire::Welcome& welcome) {
  std::unique_ptr<Node> node(new Node(parts, welcome));
  HEDDLE_TRY(put(Enforcer::create(parts.driver, parts.run, welcome), node->enforcer_));
  node->outside_.emplace(
      OutsideProgram::Parts{parts.launcher, parts.poller, *node->enforcer_, parts.task_program});
  HEDDLE_TRY(parts.poller.watch(node->enforcer_->doorbell_fd(), kDoorbell));
  HEDDLE_TRY(parts.poller.watch(node->enforcer_->oom_fd(), kOom));
  HEDDLE_TRY(parts.poller.watch(parts.starts.fd(), kStarts));
  HEDDLE_TRY(parts.poller.watch(parts.data.fd(), kData));
  return node;
}

Node::~Node() {
  if (!enforcer_) return;
  parts_.poller.forget(enforcer_->doorbell_fd());
  parts_.poller.forget(enforcer_->oom_fd());
  parts_.poller.forget(parts_.data.fd());
  parts_.poller.forget(parts_.starts.fd());
  while (!starting_.empty())  // the new processes have pages of our CPU lines
    for (const Started& started : parts_.starts.await()) {
      if (started.child) Launcher::abandon(*started.child);
      starting_.pop_front();
    }
  for (const auto& [container, running] : running_) parts_.poller.forget(running.child.pidfd.get());
}

void Node::command(const wire::Command& command) {
  std::visit(
      Overloads{// Not for the table: the job's tasks have ended, or their kills came before.
                [&](const wire::ForgetCommand& forget) { transfers_.forget(forget.job); },
                [&](const wire::ExpectCommand& copy) { transfers_.expect(copy); },
                [&](const ExternalLoad& load) { set_load(load.load); },
                [](const wire::FaultCommand&) {},  // the agent carries them out
                [&](const wire::LaunchCommand& launch) {
                  meter_.launched(launch);
                  carry_out(table_.command(launch, real::now()));
                },
                // A command that the table does not know does not compile here.
                [&](const auto& of_task) { carry_out(table_.command(of_task, real::now())); }},
      command.what);
}

void Node::set_load(const Resources& load) {
  const real::Bytes available = host::host_resources().memory + outside_->use().memory;
  if (Result<void> here = check_load(welcome_, load, parts_.host, available); !here) {
    log_error(fmt::format("refused: {}", here.error().text));
    return;
  }
  outside_->set(load, real::now());
  steer_oom();
}

std::string Node::probe() {
  Result<void> started = try_start(kProbe);
  Result<void> released = enforcer_->release(kProbe, real::now());
  if (started) started = std::move(released);
  if (started) return "";
  log_warning(fmt::format("probe failed: {}", started.error().text));
  return "could not start: " + started.error().text;
}

Result<void> Node::try_start(ContainerId id) {
  Result<LaunchPlan> plan = enforcer_->prepare_load(id, {});
  if (!plan) return std::move(plan).error();
  plan->program = parts_.task_program;
  plan->arguments = {"probe"};
  HEDDLE_TRY(put(enforcer_->publish_load(id, {}, load_work({}), real::now()), plan->page));
  Result<Child> child = parts_.launcher.launch(*plan);
  if (!child) return std::move(child).error();
  Result<void> ran = await_task(id, *child);
  // kill() lifts the caps: a throttled process would not die.
  Result<void> killed = enforcer_->kill(id);
  Launcher::abandon(*child);
  return ran ? std::move(killed) : std::move(ran);
}

Result<void> Node::await_task(ContainerId id, const Child& child) const {
  for (const real::Time until = real::now() + kProbeLimit; real::now() < until;) {
    if (enforcer_->said(id).startup_cpu > real::Duration(0)) return {};
    pollfd end{child.pidfd.get(), POLLIN, 0};
    if (::poll(&end, 1, 1) > 0)
      return machine_error("heddle-task ended at once; it may be of another build than the worker");
  }
  return machine_error("heddle-task did not begin within a second");
}

void Node::set_speed(double factor) { enforcer_->set_speed(factor, real::now()); }

void Node::kill_all() {
  outside_->end();
  carry_out(table_.kill_all());
}

void Node::carry_out(Effects effects) {
  std::deque<Effect> queue(effects.begin(), effects.end());
  const auto add = [&](Effects more) { std::ranges::move(more, std::back_inserter(queue)); };
  for (; !queue.empty(); queue.pop_front())
    std::visit(
        Overloads{[&](const Start& start) { starts_.push_back(start.launch); },
                  [&](const Stop& stop) {
                    Result<void> begun = enforcer_->begin_stop(stop.container, real::now());
                    if (!begun)  // else poll_stops continues it
                      add(table_.stop_failed(stop.container, begun.error().text, real::now()));
                  },
                  [&](const Continue& resumed) {
                    const ContainerId container = resumed.container;
                    log_failure("continue", container, enforcer_->resume(container, real::now()));
                    add(table_.continued(container, real::now()));
                  },
                  [&](const BeginRead& read) { transfers_.begin(read, real::now()); },
                  // Only a task that has run its part writes, so it is in running_.
                  [&](const BeginWrite& write) {
                    transfers_.begin(write, running_.at(write.container).job, real::now());
                  },
                  [&](const auto& other) { carry_out(other); }},
        queue.front());
}

void Node::carry_out(const Give& give) {
  // Only running processes get parts. This one may have ended without our knowing it yet.
  auto it = running_.find(give.container);
  if (it == running_.end()) return;
  it->second.part_ideal = ideal_of(give.part.work, it->second.cores);
  enforcer_->give(give.container, give.part, it->second.cores, real::now());
}

EmuTime Node::ideal_of(const TaskWork& work, Millicores cores) const {
  return ideal_time(work, cores, welcome_.spec.speed, welcome_.cpu_limit == CpuLimit::kShares);
}

void Node::note_work(ContainerId container, real::Time noticed) {
  auto it = running_.find(container);
  if (it == running_.end() || it->second.work.size() >= kMaxTimes) return;
  const auto time =
      work_time(enforcer_->part_times(container), it->second.part_ideal, noticed, welcome_.scale);
  if (time) it->second.work.push_back(*time);
}

void Node::carry_out(const SendSigkill& kill) {
  log_failure("kill", kill.container, enforcer_->kill(kill.container));
  // Only the supervisor knows a process that has not joined the container yet.
  auto it = running_.find(kill.container);
  if (it != running_.end() && !it->second.program.empty())
    for (int signal : {SIGTERM, SIGCONT})  // someone may have stopped it
      log_failure("kill", kill.container, Launcher::signal(it->second.child, signal));
}

void Node::carry_out(const Release& release) {
  auto it = running_.find(release.container);
  if (it != running_.end()) {
    parts_.poller.forget(it->second.child.pidfd.get());
    running_.erase(it);
  }
  monitor_.remove(release.container);
  transfers_.drop(release.container);
  log_failure("release", release.container, enforcer_->release(release.container, real::now()));
}

void Node::carry_out(const wire::Report& report) {
  if (std::holds_alternative<wire::CommandRefused>(report.what))
    log_warning(fmt::format("refused to {}", report.reason()));
  else if (const std::string reason = report.reason(); !reason.empty())
    log_info(fmt::format("container {}: {}", report.container().value, reason));
  meter_.reported(report);
  reports_.push_back(report);
}

Result<LaunchPlan> Node::plan_for(const wire::LaunchCommand& launch) {
  const bool command = !launch.command.empty();
  if (command && parts_.commands == nullptr)
    return usage_error("this worker does not allow commands (--allow-commands)");
  if (command) HEDDLE_TRY(check_command(launch));
  HEDDLE_TRY(check_launch(welcome_, launch, parts_.host));
  Result<LaunchPlan> plan = enforcer_->prepare(launch);
  if (!plan) return plan;
  plan->program = parts_.task_program;
  plan->arguments = arguments_of(launch);
  if (command) HEDDLE_TRY(make_command(launch, *plan));
  return plan;
}

Result<void> Node::make_command(const wire::LaunchCommand& launch, LaunchPlan& plan) {
  const CommandCage& cage = *parts_.commands;
  plan.arguments = supervisor_arguments(launch, cage, enforcer_->directories(launch.container));
  HEDDLE_TRY(put(make_command_directory(cage.logs.get(), launch, cage.user), plan.resource));
  plan.extra = cage.filter.get();
  plan.supervisor = true;
  plan.own_namespaces = cage.own_namespaces;
  return {};
}

Effects Node::begin_start(const wire::LaunchCommand& launch) {
  ContainerId container = launch.container;
  if (!table_.start_wanted(container))
    return table_.start_failed(container, aborted_error("killed before it was started"),
                               real::now());
  Result<LaunchPlan> plan = plan_for(launch);
  if (!plan) return table_.start_failed(container, plan.error(), real::now());
  if (Result<void> page = put(enforcer_->publish(launch, real::now()), plan->page); !page)
    return table_.start_failed(container, page.error(), real::now());
  enforcer_->relax_if_full(real::now());
  parts_.starts.begin(*std::move(plan));
  starting_.push_back(launch);
  return {};
}

Effects Node::end_start(const wire::LaunchCommand& launch, Started started) {
  const ContainerId container = launch.container;
  const real::Time at = started.at;
  Result<Child>& child = started.child;
  if (!child) return table_.start_failed(container, child.error(), at);
  enforcer_->begin(container, child->pid, at);
  Result<void> watched =
      parts_.poller.watch(child->pidfd.get(), static_cast<std::uint64_t>(container.value));
  if (!watched) {  // the end of the process would go unnoticed
    (void)enforcer_->stop_filling(container);
    Launcher::abandon(*child);
    return table_.start_failed(container, watched.error(), real::now());
  }
  log_debug(fmt::format("container {}: started as process {}", container.value, child->pid));
  // Nobody knows what a command does, so its ideal time is unknown, too.
  const bool command = !launch.command.empty();
  const EmuTime ideal = command ? EmuTime(0) : ideal_of(launch.work, launch.resources.cores);
  const bool whole = has_ideal_time(launch.work);
  running_[container] = {.child = *std::move(child),
                         .since = at,
                         .job = launch.job,
                         .cores = launch.resources.cores,
                         .ideal = whole ? ideal : EmuTime(0),
                         .part_ideal = whole || !begins_at_once(launch.work) ? EmuTime(0) : ideal,
                         .program = command ? launch.command[0] : "",
                         .output_limit = launch.output_limit};
  monitor_.add(container, at, {launch.work.memory, launch.resources.memory});
  if (command) sample_due_ = std::min(sample_due_, at + kSamplePeriod);
  steer_oom();
  return table_.started(container, at);
}

void Node::work() {
  real::Time at = real::now();
  enforcer_->tighten(at);
  enforcer_->end_costs(at);
  sample_commands(at);
  for (const Enforcer::StopOutcome& outcome : enforcer_->poll_stops(at)) {
    if (!outcome.reason.empty())
      log_error(fmt::format("suspend container {}: {}", outcome.container.value, outcome.reason));
    carry_out(outcome.stopped ? table_.stopped(outcome.container, outcome.at)
                              : table_.stop_failed(outcome.container, outcome.reason, outcome.at));
  }
  if (starts_wait(at)) return;
  wire::LaunchCommand launch = std::move(starts_.front());
  starts_.pop_front();
  carry_out(begin_start(launch));
}

real::Time Node::next_due() const {
  return starts_wait(real::now()) ? std::min(enforcer_->next_check(), sample_due_) : real::Time();
}

bool Node::starts_wait(real::Time at) const {
  return starts_.empty() || starting_.size() == kMostStarting || enforcer_->stops_first(at);
}

void Node::on_ready(std::uint64_t tag) {
  on_starts();  // handle a start before the parts that the process has done
  if (tag == kDoorbell) {
    on_doorbell();
  } else if (tag == kData) {
    on_data();
  } else if (tag == kOom) {
    enforcer_->on_oom(real::now());
  } else if (outside_->is_its(tag)) {
    outside_->on_exit(real::now());
    steer_oom();
  } else if (tag < kDoorbell) {
    on_exit(ContainerId{static_cast<std::int64_t>(tag)});
  }
}

void Node::on_starts() {
  for (Started& started : parts_.starts.take()) {
    const wire::LaunchCommand launch = std::move(starting_.front());
    starting_.pop_front();
    carry_out(end_start(launch, std::move(started)));
  }
}

void Node::on_doorbell() {
  for (const CpuLines::DonePart& done : enforcer_->on_doorbell(real::now())) {
    note_work(done.container, real::now());
    carry_out(table_.part_done(done.container, done.number, real::now()));
  }
}

void Node::on_data() {
  for (const Transfers::Ended& ended : transfers_.take(real::now())) {
    if (const auto* read = std::get_if<DataRead>(&ended.what))
      carry_out(ended.error.empty()
                    ? table_.read_done(ended.container, *read, real::now())
                    : table_.read_failed(ended.container, *read, ended.error, real::now()));
    else if (ended.error.empty())
      carry_out(table_.write_done(ended.container, real::now()));
    else
      carry_out(table_.write_failed(ended.container, std::get<DataWrite>(ended.what), ended.error,
                                    real::now()));
  }
}

/// Returns when the container ended. A task that did its work ended when it reported so: this
/// worker may have been busy starting another.
real::Time Node::end_of(ContainerId container, const Ended& ended, real::Time noticed) const {
  if (ended.by_signal || ended.value != 0) return noticed;
  return std::clamp(enforcer_->said(container).done.value_or(noticed), running_.at(container).since,
                    noticed);
}

void Node::on_exit(ContainerId container) {
  auto it = running_.find(container);
  if (it == running_.end()) return;
  FillReport filled = enforcer_->stop_filling(container);
  filled.cpu += enforcer_->said(container).release_cpu;
  Result<std::optional<Ended>> ended = Launcher::reap(it->second.child);
  real::Time at = real::now();
  if (!ended) {
    // Nobody else may reap the process, so this can't happen. Reported as a crash, the end is not
    // lost.
    log_error(fmt::format("container {}: {}", container.value, ended.error().text));
    ended = std::optional<Ended>(Ended{true, SIGKILL, real::Duration(0)});
  }
  if (!*ended) return;
  const Ended& end = **ended;
  if (!end.by_signal && end.value == 0) note_work(container, at);
  at = end_of(container, end, at);
  const ProcessEnd process = process_end(container, end);
  AttemptUsage usage = usage_of(container, end, process.oom, filled, at);
  carry_out(table_.exited(container, process, usage, at));
}

ProcessEnd Node::process_end(ContainerId container, const Ended& ended) {
  const Running& running = running_.at(container);
  ProcessEnd process{ended.by_signal, ended.value, OomCause::kNone};
  // A command exits with its program's status, which may equal one of heddle-task's.
  const bool own_status = !ended.by_signal && running.program.empty();
  process.crash_asked = own_status && ended.value == kTaskExitCrash;
  process.machine_failed =
      own_status && (ended.value == kTaskExitResource || ended.value == kTaskExitPage);
  if (std::optional<Error> failure = enforcer_->start_failure(container)) {
    process.not_started =
        running.program + ": " + failure->text + start_hint(running.program, parts_.commands);
    process.machine_failed = failure->kind != Error::Kind::kUsage;
  }
  // A supervisor exits normally if its program died of a signal.
  const TaskSaid said = enforcer_->said(container);
  if (said.end_signal != 0 && !ended.by_signal) {
    process.by_signal = true;
    process.value = said.end_signal;
  }
  process.limit = limit_text(said.exceeded, running.output_limit);
  process.scale = welcome_.scale;
  // A process that the program had started may have been killed, and the program ends with 0.
  enforcer_->drain_oom();  // the event may have come without being read yet
  Result<OomCause> cause = enforcer_->oom_cause(container);
  if (cause)
    process.oom = *cause;
  else
    log_error(fmt::format("container {}: can't find out whose memory limit was exceeded: {}",
                          container.value, cause.error().text));
  return process;
}

AttemptUsage Node::usage_of(ContainerId container, const Ended& ended, OomCause oom,
                            const FillReport& filled, real::Time at) {
  cgroup::ContainerStats stats;
  stats.cpu = ended.cpu;
  if (Result<Sample> sample = enforcer_->sample(container))
    stats = sample->stats;
  else
    log_error(fmt::format("measure container {}: {}", container.value, sample.error().text));
  const Running& running = running_.at(container);
  std::optional<real::Bytes> limit;
  if (!running.program.empty() && oom == OomCause::kContainer)
    limit = enforcer_->memory_limit(container);
  AttemptUsage usage = monitor_.finish(container, stats, at, filled, limit);
  usage.ideal = running.ideal;
  usage.contended = enforcer_->contended(container);
  Transfers::Moved moved = transfers_.moved(container);
  usage.read_local = moved.read_local;
  usage.read_remote = moved.read_remote;
  usage.written = moved.written;
  usage.work = running.work;
  usage.transfers = transfers_.times(container, running.since, at);
  usage.host_lost = welcome_.scale.to_emulated(enforcer_->said(container).forfeited);
  return usage;
}

void Node::sample_commands(real::Time at) {
  if (at < sample_due_) return;
  sample_due_ = real::Time::max();
  for (const auto& [container, running] : running_) {
    if (running.program.empty()) continue;
    sample_due_ = at + kSamplePeriod;
    // A container that the kernel charges less than what was seen has no new peak. If reading
    // fails, the next heartbeat says so.
    const auto use = enforcer_->memory_above(container, monitor_.largest(container));
    if (use && *use) monitor_.note(container, **use);
  }
}

void Node::measure(wire::Heartbeat& heartbeat) {
  for (const auto& [container, running] : running_) {
    if (Result<Sample> sample = enforcer_->sample(container))
      monitor_.record(container, *sample, real::now());
    else
      log_error(fmt::format("measure container {}: {}", container.value, sample.error().text));
  }
  // List all containers, also those that are starting: the master takes a missing one for lost.
  std::map<ContainerId, ContainerUse> uses;
  for (ContainerId container : table_.containers()) uses[container].container = container;
  for (const ContainerUse& use : monitor_.uses()) uses[use.container] = use;
  for (auto& [container, use] : uses) {
    const Transfers::Moved moved = transfers_.moved(container);
    use.disk = moved.read_local + moved.written;
    use.network = moved.read_remote;
  }
  for (const auto& [container, use] : uses) heartbeat.containers.push_back(use);
  if (Result<cgroup::ContainerStats> node = enforcer_->node_stats())
    meter_.measure(*node, outside_->use(), real::now(), heartbeat);
  else
    log_error(fmt::format("measure the node: {}", node.error().text));
  steer_oom();
}

void Node::steer_oom() {
  const bool raised = outside_->unprotected();
  if (welcome_.oom_preference == OomPreference::kKernel && !raised) return;
  std::vector<OomCandidate> candidates;
  for (const auto& [container, running] : running_)
    candidates.push_back({container, running.since, monitor_.held(container)});
  for (const auto& [container, score] : oom_scores(welcome_.oom_preference, candidates, raised)) {
    Result<void> set = enforcer_->set_oom_score(container, score);
    if (set || std::exchange(steering_failed_, true)) continue;
    log_error(fmt::format("can't set the order in which the kernel kills containers: {}",
                          set.error().text));
  }
}

}  // namespace heddle::worker
