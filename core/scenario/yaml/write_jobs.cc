// Writes jobs, their phases and stages.

#include "common/text.h"
#include "core/scenario/quantity_text.h"
#include "core/scenario/yaml/words.h"
#include "core/scenario/yaml/writer.h"
#include "core/scenario/yaml/yaml_text.h"

namespace heddle {
namespace {

std::string time_text(double microseconds) {
  return print_duration(EmuTime(static_cast<std::int64_t>(microseconds)));
}

std::string byte_text(double bytes) {
  return print_bytes(EmuBytes(static_cast<std::int64_t>(bytes)));
}

std::string drawn_text(const Drawn& drawn, std::string (*print)(double)) {
  if (drawn.dist == Drawn::Dist::kConstant) return print(drawn.mean);
  Flow flow;
  flow.add("dist", std::string(word_of(drawn.dist)));
  flow.add("mean", print(drawn.mean));
  if (drawn.dist != Drawn::Dist::kExponential) flow.add("cv", print_fraction(drawn.cv));
  return flow.map();
}

std::string memory_text(const std::vector<std::pair<double, Drawn>>& memory) {
  if (memory.size() == 1 && memory[0].first == 0) return drawn_text(memory[0].second, &byte_text);
  return list_text(memory, [](const auto& corner) {
    return "[" + print_fraction(corner.first) + ", " + drawn_text(corner.second, &byte_text) + "]";
  });
}

/// Adds the data keys that phases and stages share, if they are set.
template <class Tasks>
void add_data(const Tasks& tasks, Flow& flow) {
  auto add = [&](const char* key, const Drawn& size) {
    if (size != Drawn{}) flow.add(key, drawn_text(size, &byte_text));
  };
  add("input", tasks.input);
  add("shuffle", tasks.shuffle);
  add("output", tasks.output);
  Flow skew;
  if (tasks.skew.heading != 1) skew.add("heading", print_fraction(tasks.skew.heading));
  if (tasks.skew.trailing != 1) skew.add("trailing", print_fraction(tasks.skew.trailing));
  if (tasks.skew.zipf != 0) skew.add("zipf", print_fraction(tasks.skew.zipf));
  if (!skew.empty()) flow.add("skew", skew.map());
}

std::string stage_text(const StageSpec& stage) {
  Flow flow;
  flow.add("tasks", std::to_string(stage.tasks));
  flow.add("cpu", drawn_text(stage.cpu, &time_text));
  add_data(stage, flow);
  if (stage.cached) flow.add("cached", "true");
  return flow.map();
}

std::string executors_text(const PhaseSpec& phase) {
  Flow flow;
  flow.add("count", std::to_string(phase.tasks));
  flow.add("cores", print_cores(phase.request.cores));
  flow.add("memory", print_bytes(phase.request.memory));
  flow.add("gang", flag_text(phase.gang));
  if (phase.threads) flow.add("threads", std::to_string(*phase.threads));
  if (!phase.memory.empty()) flow.add("use", memory_text(phase.memory));
  return flow.map();
}

std::string usage_text(const std::vector<UsageCorner>& usage) {
  return list_text(usage, [](const UsageCorner& corner) {
    return "[" + print_duration(corner.at) + ", " + print_cores(corner.cores) + ", " +
           print_bytes(corner.memory) + "]";
  });
}

std::string idle_text(const TaskSpec& task) {
  Flow idle;
  idle.add("count", std::to_string(task.pauses));
  idle.add("length", drawn_text(task.pause, &time_text));
  return idle.map();
}

/// Returns the keys of a task that differ from its phase.
std::string task_text(const TaskSpec& task, const TaskSpec& phase) {
  Flow flow;
  if (task.threads != phase.threads && task.threads)
    flow.add("threads", std::to_string(*task.threads));
  if (!task.usage.empty()) {
    if (task.usage != phase.usage) flow.add("usage", usage_text(task.usage));
    return flow.map();
  }
  const bool idles = task.pauses != phase.pauses || task.pause != phase.pause;
  // `cpu` must be written in two cases. If the phase has `usage`, `cpu` overrides it. If the task
  // is idle, `idle` requires `cpu`.
  if (task.cpu != phase.cpu || !phase.usage.empty() || idles)
    flow.add("cpu", drawn_text(task.cpu, &time_text));
  if (task.sleep != phase.sleep) flow.add("sleep", drawn_text(task.sleep, &time_text));
  if (task.memory != phase.memory) flow.add("memory", memory_text(task.memory));
  if (idles) flow.add("idle", idle_text(task));
  return flow.map();
}

std::string phase_text(const PhaseSpec& phase, const std::vector<PhaseSpec>& phases,
                       const std::vector<NodeSpec>& nodes) {
  Flow flow;
  flow.add("name", name_text(phase.name));
  flow.add("kind", std::string(word_of(phase.kind)));
  if (!phase.after.empty())
    flow.add("after", list_text(phase.after, [&](int index) {
               return name_text(phases[static_cast<std::size_t>(index)].name);
             }));
  flow.add("tasks", std::to_string(phase.tasks));
  flow.add("request", resources_text(phase.request));
  flow.add("gang", flag_text(phase.gang));
  if (!phase.command.empty()) {
    flow.add("command", list_text(phase.command, &quoted_text));
    flow.add("output_limit", print_bytes(EmuBytes(phase.output_limit.count())));
  }
  if (phase.usage.empty()) flow.add("cpu", drawn_text(phase.cpu, &time_text));
  if (phase.threads) flow.add("threads", std::to_string(*phase.threads));
  if (phase.usage.empty())
    flow.add("sleep", drawn_text(phase.sleep, &time_text));
  else
    flow.add("usage", usage_text(phase.usage));
  if (!phase.memory.empty()) flow.add("memory", memory_text(phase.memory));
  add_data(phase, flow);
  if (phase.pauses > 0) flow.add("idle", idle_text(phase));
  if (!phase.each.empty())
    flow.add("each",
             list_text(phase.each, [&](const TaskSpec& task) { return task_text(task, phase); }));
  if (phase.start_spread != EmuTime(0))
    flow.add("start_spread", print_duration(phase.start_spread));
  if (phase.spill_penalty != PhaseSpec{}.spill_penalty)
    flow.add("spill_penalty", print_fraction(phase.spill_penalty));
  if (!phase.prefer.empty()) flow.add("prefer", nodes_text(phase.prefer, nodes));
  return flow.map();
}

/// Returns a Spark job's executors and stages. Each line starts with `indent`.
std::string spark_text(const JobSpec& job, const std::string& indent) {
  std::string text =
      indent + "framework: spark\n" + indent + "deploy: " + std::string(word_of(job.deploy)) + "\n";
  if (job.deploy == Deploy::kDynamic)
    text += indent + "executor_idle_timeout: " + print_duration(job.executor_idle_timeout) + "\n";
  text += indent + "executors: " + executors_text(job.phases.back()) + "\n" + indent + "stages:\n";
  for (const StageSpec& stage : job.stages) text += indent + "  - " + stage_text(stage) + "\n";
  return text;
}

std::string job_text(const JobSpec& job, const std::vector<NodeSpec>& nodes) {
  std::string text = "  - name: " + name_text(job.name) + "\n";
  auto line = [&](const std::string& key, const std::string& value) {
    text += "    " + key + ": " + value + "\n";
  };
  line("submit", print_duration(job.submit));
  line("queue", name_text(job.queue));
  if (job.user != JobSpec{}.user) line("user", name_text(job.user));
  line("priority", std::to_string(job.priority));
  if (job.weight != JobSpec{}.weight) line("weight", print_fraction(job.weight));
  line("max_attempts", std::to_string(job.max_attempts));
  if (job.walltime) line("walltime", print_duration(*job.walltime));
  if (job.max_am_attempts != JobSpec{}.max_am_attempts)
    line("max_am_attempts", std::to_string(job.max_am_attempts));
  return text + write_work(job, "    ", nodes);
}

}  // namespace

std::string write_work(const JobSpec& job, const std::string& indent,
                       const std::vector<NodeSpec>& nodes) {
  std::string text = indent + "application_master: " +
                     (job.has_am() ? resources_text(job.phases.front().request) : "none") + "\n";
  if (job.iterative) text += indent + "iterative: true\n";
  if (job.framework == Framework::kSpark) return text + spark_text(job, indent);
  text += indent + "phases:\n";
  for (const PhaseSpec& phase : job.phases)
    if (phase.kind != PhaseKind::kAm)
      text += indent + "  - " + phase_text(phase, job.phases, nodes) + "\n";
  return text;
}

std::string write_jobs(const std::vector<JobSpec>& jobs, const std::vector<NodeSpec>& nodes) {
  std::string text;
  for (const JobSpec& job : jobs) text += job_text(job, nodes);
  return text;
}

}  // namespace heddle
