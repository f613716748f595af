#include "tests/core/virtual_cluster.h"

#include <gtest/gtest.h>

#include <cstdio>
#include <iomanip>
#include <sstream>

#include "core/policy/registry.h"
#include "core/scenario/draw.h"

namespace heddle {
namespace {

constexpr EmuTime kNothingDue{INT64_MAX};

}  // namespace

VirtualCluster::VirtualCluster(Scenario scenario)
    : VirtualCluster(std::move(scenario),
                     MakePolicy([](const Scenario& s) { return make_policy(s); })) {}

VirtualCluster::VirtualCluster(Scenario scenario, const Part<Scheduler>& scheduler)
    : VirtualCluster(std::move(scenario),
                     MakePolicy([&](const Scenario& s) { return make_policy(s, scheduler); })) {}

VirtualCluster::VirtualCluster(Scenario scenario, const MakePolicy& make)
    : scenario_(std::move(scenario)), engine_(scenario_, make(scenario_), [this](TaskId task) {
        const PhaseSpec& phase = scenario_.jobs[task.phase.job.value].phases[task.phase.phase];
        TaskWork work = draw_work(scenario_, task);
        // For an application master, this is when it ends if it is to fail.
        work.sleep = EmuTime(static_cast<std::int64_t>(phase.task(task.index).sleep.mean));
        return work;
      }) {}

void VirtualCluster::make_fail(TaskId task, int times, Outcome outcome) {
  failures_[task] = {times, outcome};
}

void VirtualCluster::lose_node(NodeId node, double at_s) {
  at(emu_seconds(at_s), NodeLost{node, "lost"});
}

void VirtualCluster::end_one(std::size_t which, Outcome outcome, double at_s) {
  ends_.emplace(emu_seconds(at_s), End{which, outcome});
}

EmuTime VirtualCluster::next_time() const {
  EmuTime next = kNothingDue;
  if (!queue_.empty()) next = queue_.begin()->first;
  if (!arrivals_.empty()) next = std::min(next, arrivals_.begin()->first);
  if (!ends_.empty()) next = std::min(next, ends_.begin()->first);
  return next;
}

/// Handles the reads that complete and the containers that end at this time.
void VirtualCluster::arrive(EmuTime now) {
  while (!arrivals_.empty() && arrivals_.begin()->first == now) {
    const Arrival arrival = std::move(arrivals_.begin()->second);
    arrivals_.erase(arrivals_.begin());
    auto it = running_.find(arrival.container);
    if (it == running_.end() || !it->second.reading || it->second.part.number != arrival.part)
      continue;
    end_read(now, arrival.container, arrival.read);
    begin_reads(now, arrival.container);
  }
  while (!ends_.empty() && ends_.begin()->first == now) {
    const End end = ends_.begin()->second;
    ends_.erase(ends_.begin());
    if (running_.empty()) continue;
    auto victim =
        std::next(running_.begin(), static_cast<std::ptrdiff_t>(end.which % running_.size()));
    at(now, ContainerEnded{victim->first, end.outcome, OomCause::kNone, 137, "as told", {}});
  }
}

bool VirtualCluster::run() {
  for (std::int64_t i = 0; i < std::ssize(scenario_.cluster.nodes); ++i) {
    at(EmuTime(0), NodeRegistered{NodeId{i}});
    if (scenario_.cluster.dispatch == Dispatch::kHeartbeat)
      at(EmuTime(1 + i), NodeHeartbeat{NodeId{i}, {}});
  }
  for (std::int64_t i = 0; i < std::ssize(scenario_.jobs); ++i)
    if (scenario_.jobs[i].after.empty()) at(scenario_.jobs[i].submit, JobSubmitted{JobId{i}});
  // `idle` counts consecutive steps without effect.
  for (int idle = 0; next_time() != kNothingDue && !engine_.done() && idle < 10000; ++idle) {
    const EmuTime now = next_time();
    arrive(now);
    std::vector<Event> events;
    while (!queue_.empty() && queue_.begin()->first == now) {
      events.push_back(queue_.begin()->second);
      queue_.erase(queue_.begin());
    }
    for (const Event& event : events) {
      const auto* beat = std::get_if<NodeHeartbeat>(&event.what);
      if (beat)
        at(now + scenario_.cluster.heartbeat, *beat);
      else if (!std::holds_alternative<Wake>(event.what))
        idle = 0;
    }
    if (events.empty()) {  // more reads follow this one
      idle = 0;
      continue;
    }
    const std::size_t before = log_.size();
    step(now, std::move(events));
    if (log_.size() != before) idle = 0;
  }
  return engine_.done();
}

void VirtualCluster::finish() {
  EXPECT_TRUE(run());
  EXPECT_EQ(refused(), 0);
}

void VirtualCluster::at(EmuTime time, decltype(Event::what) what) {
  queue_.emplace(time, Event{time, std::move(what)});
}

void VirtualCluster::step(EmuTime now, std::vector<Event> events) {
  std::vector<Event> heard;
  for (Event& event : events) {
    if (const auto* ended = std::get_if<ContainerEnded>(&event.what)) {
      auto task = running_.find(ended->container);
      if (task == running_.end()) continue;  // it was killed before
      if (!task->second.master) finish_[task->second.job] = to_seconds(now);
      running_.erase(task);
    }
    if (const auto* lost = std::get_if<NodeLost>(&event.what)) end_all_on(lost->node);
    const auto* beat = std::get_if<NodeHeartbeat>(&event.what);
    if (!beat || !lost_.contains(beat->node)) heard.push_back(std::move(event));
  }
  Step step = engine_.step(now, heard);
  if (step.remembers) remembered_.push_back(to_seconds(now));
  refused_ += static_cast<int>(step.refused.size());
  for (const Event& event : step.refused)
    log_.push_back("refused: " + std::get<ActionRefused>(event.what).reason);
  for (const PolicyNote& note : step.notes) notes_.push_back(describe(now, note));
  for (const Action& action : step.actions) carry_out(now, action);
  check_invariants();
}

void VirtualCluster::carry_out(EmuTime now, const Action& action) {
  if (const auto* wake = std::get_if<WakeAt>(&action.what)) {
    at(wake->at, Wake{});
    return;
  }
  if (const auto* submit = std::get_if<SubmitAt>(&action.what)) {
    at(submit->at, JobSubmitted{submit->job});
    return;
  }
  if (std::holds_alternative<Submit>(action.what)) return;
  log_.push_back(describe(now, action));
  if (const auto* kill = std::get_if<Kill>(&action.what))
    at(now, ContainerEnded{kill->container, Outcome::kKilled, OomCause::kNone, 137, "killed", {}});
  if (const auto* launch = std::get_if<Launch>(&action.what)) {
    launches_.push_back(action);
    start(now, *launch);
  }
  if (const auto* ready = std::get_if<InputsReady>(&action.what)) proceed(now, ready->container);
  if (const auto* fetch = std::get_if<Fetch>(&action.what))
    read(now, fetch->container, fetch->reads);
  if (const auto* part = std::get_if<RunPart>(&action.what)) run(now, *part);
  if (const auto* finish = std::get_if<Finish>(&action.what)) proceed(now, finish->container);
  if (const auto* it = std::get_if<Suspend>(&action.what)) suspend(now, it->container);
  if (const auto* it = std::get_if<Resume>(&action.what)) resume(now, it->container);
}

void VirtualCluster::start(EmuTime now, const Launch& launch) {
  const TaskId id{launch.phase, launch.task};
  const JobSpec& job = scenario_.jobs[id.phase.job.value];
  Running task{job.name,
               launch.work.sleep,
               Outcome::kCompleted,
               job.phases[id.phase.phase].kind == PhaseKind::kAm,
               launch.node,
               launch.work.sources > 0 || !launch.work.reads.empty(),
               Inputs(launch.work.sources),
               {}};
  EXPECT_FALSE(lost_.contains(launch.node)) << "on a lost node: " << log_.back();
  auto told = failures_.find(id);
  const bool fails = told != failures_.end() && told->second.first > 0;
  if (fails) {
    --told->second.first;
    task.outcome = told->second.second;
  }
  if (!task.master) start_.try_emplace(job.name, to_seconds(now));
  running_[launch.container] = task;
  at(now, ContainerStarted{launch.container});
  if (task.reading) return read(now, launch.container, launch.work.reads);
  if (launch.work.executor) return;
  if (!launch.work.waits && (!task.master || fails)) proceed(now, launch.container);
}

void VirtualCluster::read(EmuTime now, ContainerId container, const std::vector<DataRead>& reads) {
  auto it = running_.find(container);
  if (it == running_.end() || !it->second.reading) return;
  it->second.inputs.add(reads);
  begin_reads(now, container);
}

void VirtualCluster::begin_reads(EmuTime now, ContainerId container) {
  Running& task = running_.at(container);
  if (task.stopped) return;
  for (auto begun = task.inputs.begin(); !begun.empty(); begun = task.inputs.begin()) {
    for (DataRead& read : begun) {
      if (read_time_ > EmuTime(0))
        arrivals_.emplace(now + read_time_, Arrival{container, task.part.number, std::move(read)});
      else
        end_read(now, container, read);
    }
  }
  if (!task.inputs.complete()) return;
  task.reading = false;
  at(now, InputsRead{container});
  if (task.part.number == 0) return proceed(now, container);
  at(now + EmuTime(task.part.cpu.count() / task.part.threads),
     PartDone{container, task.part.number});
}

void VirtualCluster::end_read(EmuTime now, ContainerId container, const DataRead& read) {
  Inputs& inputs = running_.at(container).inputs;
  if (std::any_of(read.from.begin(), read.from.end(),
                  [&](NodeId node) { return !lost_.contains(node); }))
    return inputs.done(read);
  if (inputs.failed(read)) return;
  if (read.source >= 0)
    at(now, InputLost{container, read.source, read.object, "its node is gone"});
  else
    at(now, ContainerEnded{container, Outcome::kFailed, OomCause::kNone, 1, "block lost", {}});
}

void VirtualCluster::run(EmuTime now, const RunPart& run) {
  auto it = running_.find(run.container);
  if (it == running_.end()) return;
  Running& task = it->second;
  EXPECT_FALSE(task.reading) << "two parts at once";
  std::set<int> sources;
  for (const DataRead& read : run.part.reads)
    if (read.source >= 0) sources.insert(read.source);
  task.part = run.part;
  task.reading = true;
  task.inputs = Inputs(static_cast<int>(sources.size()));
  read(now, run.container, run.part.reads);
}

void VirtualCluster::suspend(EmuTime now, ContainerId container) {
  auto it = running_.find(container);
  if (it == running_.end() || refuse_suspensions_ > 0) {
    refuse_suspensions_ = std::max(refuse_suspensions_ - 1, 0);
    return at(now, ActionRefused{"command", "suspend: refused as told"});
  }
  it->second.stopped = true;
  const auto end = std::ranges::find_if(queue_, [&](const auto& one) {
    const auto* ended = std::get_if<ContainerEnded>(&one.second.what);
    return ended && ended->container == container;
  });
  if (end != queue_.end()) {
    it->second.left = end->second;
    it->second.left->at = end->first - now;
    queue_.erase(end);
  }
  at(now + stop_time_, ContainerSuspended{container});
}

void VirtualCluster::resume(EmuTime now, ContainerId container) {
  auto it = running_.find(container);
  if (it == running_.end()) return at(now, ActionRefused{"command", "resume: not alive"});
  resumed_on_.insert(it->second.node);
  it->second.stopped = false;
  at(now, ContainerResumed{container});
  if (it->second.left) at(now + it->second.left->at, it->second.left->what);
  it->second.left.reset();
  if (it->second.reading) begin_reads(now, container);
}

void VirtualCluster::end_all_on(NodeId node) {
  lost_.insert(node);
  std::erase_if(running_, [&](const auto& entry) { return entry.second.node == node; });
}

void VirtualCluster::proceed(EmuTime now, ContainerId container) {
  auto it = running_.find(container);
  if (it == running_.end()) return;
  const Running& task = it->second;
  at(now + task.sleep, ContainerEnded{container,
                                      task.outcome,
                                      OomCause::kNone,
                                      task.outcome == Outcome::kCompleted ? 0 : 1,
                                      "as told",
                                      {}});
}

void VirtualCluster::check_invariants() {
  std::map<NodeId, Resources> sum;
  for (const Container& container : engine_.state().containers())
    sum[container.node] += held(container);
  for (const Node& node : engine_.state().nodes()) {
    for (const auto& [job, kept] : node.kept) {
      EXPECT_FALSE(engine_.state().holdings(job).containers.empty())
          << "no task of its job is left";
      sum[node.id] += kept;
    }
    Resources most = node.spec->allowance;
    if (resumed_on_.contains(node.id)) most.cores = max(most, sum[node.id]).cores;
    EXPECT_TRUE(sum[node.id].fits_in(most)) << node.spec->name;
    EXPECT_EQ(sum[node.id], node.allocated) << node.spec->name;
  }
  for (const auto& [id, request] : engine_.state().requests())
    EXPECT_LE(std::ssize(request.reserved), request.pending);
}

std::string VirtualCluster::describe(EmuTime now, const PolicyNote& note) {
  std::ostringstream text;
  text << std::fixed << std::setprecision(1) << to_seconds(now) << " " << note.about
       << std::defaultfloat << std::setprecision(4);
  for (const auto& [name, value] : note.values) {
    text << " " << name << " ";
    if (const auto* many = std::get_if<std::vector<double>>(&value))
      for (std::size_t i = 0; i < many->size(); ++i) text << (i > 0 ? "/" : "") << (*many)[i];
    else if (const auto* number = std::get_if<double>(&value))
      text << *number;
    else if (const auto* whole = std::get_if<std::int64_t>(&value))
      text << *whole;
    else
      text << std::get<std::string>(value);
  }
  return text.str();
}

std::string VirtualCluster::describe(EmuTime now, const Action& action) const {
  char time[32];
  std::snprintf(time, sizeof time, "%.1f ", to_seconds(now));
  return time + text_of(scenario_, action);
}

std::string text_of(const Scenario& scenario, const Action& action) {
  auto phase = [&](PhaseId id) {
    const JobSpec& job = scenario.jobs[id.job.value];
    return job.name + "." + job.phases[id.phase].name;
  };
  auto node = [&](NodeId id) { return scenario.cluster.nodes[id.value].name; };
  auto number = [](auto id) { return std::to_string(id.value); };
  if (const auto* a = std::get_if<Launch>(&action.what))
    return "launch " + phase(a->phase) + "." + std::to_string(a->task) + " on " + node(a->node);
  if (const auto* a = std::get_if<Reserve>(&action.what))
    return "reserve " + node(a->node) + " for " + phase(a->phase);
  if (const auto* a = std::get_if<Unreserve>(&action.what))
    return "unreserve " + node(a->node) + " from " + phase(a->phase);
  if (const auto* a = std::get_if<Kill>(&action.what)) return "kill " + number(a->container);
  if (const auto* a = std::get_if<InputsReady>(&action.what))
    return "inputs ready for " + number(a->container);
  if (const auto* a = std::get_if<Fetch>(&action.what))
    return "fetch " + std::to_string(a->reads.size()) + " for " + number(a->container);
  if (const auto* a = std::get_if<RunPart>(&action.what))
    return "run part " + std::to_string(a->part.number) + " of stage " +
           std::to_string(a->part.stage) + " in " + number(a->container);
  if (const auto* a = std::get_if<Finish>(&action.what)) return "finish " + number(a->container);
  if (const auto* a = std::get_if<Suspend>(&action.what))
    return "suspend " + number(a->container) + ": " + action.reason;
  if (const auto* a = std::get_if<Resume>(&action.what))
    return "resume " + number(a->container) + ": " + action.reason;
  return "other";
}

double VirtualCluster::wait_s(const std::string& job) const {
  for (const JobSpec& spec : scenario_.jobs)
    if (spec.name == job) return start_.at(job) - to_seconds(spec.submit);
  return -1;
}

double VirtualCluster::finish_s(const std::string& job) const { return finish_.at(job); }

std::map<std::string, int> VirtualCluster::launched(double at_s) const {
  char begin[40];
  const auto length =
      static_cast<std::size_t>(std::snprintf(begin, sizeof begin, "%.1f launch ", at_s));
  std::map<std::string, int> counts;
  for (const std::string& line : log_)
    if (line.starts_with(begin)) ++counts[line.substr(length, line.find('.', length) - length)];
  return counts;
}

std::vector<std::string> by_time(const std::vector<std::string>& log) {
  std::vector<std::string> joined;
  for (const std::string& line : log) {
    const std::size_t space = line.find(' ');
    std::string what = line.substr(space + 1);
    if (what.starts_with("launch ")) what.erase(0, 7);
    if (joined.empty() || !joined.back().starts_with(line.substr(0, space + 1)))
      joined.push_back(line.substr(0, space + 1) + what);
    else
      joined.back() += ", " + what;
  }
  return joined;
}

FinishedRun::FinishedRun(Scenario scenario) : VirtualCluster(std::move(scenario)) { finish(); }

std::vector<std::string> log_of(const Scenario& scenario) { return FinishedRun(scenario).log(); }

double VirtualCluster::makespan_s() const {
  double last = 0;
  for (const auto& [job, at] : finish_) last = std::max(last, at);
  return last;
}

}  // namespace heddle
