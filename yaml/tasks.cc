// Reads the work of tasks: cpu, sleep and memory, or a usage curve. The work is the same for all
// tasks, or is listed for each task.

#include "common/cpu_line.h"
#include "common/text.h"
#include "core/scenario/quantity_text.h"
#include "core/scenario/usage.h"
#include "yaml/keys.h"
#include "yaml/limits.h"
#include "yaml/sections.h"
#include "yaml/text.h"

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
  auto at = to_value(field.item(0), kCornerForm, measure::kDuration, measure::kDuration.general);
  std::optional<Millicores> cores(0);
  if (node.items.size() > 1)
    cores = to_value(field.item(1), kCornerForm, measure::kCores,
                     {Millicores(0), Millicores(kMaxThreads * 1000)});
  std::optional<EmuBytes> memory = before.empty() ? EmuBytes(0) : before.back().memory;
  if (node.items.size() > 2)
    memory = to_value(field.item(2), kCornerForm, measure::kBytes, measure::kBytes.general);
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

/// A usage curve. M: the corners.
class UsageForm : public Form {
 public:
  std::string name() const override { return "list of [at, cores, memory]"; }
  bool read(const Field& field, void* member) const override {
    const std::size_t wrong = field.findings().wrong();
    std::vector<UsageCorner> usage;
    read_usage(field, usage);
    *static_cast<std::vector<UsageCorner>*>(member) = std::move(usage);
    return field.findings().wrong() == wrong;
  }
  std::string text(const void* member) const override {
    const auto& usage = *static_cast<const std::vector<UsageCorner>*>(member);
    if (usage.empty()) return "";
    return list_text(usage, [](const UsageCorner& corner) {
      return "[" + print_duration(corner.at) + ", " + print_cores(corner.cores) + ", " +
             print_bytes(corner.memory) + "]";
    });
  }
  std::string plain(const void* member) const override {
    std::string text;
    for (const UsageCorner& corner : *static_cast<const std::vector<UsageCorner>*>(member))
      text += (text.empty() ? "" : ";") + measure::kDuration.print_plain(corner.at) + ":" +
              measure::kCores.print_plain(corner.cores) + ":" +
              measure::kBytes.print_plain(corner.memory);
    return text;
  }
  bool read_plain(std::string_view text, void* member) const override {
    std::vector<UsageCorner> usage;
    while (!text.empty()) {
      std::string_view corner = take_until(text, ';');
      const auto at = measure::kDuration.parse_plain(take_until(corner, ':'));
      const auto cores = measure::kCores.parse_plain(take_until(corner, ':'));
      const auto memory = measure::kBytes.parse_plain(corner);
      if (!at || !cores || !memory || *at > kMaxTime || *cores < Millicores(0) ||
          *cores > kMaxCores || *memory < EmuBytes(0) || *memory > kMaxBytes)
        return false;
      if (usage.empty() ? *at != EmuTime(0) : *at <= usage.back().at) return false;
      usage.push_back({*at, *cores, *memory});
    }
    if (usage.size() < 2 || usage.back().cores != Millicores(0)) return false;
    *static_cast<std::vector<UsageCorner>*>(member) = std::move(usage);
    return true;
  }
  std::string plain_form() const override {
    return "corners S:CORES:BYTES separated by ;, the first at 0, the last of 0 cores";
  }
};

}  // namespace

template <>
void describe(Keys& keys, const TaskSpec& task) {
  keys.drawn("cpu", task.cpu, measure::kDuration, "core-seconds per task");
  keys.number("threads", task.threads, measure::kWhole, {1, kMaxThreads}, "threads that share cpu")
      .otherwise("the request's cores, or what usage takes, rounded up");
  keys.drawn("sleep", task.sleep, measure::kDuration, "idle time per task, before cpu");
  keys.value("usage", &task.usage, std::make_unique<UsageForm>(),
             "instead of cpu, sleep, memory and idle: a curve of 2 to 64 corners that each task "
             "follows")
      .otherwise("none");
  add_memory(keys, "memory", task.memory,
             "use: a peak, or a profile of at most 64 corners, linear between them");
  keys.map("idle", "idle", "pauses in the CPU work",
           [&](Keys& in) {
             in.number("count", task.pauses, measure::kWhole, {1, kMaxPauses},
                       "number of pauses, evenly spaced")
                 .needed();
             in.drawn("length", task.pause, measure::kDuration, "length of each pause").needed();
           })
      .rarely()
      .otherwise("none");
}

const Keys& task_keys() {
  static const Keys keys = [] {
    static const TaskSpec sample;
    Keys made("task", &sample);
    describe(made, sample);
    made.all_otherwise("the phase's");
    return made;
  }();
  return keys;
}

namespace {

void check_usage_threads(const Section& section, const TaskSpec& task) {
  const int least = threads_for(task.usage);
  auto field = section.get(section.has("threads") ? "threads" : "usage");
  if (field && !task.usage.empty() && task.threads && *task.threads < least)
    field->error("has " + std::to_string(*task.threads) +
                 " threads, too few for the usage; expected at least " + std::to_string(least));
}

/// Reports keys of the work that can't be used together with `usage`.
void check_alone(const Section& section, std::initializer_list<const char*> others,
                 const std::string& advice) {
  for (const char* key : others)
    if (auto field = section.get(key))
      field->error("cannot be combined with usage; expected " + advice);
}

/// Clears the defaults of a task that its section replaces.
void prepare(const Section& section, TaskSpec& task) {
  if (section.has("usage")) {
    TaskSpec plain;
    plain.threads = task.threads;
    task = plain;
  } else if (section.has("cpu") || section.has("sleep")) {
    task.usage.clear();
  }
}

/// Reports keys that do not go together in a task that has been read. `burns`: it has CPU work.
void check(const Section& section, Millicores cores, const TaskSpec& task, bool burns) {
  const auto idle = section.get("idle");
  if (section.has("usage")) {
    check_alone(section, {"cpu", "sleep", "memory", "idle"}, "the value in usage, or no usage");
    check_usage_threads(section, task);
  } else if (!task.usage.empty()) {
    check_alone(section, {"memory", "idle"}, "usage in the same place, or cpu");
    check_usage_threads(section, task);
  } else {
    check_threads(section, cores, task.threads);
    if (idle && !burns)
      idle->error("needs cpu, which it interrupts; expected cpu in the same place");
  }
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
    const Section entry(field.item(i), task_keys());
    TaskSpec task = phase;
    prepare(entry, task);
    const bool burns = entry.has("cpu") || task.cpu.mean > 0;
    entry.read(&task);
    check(entry, phase.request.cores, task, burns);
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

void check_tasks(const Section& section, PhaseSpec& phase) {
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
  check(section, phase.request.cores, phase, section.has("cpu"));
  if (each) read_each(section, *each, phase);
  check_skew(section, phase);
}

}  // namespace heddle
