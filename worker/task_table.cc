#include "worker/task_table.h"

#include <fmt/format.h>

#include <csignal>
#include <cstring>

#include "common/cpu_line.h"
#include "core/scenario/faults.h"

namespace heddle::worker {
namespace {

wire::Report refused(ContainerId container, real::Time now, const std::string& what,
                     const std::string& why) {
  return report_of(wire::CommandRefused{container, fmt::format("{} container {}: {}", what,
                                                               container.value, why)},
                   now);
}

std::string mebibytes(EmuBytes bytes) {
  return fmt::format("{:.0f} MiB", static_cast<double>(bytes.count()) / (1 << 20));
}

/// Returns an amount in both units if they differ. A program sees the real one.
std::string in_both(EmuBytes bytes, const Scale& scale) {
  if (scale.memory == 1) return mebibytes(bytes);
  return fmt::format("{} emulated, {:.0f} MiB real", mebibytes(bytes),
                     static_cast<double>(scale.to_real(bytes).count()) / (1 << 20));
}

std::string oom_reason(OomCause cause, EmuBytes limit, EmuBytes peak, const Scale& scale) {
  switch (cause) {
    case OomCause::kContainer:
      return "killed by the kernel: over its own memory limit of " + in_both(limit, scale) +
             " (peak " + in_both(peak, scale) + ")";
    case OomCause::kNode:
      return "killed by the kernel: its node was out of memory (its own use: " + mebibytes(peak) +
             " of " + in_both(limit, scale) + ")";
    default:
      return "killed by the kernel for lack of memory outside its node (the host, or a limit above "
             "ours)";
  }
}

std::string signal_reason(int signal) {
  const char* name = ::strsignal(signal);  // only one thread calls it
  std::string text = fmt::format("signal {} ({})", signal, name != nullptr ? name : "?");
  if (signal == SIGKILL || signal == SIGTERM || signal == SIGINT || signal == SIGHUP)
    return "killed by " + text + ", not by Heddle";
  return "crashed: " + text;
}

}  // namespace

ContainerEnded describe_end(const ProcessEnd& end, bool killed_by_us, EmuBytes limit,
                            EmuBytes peak) {
  ContainerEnded ended;
  ended.exit_code = end.by_signal ? 128 + end.value : end.value;
  if (!end.limit.empty()) {
    ended.outcome = killed_by_us ? Outcome::kKilled : Outcome::kFailed;
    ended.reason = end.limit;
  } else if (ended.exit_code == 0 && end.oom == OomCause::kNone) {
    ended.outcome = Outcome::kCompleted;
  } else if (!end.not_started.empty()) {
    ended.outcome = killed_by_us         ? Outcome::kKilled
                    : end.machine_failed ? Outcome::kNotStarted
                                         : Outcome::kFailed;
    ended.reason = "could not start: " + end.not_started;
  } else if (end.oom != OomCause::kNone) {
    ended.outcome = Outcome::kOomKilled;
    ended.oom = end.oom;
    ended.reason = oom_reason(end.oom, limit, peak, end.scale);
    if (ended.exit_code == 0)
      ended.reason +=
          "; only processes that it had started were killed, and it ended with status 0";
  } else if (killed_by_us && (!end.by_signal || end.value == SIGKILL || end.value == SIGTERM)) {
    ended.outcome = Outcome::kKilled;
    ended.reason = "killed as asked";
  } else {
    ended.outcome = end.machine_failed ? Outcome::kNotStarted : Outcome::kFailed;
    ended.reason = end.crash_asked ? kCrashReason
                   : end.by_signal ? signal_reason(end.value)
                   : end.machine_failed
                       ? fmt::format("could not run: status {} of heddle-task{}", end.value,
                                     end.value == kTaskExitPage
                                         ? ", which may be of another build than the worker"
                                         : "")
                       : fmt::format("exited with status {}", end.value);
  }
  return ended;
}

TaskTable::Task* TaskTable::find(ContainerId container) {
  auto it = tasks_.find(container);
  return it == tasks_.end() ? nullptr : &it->second;
}

Effects TaskTable::command(const wire::LaunchCommand& launch, real::Time) {
  auto [it, is_new] = tasks_.try_emplace(launch.container);
  if (!is_new) return {};  // already alive, so the command was repeated
  it->second.limit = launch.resources.memory;
  // A command does its own work. We give it no parts, and read or write no data for it.
  it->second.data = TaskData(launch.container, launch.command.empty() ? launch.work : TaskWork{});
  return {Start{launch}};
}

template <class Change>
Effects TaskTable::change(ContainerId container, real::Time now, Change change) {
  Effects effects;
  Task* task = find(container);
  if (task == nullptr) return effects;
  change(*task, effects);
  settle(container, *task, now, effects);
  return effects;
}

template <class Change>
Effects TaskTable::tell(ContainerId container, const char* what, real::Time now, Change change_it) {
  if (find(container) == nullptr) return {refused(container, now, what, "not alive on this node")};
  return change(container, now, [&](Task& task, Effects&) { change_it(task); });
}

Effects TaskTable::command(const Kill& kill, real::Time now) {
  return tell(kill.container, "kill", now, [](Task& task) { task.killed = true; });
}

Effects TaskTable::command(const Suspend& suspend, real::Time now) {
  return want(suspend.container, true, now);
}

Effects TaskTable::command(const Resume& resume, real::Time now) {
  return want(resume.container, false, now);
}

Effects TaskTable::want(ContainerId container, bool suspended, real::Time now) {
  const char* what = suspended ? "suspend" : "resume";
  Task* task = find(container);
  if (task && task->killed) return {refused(container, now, what, "is being killed")};
  if (task && task->state == (suspended ? State::kSuspended : State::kRunning)) {
    task->suspend_wanted = suspended;
    return {suspended ? report_of(ContainerSuspended{container}, now)
                      : report_of(ContainerResumed{container}, now)};
  }
  return tell(container, what, now, [&](Task& it) { it.suspend_wanted = suspended; });
}

Effects TaskTable::command(const InputsReady& ready, real::Time now) {
  return tell(ready.container, "report inputs ready to", now,
              [](Task& task) { task.data.inputs_ready(); });
}

Effects TaskTable::command(const Fetch& fetch, real::Time now) {
  return tell(fetch.container, "fetch for", now, [&](Task& task) { task.data.fetch(fetch.reads); });
}

Effects TaskTable::command(const RunPart& part, real::Time now) {
  const std::string what = fmt::format("run part {} in", part.part.number);
  std::string wrong;
  Effects effects = tell(part.container, what.c_str(), now,
                         [&](Task& task) { wrong = task.data.run_part(part.part); });
  if (!wrong.empty()) effects.push_back(refused(part.container, now, what, wrong));
  return effects;
}

Effects TaskTable::command(const Finish& finish, real::Time now) {
  return tell(finish.container, "finish", now, [](Task& task) { task.data.finish(); });
}

Effects TaskTable::part_done(ContainerId container, int number, real::Time now) {
  return change(container, now, [&](Task& task, Effects&) { task.data.part_done(number); });
}

Effects TaskTable::read_done(ContainerId container, const DataRead& read, real::Time now) {
  return change(container, now, [&](Task& task, Effects&) { task.data.read_done(read); });
}

Effects TaskTable::read_failed(ContainerId container, const DataRead& read,
                               const std::string& error, real::Time now) {
  return change(container, now, [&](Task& task, Effects& effects) {
    if (!task.killed) fail(task, task.data.read_failed(read, error, now, effects));
  });
}

Effects TaskTable::write_done(ContainerId container, real::Time now) {
  return change(container, now, [](Task& task, Effects&) { task.data.write_done(); });
}

Effects TaskTable::write_failed(ContainerId container, const DataWrite& write,
                                const std::string& error, real::Time now) {
  return change(container, now, [&](Task& task, Effects&) {
    if (!task.killed) fail(task, TaskData::write_failure(write, error));
  });
}

void TaskTable::fail(Task& task, const std::string& reason) {
  if (reason.empty()) return;
  task.failure = reason;
  task.killed = true;
}

void TaskTable::settle(ContainerId container, Task& task, real::Time now, Effects& effects) {
  if (task.state == State::kStarting) return;
  if (task.killed) {
    if (!task.kill_sent) effects.push_back(SendSigkill{container});
    task.kill_sent = true;
    return;
  }
  task.data.advance(task.state == State::kRunning && !task.suspend_wanted, now, effects);
  if (task.state == State::kRunning && task.suspend_wanted) {
    task.state = State::kStopping;
    effects.push_back(Stop{container});
  } else if (task.state == State::kSuspended && !task.suspend_wanted) {
    task.state = State::kContinuing;
    effects.push_back(Continue{container});
  }
}

template <class Event>
Effects TaskTable::step(State from, State to, const Event& event, real::Time now) {
  Task* task = find(event.container);
  if (task == nullptr || task->state != from) return {};
  task->state = to;
  Effects effects{report_of(event, now)};
  settle(event.container, *task, now, effects);
  return effects;
}

Effects TaskTable::started(ContainerId container, real::Time now) {
  return step(State::kStarting, State::kRunning, ContainerStarted{container}, now);
}

Effects TaskTable::start_failed(ContainerId container, const Error& reason, real::Time now) {
  Task* task = find(container);
  if (task == nullptr || task->state != State::kStarting) return {};
  ContainerEnded ended;
  ended.container = container;
  ended.reason = "could not start: " + reason.text;
  ended.outcome = task->killed                         ? Outcome::kKilled
                  : reason.kind == Error::Kind::kUsage ? Outcome::kFailed
                                                       : Outcome::kNotStarted;
  tasks_.erase(container);
  return {Release{container}, report_of(std::move(ended), now)};
}

Effects TaskTable::stopped(ContainerId container, real::Time now) {
  return step(State::kStopping, State::kSuspended, ContainerSuspended{container}, now);
}

Effects TaskTable::stop_failed(ContainerId container, const std::string& reason, real::Time now) {
  Task* task = find(container);
  if (task == nullptr || task->state != State::kStopping) return {};
  task->state = State::kRunning;
  Effects effects{refused(container, now, "suspend", reason)};
  // If a Resume has come during the stop, the container already runs, so report that.
  if (!task->suspend_wanted) effects.push_back(report_of(ContainerResumed{container}, now));
  task->suspend_wanted = false;
  settle(container, *task, now, effects);
  return effects;
}

Effects TaskTable::continued(ContainerId container, real::Time now) {
  return step(State::kContinuing, State::kRunning, ContainerResumed{container}, now);
}

Effects TaskTable::exited(ContainerId container, const ProcessEnd& end, const AttemptUsage& usage,
                          real::Time now) {
  Task* task = find(container);
  if (task == nullptr) return {};
  ContainerEnded ended = describe_end(end, task->killed, task->limit, usage.peak_memory);
  if (!task->failure.empty() && ended.outcome == Outcome::kKilled) {
    ended.outcome = Outcome::kFailed;
    ended.reason = task->failure;
  }
  ended.container = container;
  ended.usage = usage;
  tasks_.erase(container);
  return {report_of(std::move(ended), now), Release{container}};
}

bool TaskTable::start_wanted(ContainerId container) const {
  auto it = tasks_.find(container);
  return it != tasks_.end() && it->second.state == State::kStarting && !it->second.killed;
}

std::vector<ContainerId> TaskTable::containers() const {
  std::vector<ContainerId> containers;
  for (const auto& [container, task] : tasks_) containers.push_back(container);
  return containers;
}

Effects TaskTable::kill_all() {
  Effects effects;
  for (auto& [container, task] : tasks_) {
    task.killed = true;
    settle(container, task, {}, effects);  // reports nothing, because all tasks are being killed
  }
  return effects;
}

}  // namespace heddle::worker
