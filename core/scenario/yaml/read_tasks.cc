// Reads the work of tasks: cpu, sleep and memory, or a usage curve. The work is the same for all
// tasks, or is listed for each task.

#include "common/cpu_line.h"
#include "core/scenario/usage.h"
#include "core/scenario/yaml/sections.h"

namespace heddle {
namespace {

constexpr int kMaxPauses = 1000;
constexpr std::string_view kCornerForm = "a corner such as [10s, 0.8, 600MiB]";

bool says_work(const Section& section) {
  return section.has("cpu") || section.has("sleep") || section.has("usage");
}

/// Reads one corner. Takes missing values from the previous corner. Returns false if the corner is
/// wrong.
bool read_corner(const Field& field, const std::vector<UsageCorner>& before, bool last,
                 UsageCorner& corner) {
  const YamlNode& node = field.node();
  if (!field.is(YamlNode::Kind::kList) || node.items.empty() || node.items.size() > 3) {
    field.error("is not a corner; expected " + std::string(kCornerForm));
    return false;
  }
  if (node.items.size() == 1 && !last) {
    field.error("has no cores; expected " + std::string(kCornerForm));
    return false;
  }
  auto at = to_duration(field.item(0), kCornerForm, {EmuTime(0), kMaxTime});
  std::optional<Millicores> cores(0);
  if (node.items.size() > 1)
    cores = to_value(field.item(1), kCornerForm, &parse_cores, &print_cores,
                     {Millicores(0), Millicores(kMaxThreads * 1000)});
  std::optional<EmuBytes> memory = before.empty() ? EmuBytes(0) : before.back().memory;
  if (node.items.size() > 2)
    memory = to_bytes(field.item(2), kCornerForm, {EmuBytes(0), kMaxBytes});
  if (!at || !cores || !memory) return false;
  corner = {*at, *cores, *memory};
  return true;
}

/// Returns whether a corner is valid at its position. If not, reports why.
bool check_place(const Field& field, const std::vector<UsageCorner>& before, bool last,
                 const UsageCorner& corner) {
  const std::size_t wrong = field.findings().wrong();
  if (before.empty() && corner.at != EmuTime(0))
    field.item(0).error("the first corner is at " + print_duration(corner.at) + "; expected 0s");
  if (!before.empty() && corner.at <= before.back().at)
    field.item(0).error("is out of order; expected a time after " +
                        print_duration(before.back().at));
  if (last && corner.cores != Millicores(0))
    field.item(1).error("the work ends at the last corner; expected 0 cores there");
  return field.findings().wrong() == wrong;
}

void read_usage(const Field& field, std::vector<UsageCorner>& usage) {
  const auto& items = field.node().items;
  if (!field.is_list("a list of corners such as [[0s, 0.8, 600MiB], [10s]]")) return;
  if (items.size() < 2 || items.size() > kMaxMemoryPoints)
    return field.error("has " + std::to_string(items.size()) +
                       (items.size() == 1 ? " corner" : " corners") + "; expected 2 to " +
                       std::to_string(kMaxMemoryPoints) + ", the last where the work ends");
  usage.reserve(items.size());
  for (std::size_t i = 0; i < items.size(); ++i) {
    const Field at = field.item(i);
    const bool last = i + 1 == items.size();
    UsageCorner corner;
    if (!read_corner(at, usage, last, corner) || !check_place(at, usage, last, corner)) return;
    usage.push_back(corner);
  }
}

void read_idle(const Section& section, bool burns, TaskSpec& task) {
  auto field = section.get("idle");
  if (!field) return;
  Section idle(*field, "idle");
  idle.need("count");
  idle.need("length");
  idle.whole("count", task.pauses, {1, kMaxPauses});
  read_drawn_duration(idle, "length", task.pause);
  if (!burns) field->error("needs cpu, which it interrupts; expected cpu in the same place");
}

/// Reports keys of the work that can't be used together with `usage`.
void check_alone(const Section& section, std::initializer_list<const char*> others,
                 const std::string& advice) {
  for (const char* key : others)
    if (auto field = section.get(key))
      field->error("cannot be combined with usage; expected " + advice);
}

void read_threads_for_usage(const Section& section, TaskSpec& task) {
  section.whole("threads", task.threads, {1, kMaxThreads});
  const int least = threads_for(task.usage);
  auto field = section.get(section.has("threads") ? "threads" : "usage");
  if (field && !task.usage.empty() && task.threads && *task.threads < least)
    field->error("has " + std::to_string(*task.threads) +
                 " threads, too few for the usage; expected at least " + std::to_string(least));
}

/// Reads a section of a task or phase; `task` holds the defaults.
void read_task(const Section& section, Millicores cores, TaskSpec& task) {
  if (auto field = section.get("usage")) {
    check_alone(section, {"cpu", "sleep", "memory", "idle"}, "the value in usage, or no usage");
    const std::optional<int> threads = task.threads;
    task = {};
    task.threads = threads;
    read_usage(*field, task.usage);
    return read_threads_for_usage(section, task);
  }
  if (section.has("cpu") || section.has("sleep")) task.usage.clear();
  if (!task.usage.empty()) {
    check_alone(section, {"memory", "idle"}, "usage in the same place, or cpu");
    return read_threads_for_usage(section, task);
  }
  const bool burns = section.has("cpu") || task.cpu.mean > 0;
  read_drawn_duration(section, "cpu", task.cpu);
  read_drawn_duration(section, "sleep", task.sleep);
  read_threads(section, cores, task.threads);
  if (section.has("memory")) task.memory.clear();
  read_memory(section, "memory", task.memory);
  read_idle(section, burns, task);
}

void read_each(const Section& section, const Field& field, PhaseSpec& phase) {
  const auto& items = field.node().items;
  if (!field.is_list("a list with a map for each task, such as [{cpu: 3s}, {cpu: 5s}]", 1) ||
      !field.has_at_most(kMaxTasks, "entries"))
    return;
  const int tasks = static_cast<int>(items.size());
  if (section.has("tasks") && phase.tasks != tasks)
    field.error("has " + std::to_string(tasks) + " entries for " + std::to_string(phase.tasks) +
                " tasks; expected as many, or no tasks");
  phase.tasks = tasks;
  const bool has_work = says_work(section) || has_data(section);
  phase.each.reserve(items.size());
  for (std::size_t i = 0; i < items.size(); ++i) {
    const Section entry(field.item(i), "task");
    TaskSpec task = phase;
    read_task(entry, phase.request.cores, task);
    if (!has_work && !says_work(entry))
      entry.field().error("has no work; expected cpu, sleep or usage, here or in its phase");
    phase.each.push_back(std::move(task));
  }
}

void check_skew(const Section& section, const PhaseSpec& phase) {
  auto field = section.get("skew");
  if (!field) return;
  auto follows = [](const TaskSpec& task) { return !task.usage.empty(); };
  if (follows(phase) || std::any_of(phase.each.begin(), phase.each.end(), follows))
    field->error("does not apply to tasks with usage; expected each, or cpu instead of usage");
}

}  // namespace

void read_tasks(const Section& section, PhaseSpec& phase) {
  auto each = section.get("each");
  if (phase.kind == PhaseKind::kCommand) {
    for (const char* key : {"usage", "each"})
      if (auto field = section.get(key))
        field->error(
            "does not apply to phases of kind: command, whose tasks do what their program does; "
            "expected kind: map or reduce");
    each.reset();
  } else if (!says_work(section) && !has_data(section) && !each) {
    section.field().error("has no work; expected cpu, sleep, usage, input, shuffle or output");
  }
  read_task(section, phase.request.cores, phase);
  if (each) read_each(section, *each, phase);
  check_skew(section, phase);
}

}  // namespace heddle
