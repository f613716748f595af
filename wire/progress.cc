#include "wire/progress.h"

#include <algorithm>
#include <numeric>

#include "core/scenario/usage.h"
#include "wire/values.h"

namespace heddle::wire {
namespace {

int count_field(const Fields& fields, const char* key) {
  return static_cast<int>(fields.integer(key, 0, 2'000'000'000));
}

Progress::Node progress_node(const Json& row) {
  const Fields fields(row, "progress.nodes");
  Progress::Node node{fields.name("name"), fields.text("state"),
                      resources_from(fields.object("capacity")),
                      resources_from(fields.object("allocated"))};
  node.used_cores = fields.number("used_cores", 0, 1e9);
  node.used_memory = EmuBytes(fields.integer("used_memory", 0, kMaxInteger));
  node.containers = count_field(fields, "containers");
  node.suspended = count_field(fields, "suspended");
  node.reserved = fields.optional_name("reserved");
  return node;
}

Progress::Job job_from(const Json& row) {
  const Fields fields(row, "progress.job_list");
  Progress::Job job{fields.name("name"), fields.text("state"), count_field(fields, "tasks"),
                    count_field(fields, "tasks_done"), count_field(fields, "running")};
  if (fields.has("waiting_s") && !row["waiting_s"].is_null())
    job.waiting_s = fields.number("waiting_s", -kMaxSeconds, kMaxSeconds);
  job.work = fields.number("work", 0, 1);
  return job;
}

int& count_of(Progress& progress, JobState state) {
  switch (state) {
    case JobState::kWaiting:
    case JobState::kPending:
      return progress.jobs_waiting;
    case JobState::kRunning:
      return progress.jobs_running;
    case JobState::kCompleted:
    case JobState::kKilled:  // at its walltime, which is no failure
      return progress.jobs_done;
    default:
      return progress.jobs_failed;
  }
}

double seconds_of(const TaskSpec& task, Millicores cores) {
  if (!task.usage.empty()) return 1 + to_seconds(task.usage.back().at);
  return 1 + (task.cpu.mean / threads_of(task, cores) + task.sleep.mean) / 1e6;
}

/// Returns the mean core-seconds for which a task of the phase holds its cores. For an executor,
/// returns its equal part of the work of all stages.
double task_work(const JobSpec& job, const PhaseSpec& phase) {
  double sum = 0;
  if (phase.kind == PhaseKind::kExecutor) {
    for (const StageSpec& stage : job.stages) sum += stage.tasks * (1 + stage.cpu.mean / 1e6);
    return sum / phase.tasks;
  }
  const double cores = std::max(0.001, static_cast<double>(phase.request.cores.count()) / 1e3);
  if (phase.each.empty()) return cores * seconds_of(phase, phase.request.cores);
  for (const TaskSpec& task : phase.each) sum += seconds_of(task, phase.request.cores);
  return cores * sum / static_cast<double>(phase.each.size());
}

/// The work of one job.
struct Work {
  int running = 0;  ///< number of containers
  double all = 0, done = 0;
  std::vector<double> of_task;  ///< by phase; 0 for application masters
};

Work planned(const Job& job) {
  Work work;
  for (const PhaseSpec& phase : job.spec().phases) {
    const bool am = phase.kind == PhaseKind::kAm;
    const double each = am ? 0 : task_work(job.spec(), phase);
    work.of_task.push_back(each);
    work.all += each * phase.tasks;
    work.done += each * job.completed(static_cast<int>(work.of_task.size()) - 1);
  }
  return work;
}

std::vector<Work> work_of_jobs(const ClusterState& state) {
  std::vector<Work> works;
  for (const Job& job : state.jobs()) works.push_back(planned(job));
  for (const Container& container : state.containers()) {
    if (container.state == ContainerState::kAllocated) continue;
    Work& work = works[static_cast<std::size_t>(container.task.phase.job.value)];
    ++work.running;
    work.done += work.of_task[static_cast<std::size_t>(container.task.phase.phase)] *
                 std::clamp(container.use.progress, 0.0, 1.0);
  }
  for (std::size_t i = 0; i < works.size(); ++i)
    works[i].done =
        state.jobs()[i].finished() ? works[i].all : std::min(works[i].done, works[i].all);
  return works;
}

std::optional<double> waiting_s(const Job& job, EmuTime now, const std::optional<EmuTime>& start) {
  if (start) return to_seconds(*start - job.eligible());
  if (job.state() != JobState::kPending) return std::nullopt;
  return to_seconds(std::max(now - job.eligible(), EmuTime(0)));
}

/// Returns the indices of the jobs to list, in ascending order. If there are more than kMostJobs,
/// running and pending jobs are preferred, then jobs that are not submitted yet, and then finished
/// jobs.
std::vector<std::size_t> listed(const std::vector<Job>& jobs) {
  std::vector<std::size_t> order(jobs.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  if (order.size() <= kMostJobs) return order;
  const auto rank = [&](std::size_t i) {
    return jobs[i].finished() ? 2 : jobs[i].state() == JobState::kWaiting ? 1 : 0;
  };
  std::stable_sort(order.begin(), order.end(),
                   [&](std::size_t a, std::size_t b) { return rank(a) < rank(b); });
  order.resize(kMostJobs);
  std::sort(order.begin(), order.end());
  return order;
}

Progress::Node node_row(const ClusterState& state, const Node& node) {
  Progress::Node row{node.spec->name, "", node.spec->capacity, node.allocated};
  row.containers = static_cast<int>(node.containers.size());
  for (ContainerId id : node.containers)
    if (const Container* container = state.container(id))
      row.suspended += container->state == ContainerState::kSuspended;
  if (node.reservation) row.reserved = state.job(node.reservation->phase.job).spec().name;
  return row;
}

void read_kinds(const Fields& f, Progress& p) {
  for (const Json& row : f.array("last_kinds", 100)) {
    std::size_t kind = 0;
    while (kind < kEventKinds && row != name_of(static_cast<EventKind>(kind))) ++kind;
    if (kind == kEventKinds) f.bad("last_kinds", "kinds of events");
    p.last_kinds.push_back(static_cast<EventKind>(kind));
  }
  if (p.last_kinds.size() != p.last_events.size())
    f.bad("last_kinds", "one kind for each of last_events");
  const Fields counts = f.object("events_of_kind");
  for (std::size_t kind = 0; kind < kEventKinds; ++kind)
    p.events_of_kind[kind] =
        counts.integer(name_of(static_cast<EventKind>(kind)).data(), 0, kMaxInteger);
}

}  // namespace

std::string_view name_of(EventKind kind) {
  switch (kind) {
    case EventKind::kNode:
      return "node";
    case EventKind::kMemoryKill:
      return "memory_kill";
    case EventKind::kFault:
      return "fault";
    case EventKind::kSuspension:
      return "suspension";
    case EventKind::kRetry:
      return "retry";
    case EventKind::kFailedJob:
      return "failed_job";
    case EventKind::kJob:
      return "job";
    case EventKind::kNotice:
      return "notice";
  }
  return "";
}

Json to_json(const Progress& p) {
  Json nodes = Json::array(), jobs = Json::array();
  for (const Progress::Node& node : p.nodes)
    nodes.push_back({{"name", node.name},
                     {"state", node.state},
                     {"capacity", resources_json(node.capacity)},
                     {"allocated", resources_json(node.allocated)},
                     {"used_cores", node.used_cores},
                     {"used_memory", node.used_memory.count()},
                     {"containers", node.containers},
                     {"suspended", node.suspended},
                     {"reserved", node.reserved}});
  for (const Progress::Job& job : p.job_list)
    jobs.push_back({{"name", job.name},
                    {"state", job.state},
                    {"tasks", job.tasks},
                    {"tasks_done", job.tasks_done},
                    {"running", job.running},
                    {"waiting_s", job.waiting_s ? Json(*job.waiting_s) : Json()},
                    {"work", job.work}});
  Json kinds = Json::array(), counts = Json::object();
  for (const EventKind kind : p.last_kinds) kinds.push_back(name_of(kind));
  for (std::size_t kind = 0; kind < kEventKinds; ++kind)
    counts[std::string(name_of(static_cast<EventKind>(kind)))] = p.events_of_kind[kind];
  return {{"now_s", p.now_s},
          {"jobs", p.jobs},
          {"jobs_done", p.jobs_done},
          {"jobs_failed", p.jobs_failed},
          {"jobs_running", p.jobs_running},
          {"jobs_waiting", p.jobs_waiting},
          {"tasks", p.tasks},
          {"tasks_done", p.tasks_done},
          {"containers_running", p.containers_running},
          {"decisions", p.decisions},
          {"decision_s", p.decision_s},
          {"work", p.work},
          {"last_submit_s", p.last_submit_s},
          {"nodes", std::move(nodes)},
          {"job_list", std::move(jobs)},
          {"events", p.events},
          {"last_events", p.last_events},
          {"last_kinds", std::move(kinds)},
          {"events_of_kind", std::move(counts)},
          {"scenario", p.scenario},
          {"policy", p.policy},
          {"final", p.final},
          {"status", p.status},
          {"reason", p.reason}};
}

Result<Progress> progress_from_json(std::string_view text) {
  Json json = parse_json(text);
  if (json.is_discarded()) return aborted_error("progress: not JSON");
  try {
    Fields f(json, "progress");
    Progress p;
    p.now_s = f.number("now_s", -kMaxSeconds, kMaxSeconds);
    p.jobs = count_field(f, "jobs");
    p.jobs_done = count_field(f, "jobs_done");
    p.jobs_failed = count_field(f, "jobs_failed");
    p.jobs_running = count_field(f, "jobs_running");
    p.jobs_waiting = count_field(f, "jobs_waiting");
    p.tasks = count_field(f, "tasks");
    p.tasks_done = count_field(f, "tasks_done");
    p.containers_running = count_field(f, "containers_running");
    // A master of an earlier version does not send these.
    if (f.has("decisions")) p.decisions = f.integer("decisions", 0, kMaxInteger);
    if (f.has("decision_s")) p.decision_s = f.number("decision_s", 0, kMaxSeconds);
    p.work = f.number("work", 0, 1);
    p.last_submit_s = f.number("last_submit_s", -kMaxSeconds, kMaxSeconds);
    for (const Json& row : f.array("nodes", 100'000)) p.nodes.push_back(progress_node(row));
    for (const Json& row : f.array("job_list", kMostJobs)) p.job_list.push_back(job_from(row));
    p.events = f.integer("events", 0, kMaxInteger);
    for (const Json& row : f.array("last_events", 100)) {
      if (!row.is_string()) f.bad("last_events", "texts");
      p.last_events.push_back(row.get<std::string>());
    }
    read_kinds(f, p);
    p.scenario = f.optional_name("scenario");
    p.policy = f.text("policy");
    p.final = f.flag("final");
    p.status = f.text("status");
    p.reason = f.text("reason");
    return p;
  } catch (const BadField& bad) {
    return aborted_error(bad.text);
  }
}

Progress progress_of(const ClusterState& state, EmuTime now,
                     std::span<const std::optional<EmuTime>> starts) {
  Progress p;
  p.now_s = to_seconds(now);
  const std::vector<Work> works = work_of_jobs(state);
  double all = 0, done = 0;
  for (std::size_t i = 0; i < works.size(); ++i) {
    const Job& job = state.jobs()[i];
    ++p.jobs;
    p.tasks += job.spec().task_count();
    p.tasks_done += job.completed_tasks();
    ++count_of(p, job.state());
    if (job.state() != JobState::kCancelled)
      p.last_submit_s = std::max(p.last_submit_s, to_seconds(job.spec().submit));
    all += works[i].all;
    done += works[i].done;
  }
  p.work = all > 0 ? std::clamp(done / all, 0.0, 1.0) : 0;
  for (std::size_t i : listed(state.jobs())) {
    const Job& job = state.jobs()[i];
    const std::optional<EmuTime> start = i < starts.size() ? starts[i] : std::nullopt;
    p.job_list.push_back({job.spec().name, std::string(name_of(job.state())),
                          job.spec().task_count(), job.completed_tasks(), works[i].running,
                          waiting_s(job, now, start),
                          works[i].all > 0 ? works[i].done / works[i].all : 0});
  }
  for (const Container& container : state.containers())
    if (container.state == ContainerState::kRunning) ++p.containers_running;
  for (const Node& node : state.nodes()) p.nodes.push_back(node_row(state, node));
  return p;
}

}  // namespace heddle::wire
