#include "trace/trace.h"

#include <algorithm>
#include <utility>

#include "wire/record.h"
#include "wire/values.h"

namespace heddle::trace {
namespace {

using wire::BadField;
using wire::Fields;
using wire::Json;
using wire::rounded;

/// If more than this share of a node's cores is in use, the tasks on the node possibly wanted more
/// cores.
constexpr double kCrowded = 0.97;

/// Returns corners [s since the work began, cores, memory, disk bytes/s, network bytes/s, share of
/// the time spent waiting for a core of the crowded node]. The last corner is the end.
Json usage_json(const std::vector<UsageStretch>& stretches) {
  Json corners = Json::array();
  EmuTime at;
  for (const UsageStretch& stretch : stretches) {
    const double s = to_seconds(stretch.length);
    corners.push_back({to_seconds(at), rounded(stretch.cores()), stretch.from.count(),
                       rounded(static_cast<double>(stretch.disk.count()) / s),
                       rounded(static_cast<double>(stretch.network.count()) / s),
                       rounded(to_seconds(stretch.kept) / s)});
    at += stretch.length;
  }
  if (!stretches.empty())
    corners.push_back({to_seconds(at), 0, stretches.back().to.count(), 0, 0, 0});
  return corners;
}

void put_use(CoreTime cpu, EmuBytes peak, const std::vector<UsageStretch>& stretches, Json& json) {
  json["cpu_core_s"] = to_core_seconds(cpu);
  json["peak_memory"] = peak.count();
  json["usage"] = usage_json(stretches);
}

/// Writes the part of the usage that is known from samples.
void put_use(const UsageCurve& curve, Json& json) {
  const std::vector<UsageStretch> stretches = curve.unfinished();
  EmuBytes peak = curve.last().memory;
  for (const UsageStretch& stretch : stretches) peak = std::max({peak, stretch.from, stretch.to});
  put_use(curve.last().cpu, peak, stretches, json);
}

/// Returns whether a trace needs records of this type. Records of other types are not parsed. Most
/// of these are heartbeats.
bool matters(const std::string& type) {
  for (const char* known : {"launch", "container_started", "container_ended", "container_suspended",
                            "container_resumed", "inputs_read", "inputs_ready", "external_load"})
    if (type == known) return true;
  return false;
}

}  // namespace

TraceBuilder::TraceBuilder(const Scenario& scenario, Sink sink)
    : scenario_(scenario), sink_(std::move(sink)), jobs_(scenario.jobs.size()) {
  for (std::size_t i = 0; i < jobs_.size(); ++i)
    jobs_[i].completed.resize(scenario.jobs[i].phases.size());
}

Result<void> TraceBuilder::add_record(const wire::Json& record) {
  try {
    Fields fields(record, "record");
    const std::string type = fields.text("type");
    if (type == "run") mode_ = fields.text("mode");
    if (type == "job_finished") job_finished(record);
    if (!matters(type)) return {};
    auto parsed = wire::from_json(record);
    if (!parsed) return std::move(parsed).error();
    if (const auto* event = std::get_if<Event>(&*parsed))
      std::visit([&](const auto& what) { on(what, event->at); }, event->what);
    if (const auto* action = std::get_if<Action>(&*parsed)) {
      const EmuTime time = wire::time_field(fields, "t");
      std::visit([&](const auto& what) { on(what, time); }, action->what);
    }
  } catch (const BadField& bad) {
    return aborted_error(bad.text);
  }
  return {};
}

Result<void> TraceBuilder::add_sample(const wire::Json& sample) {
  try {
    Fields fields(sample, "sample");
    const EmuTime time = wire::time_field(fields, "t");
    const std::vector<ContainerUse> uses = wire::containers_from(fields, "containers");
    const double reach = is_crowded(fields) ? most_got(time, uses) : 0;
    for (const ContainerUse& use : uses) {
      Container* container = alive(use.container);
      if (container && container->started)
        container->curve.add(time, use, reach * work_rate(*container));
    }
  } catch (const BadField& bad) {
    return aborted_error(bad.text);
  }
  return {};
}

bool TraceBuilder::is_crowded(const wire::Fields& sample) const {
  const std::int64_t id = sample.integer("node", 0, std::ssize(scenario_.cluster.nodes) - 1);
  const NodeSpec& node = scenario_.cluster.nodes[id];
  auto load = loads_.find(NodeId{id});
  const Millicores cores = node.capacity.cores - node.system.cores -
                           (load == loads_.end() ? Millicores(0) : load->second);
  const double all = static_cast<double>(cores.count()) / 1e3 * node.speed;
  return sample.number("cpu_cores", 0, 1e9) > kCrowded * all;
}

double TraceBuilder::work_rate(const Container& container) const {
  return static_cast<double>(container.held.cores.count()) / 1e3 *
         scenario_.cluster.nodes[container.node.value].speed;
}

/// Returns the largest share of its held cores that a container on the node used. Every container
/// could have used this share of its own cores.
double TraceBuilder::most_got(EmuTime time, const std::vector<ContainerUse>& uses) {
  double most = 0;
  for (const ContainerUse& use : uses) {
    const Container* container = alive(use.container);
    if (container && container->started && work_rate(*container) > 0)
      most = std::max(most, container->curve.cores_until(time, use) / work_rate(*container));
  }
  return most;
}

void TraceBuilder::finish() {
  header();
  for (const auto& [id, container] : alive_) {
    Json json = container_json(id, container);
    put_use(container.curve, json);
    job(container.phase.job).gone.push_back(std::move(json));
  }
  alive_.clear();
  for (std::size_t i = 0; i < jobs_.size(); ++i)
    if (!jobs_[i].written) write(JobId{static_cast<std::int64_t>(i)});
}

TraceBuilder::Job& TraceBuilder::job(JobId id) {
  if (id.value < 0 || id.value >= std::ssize(jobs_))
    throw BadField{"job " + std::to_string(id.value) + " is not in the scenario"};
  return jobs_[id.value];
}

const PhaseSpec& TraceBuilder::phase(PhaseId id) const {
  const std::vector<PhaseSpec>& phases = scenario_.jobs[id.job.value].phases;
  if (id.phase < 0 || id.phase >= std::ssize(phases))
    throw BadField{"job " + std::to_string(id.job.value) + " has no phase " +
                   std::to_string(id.phase)};
  return phases[id.phase];
}

TraceBuilder::Container* TraceBuilder::alive(ContainerId id) {
  auto it = alive_.find(id);
  return it == alive_.end() ? nullptr : &it->second;
}

bool TraceBuilder::has_inputs(PhaseId id) const {
  const JobSpec& spec = scenario_.jobs[id.job.value];
  return std::all_of(phase(id).after.begin(), phase(id).after.end(), [&](int before) {
    return std::ssize(jobs_[id.job.value].completed[before]) >= spec.phases[before].tasks;
  });
}

void TraceBuilder::on(const Launch& action, EmuTime at) {
  if (action.node.value < 0 || action.node.value >= std::ssize(scenario_.cluster.nodes))
    throw BadField{"node " + std::to_string(action.node.value) + " is not in the scenario"};
  Job& of = job(action.phase.job);
  const PhaseSpec& spec = phase(action.phase);
  const NodeSpec& node = scenario_.cluster.nodes[action.node.value];
  const bool strict = scenario_.emulation.cpu_limit == CpuLimit::kStrict;
  const bool known = spec.kind == PhaseKind::kMap || spec.kind == PhaseKind::kReduce;
  const Millicores threads = known ? Millicores(1000) * action.work.threads : node.capacity.cores;
  const Millicores cores = strict ? std::min(action.resources.cores, threads) : threads;
  const UsageScale scale{action.resources, static_cast<double>(cores.count()) / 1e3 * node.speed,
                         node.disk_bytes_per_s, node.network_bits_per_s / 8};
  Container container{.phase = action.phase,
                      .task = action.task,
                      .attempt = action.attempt,
                      .node = action.node,
                      .held = action.resources,
                      .allocated = at,
                      .waits = !has_inputs(action.phase),
                      .curve = {at, scale}};
  if (action.task < 0 || action.task >= spec.tasks)
    throw BadField{"phase " + spec.name + " has no task " + std::to_string(action.task)};
  if (!alive_.emplace(action.container, std::move(container)).second)
    throw BadField{"container " + std::to_string(action.container.value) + " is launched twice"};
  ++of.alive;
  ++containers_;
}

void TraceBuilder::on(const ContainerStarted& event, EmuTime at) {
  Container* container = alive(event.container);
  if (!container || container->started) return;
  container->started = at;
  container->curve.begin(at);
  if (job(container->phase.job).start.value_or(at) >= at &&
      phase(container->phase).kind != PhaseKind::kAm)
    job(container->phase.job).start = at;
}

void TraceBuilder::on(const InputsRead& event, EmuTime at) {
  Container* container = alive(event.container);
  if (!container || !container->waits) return;
  container->waits = false;
  if (!container->begun) container->curve.begin(at);
  container->begun = container->begun.value_or(at);
}

// If a task was started early, it stops waiting here. Fetching its remaining inputs is part of its
// work.
void TraceBuilder::task_completed(const Container& container, EmuTime at) {
  const int completed = container.phase.phase;
  job(container.phase.job).completed[completed].insert(container.task);
  for (auto& [id, other] : alive_) {
    if (!other.waits || other.phase.job != container.phase.job) continue;
    const std::vector<int>& after = phase(other.phase).after;
    if (std::ranges::find(after, completed) == after.end() || !has_inputs(other.phase)) continue;
    if (other.started) {
      other.begun = at;
      other.curve.begin(at);
    } else {
      other.waits = false;
    }
  }
}

void TraceBuilder::on(const ExternalLoad& event, EmuTime) { loads_[event.node] = event.load.cores; }

void TraceBuilder::on(const ContainerSuspended& event, EmuTime at) {
  Container* container = alive(event.container);
  if (container && !container->suspended_since) container->suspended_since = at;
}

void TraceBuilder::on(const ContainerResumed& event, EmuTime at) {
  Container* container = alive(event.container);
  if (!container || !container->suspended_since) return;
  container->suspended += at - *container->suspended_since;
  container->suspended_since.reset();
}

void TraceBuilder::on(const ContainerEnded& event, EmuTime at) {
  Container* container = alive(event.container);
  if (!container) return;
  on(ContainerResumed{event.container}, at);
  Job& of = job(container->phase.job);
  Json json = container_json(event.container, *container);
  json["outcome"] = wire::name_of(event.outcome);
  json["finish_s"] = to_seconds(at);
  if (event.outcome == Outcome::kLost || !container->started) {
    put_use(container->curve, json);  // nothing else is known
  } else {
    put_use(event.usage.cpu, event.usage.peak_memory, container->curve.finish(at, event.usage),
            json);
    count(*container, event, at);
  }
  of.gone.push_back(std::move(json));
  --of.alive;
  const Container gone = std::move(*container);
  alive_.erase(event.container);
  if (event.outcome == Outcome::kCompleted) {
    if (phase(gone.phase).kind != PhaseKind::kAm)
      of.last_end = std::max(of.last_end.value_or(at), at);
    task_completed(gone, at);
  }
  if (!of.state.empty() && of.alive == 0) write(gone.phase.job);
}

// Computes the same as the summary's allocation_efficiency (report/run_totals.cc).
void TraceBuilder::count(const Container& container, const ContainerEnded& event, EmuTime at) {
  const EmuTime span = at - *container.started;
  const double cores = static_cast<double>(container.held.cores.count()) / 1e3;
  report::Usefulness use;
  use.used_core_s = to_core_seconds(event.usage.cpu);
  use.held_core_s = cores * to_seconds(span - container.suspended) *
                    scenario_.cluster.nodes[container.node.value].speed;
  use.used_byte_s = event.usage.memory_byte_seconds;
  use.held_byte_s = static_cast<double>(container.held.memory.count()) * to_seconds(span);
  const JobSpec& spec = scenario_.jobs[container.phase.job.value];
  efficiency_.add(spec.name, spec.user, use);
}

void TraceBuilder::job_finished(const wire::Json& record) {
  Fields fields(record, "record");
  const JobId id{fields.integer("job", 0, wire::kMaxInteger)};
  Job& of = job(id);
  of.state = fields.text("state");
  of.finished = wire::time_field(fields, "t");
  if (of.alive == 0) write(id);
}

void TraceBuilder::header() {
  if (!std::exchange(begun_, true)) sink_(trace_header(scenario_, mode_));
}

void TraceBuilder::write(JobId id) {
  header();
  sink_(job_json(id));
  job(id).gone = {};
  job(id).written = true;
}

}  // namespace heddle::trace
