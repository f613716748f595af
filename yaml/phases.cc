#include <algorithm>
#include <set>

#include "common/cpu_line.h"
#include "common/cycle.h"
#include "common/text.h"
#include "core/scenario/quantity_text.h"
#include "yaml/keys.h"
#include "yaml/limits.h"
#include "yaml/sections.h"

namespace heddle {

Key& where_key(Keys& keys, const Where& member) {
  return keys
      .value("where", &member, std::make_unique<WhereForm>(),
             "labels that a node must have, such as {model: [V100, A100], not: {model: T4}}")
      .otherwise("{}")
      .rarely();
}

void add_partition(const PhaseContext& context, PhaseSpec& phase) {
  phase.where.insert(phase.where.end(), context.partition.begin(), context.partition.end());
}

template <>
void describe(Keys& keys, const PhaseSpec& p) {
  keys.name("name", p.name, "name, unique in the job").needed();
  keys.word("kind", p.kind, "kind of the tasks",
            {PhaseKind::kMap, PhaseKind::kReduce, PhaseKind::kCommand})
      .later();
  keys.by_hand("after", "list of phases", "[]", "phases that must complete first");
  keys.number("tasks", p.tasks, measure::kWhole, {1, kMaxTasks}, "number of tasks");
  keys.resources("request", p.request, {Millicores(1), EmuBytes(1)}, true,
                 "size of each task's container")
      .needed();
  keys.flag("gang", p.gang, "start only when all tasks fit at once").otherwise("the job's");
  keys.texts("command", p.command,
             "kind command: program and arguments, at most 256 of at most 4 KiB, 16 KiB in all")
      .later()
      .otherwise("none");
  keys.number("output_limit", p.output_limit, measure::kBytes,
              {EmuBytes(kLeastOutputLimit.count()), EmuBytes(kMostOutputLimit.count())},
              "kind command: real bytes that an attempt may write to standard output, to standard "
              "error and into its directory")
      .rarely();
  describe<TaskSpec>(keys, p);
  describe_data(keys, p.input, p.shuffle, p.output, p.skew,
                "bytes each task hands over to the reduces after it");
  keys.by_hand("each", "list, see task", "none",
               "work of single tasks, if they differ: one entry per task, and tasks may be left "
               "out");
  keys.number("start_spread", p.start_spread, measure::kDuration, measure::kDuration.general,
              "time over which the tasks are requested, evenly")
      .rarely();
  keys.number("spill_penalty", p.spill_penalty, measure::kFraction, {0, 100},
              "for a container made smaller: cpu grows by this times the share of the peak that "
              "does not fit")
      .rarely();
  keys.by_hand("prefer", "list of nodes", "none",
               "nodes that hold the data; not together with input, which has its own nodes");
  where_key(keys, p.where).otherwise("the job's");
}

const Keys& phase_keys() { return keys_of<PhaseSpec>("phase"); }

namespace {

/// Returns whether the field is a valid argument for a program. If not, reports why.
bool check_argument(const Field& field) {
  const std::size_t wrong = field.findings().wrong();
  if (!field.is(YamlNode::Kind::kScalar))
    field.wrong_kind("a text");
  else if (field.node().text.size() > kMaxArgumentBytes)
    field.error("is longer than 4 KiB; expected a shorter text");
  else if (field.node().text.find('\0') != std::string::npos)
    field.error("contains a zero byte; expected a text without zero bytes");
  return field.findings().wrong() == wrong;
}

/// Checks that the program is an absolute path, or a name that is looked up in PATH. The meaning of
/// any other path would depend on the directory in which the task starts.
void check_program(const Field& field) {
  const std::string& program = field.node().text;
  if (program.empty() || (program.front() != '/' && program.find('/') != std::string::npos))
    field.error("\"" + program.substr(0, 80) +
                "\" is not a program; expected an absolute path, or a name to look up in PATH");
}

void read_command(const Field& field, std::vector<std::string>& command) {
  const auto& items = field.node().items;
  if (!field.is_list("a program and its arguments such as [sort, -n, /data/part]", 1) ||
      !field.has_at_most(kMaxArguments, "arguments"))
    return;
  std::size_t bytes = 0;
  for (std::size_t i = 0; i < items.size(); ++i) {
    if (!check_argument(field.item(i))) return;
    bytes += items[i].text.size();
    command.push_back(items[i].text);
  }
  if (bytes > kMaxCommandBytes)
    field.error("has " + std::to_string(bytes) + " bytes; expected at most " +
                std::to_string(kMaxCommandBytes) + " (a longer script goes into a file)");
  check_program(field.item(0));
}

void read_what_it_runs(const Section& section, PhaseSpec& phase) {
  if (phase.kind != PhaseKind::kCommand) {
    for (const char* key : {"command", "output_limit"})
      if (auto field = section.get(key))
        field->error(
            "applies only to phases with kind: command; expected kind: command, or no such key");
    return;
  }
  if (auto field = section.need("command")) read_command(*field, phase.command);
}

/// Reads the names of the nodes that a phase prefers.
void read_prefer(const Field& field, const NodesByName& nodes, std::vector<NodeId>& prefer) {
  if (!field.is_list("a list of nodes such as [n1, n2]") || nodes.empty()) return;
  std::set<NodeId> found;
  for (std::size_t i = 0; i < field.node().items.size(); ++i)
    read_node(field.item(i), nodes, found);
  prefer.assign(found.begin(), found.end());
}

void read_kind(const Section& section, PhaseSpec& phase) {
  auto field = section.get("kind");
  if (field && field->node().text == "am")
    return field->error(
        "a job's application master is not a phase; expected map, reduce or command, and the job's "
        "application_master");
  if (field && field->node().text == "executor")
    return field->error(
        "executors are not a phase; expected map, reduce or command, or a job of framework: spark "
        "with executors and stages");
  section.read("kind", &phase);
}

/// Reports keys about data that do not apply to the phase.
void check_data(const Section& section, const PhaseSpec& phase) {
  if (phase.kind == PhaseKind::kCommand) {
    for (const char* key : {"input", "shuffle", "output", "idle"})
      if (auto field = section.get(key))
        field->error(
            "does not apply to phases of kind: command, whose program reads and writes files of "
            "its own; expected kind: map or reduce");
    if (auto field = section.get("spill_penalty"))
      field->error(
          "does not apply to phases of kind: command, whose containers are never made smaller; "
          "expected kind: map or reduce");
  }
  if (section.has("input") && section.has("prefer"))
    section.get("prefer")->error(
        "a phase with input prefers the nodes that hold its blocks; expected only one of input and "
        "prefer");
}

PhaseSpec read_phase(const Section& section, const PhaseContext& context) {
  PhaseSpec phase;
  phase.gang = context.gang;
  phase.where = context.where;
  read_kind(section, phase);
  section.read(&phase);
  add_partition(context, phase);
  phase.request = normalised(phase.request, context.cluster);
  read_what_it_runs(section, phase);
  check_tasks(section, phase);
  check_data(section, phase);
  if (auto prefer = section.get("prefer")) read_prefer(*prefer, context.nodes, phase.prefer);
  return phase;
}

/// Reads the names of the phases that a phase waits for, and sets `after`.
void read_after(const Field& field, const std::vector<PhaseSpec>& phases, PhaseSpec& phase) {
  if (!field.is_list("a list of phases such as [map]")) return;
  std::vector<std::string> names;
  for (const PhaseSpec& other : phases) names.push_back(other.name);
  std::set<int> after;
  for (std::size_t i = 0; i < field.node().items.size(); ++i)
    if (auto index = index_of(field.item(i), "phase of this job", names)) after.insert(*index);
  phase.after.assign(after.begin(), after.end());
}

/// Returns a cycle in the phases' `after`, such as "a after b after a". Returns "" if there is no
/// cycle.
std::string cycle_of(const std::vector<PhaseSpec>& phases) {
  const std::vector<std::size_t> cycle = find_cycle(phases.size(), [&](std::size_t i) {
    return std::vector<std::size_t>(phases[i].after.begin(), phases[i].after.end());
  });
  if (cycle.empty()) return "";
  std::string text;
  for (const std::size_t i : cycle) text += phases[i].name + " after ";
  return text + phases[cycle.front()].name;
}

void read_order(const Field& field, const std::vector<Section>& sections,
                std::vector<PhaseSpec>& phases) {
  std::set<std::string> seen;
  for (std::size_t i = 0; i < phases.size(); ++i)
    sections[i].field().check_new("phase of this job", phases[i].name, seen);
  for (std::size_t i = 0; i < phases.size(); ++i)
    if (auto after = sections[i].get("after")) read_after(*after, phases, phases[i]);
  if (const std::string cycle = cycle_of(phases); !cycle.empty())
    field.error("the after keys form a cycle: " + cycle +
                "; expected an order in which the phases can run");
}

/// Warns about outputs that no phase reads.
void check_handed_over(const std::vector<Section>& sections, const std::vector<PhaseSpec>& phases) {
  for (std::size_t i = 0; i < phases.size(); ++i) {
    auto reads = [&](const PhaseSpec& other) {
      return other.kind == PhaseKind::kReduce &&
             std::count(other.after.begin(), other.after.end(), static_cast<int>(i)) > 0;
    };
    if (phases[i].shuffle.mean > 0 && std::none_of(phases.begin(), phases.end(), reads))
      sections[i].get("shuffle")->warn(
          "is not read by any phase: no phase of kind: reduce has this phase in its after");
  }
}

/// Returns text such as "phase "map" requests 1 cores and 1GiB per task (computed by requests:
/// exact-fit)".
std::string demand_text(const PhaseSpec& phase, const PhaseContext& context) {
  const std::string request =
      " requests " + print_resources(phase.request, context.cluster.resources);
  if (phase.kind == PhaseKind::kAm) return "the application master" + request;
  return "phase \"" + phase.name + "\"" + request + " per task" +
         (context.made_by.empty() ? "" : " (computed by requests: " + context.made_by + ")");
}

/// Returns text such as "its gang of 9 can never start".
std::string gang_text(const PhaseSpec& phase) {
  return "its gang of " + std::to_string(phase.tasks) + " can never start";
}

std::string beside_text(const PhaseContext& context) {
  if (context.master == Resources{}) return "";
  return " beside the job's application master of " +
         print_resources(context.master, context.cluster.resources);
}

void check_cluster_fits(const Field& field, const PhaseSpec& phase, const PhaseContext& context) {
  const EmptyCluster& cluster = context.empty;
  const Resources& master = context.master;
  const std::string demand = demand_text(phase, context);
  const std::int64_t room = cluster.room_for(phase.request, phase.where, master);
  if (cluster.room_for(phase.request, phase.where) == 0)
    field.error(demand + "; that fits no node: " + cluster.nearest(phase.request, phase.where));
  else if (room == 0)
    field.error(demand + "; that fits no node" + beside_text(context));
  else if (phase.gang && room < phase.tasks)
    field.error(demand + "; " + gang_text(phase) + ": the empty cluster has room for " +
                std::to_string(room) + beside_text(context));
}

void check_queue_fits(const Field& field, const PhaseSpec& phase, const PhaseContext& context) {
  const QueueRoom& queue = *context.queue;
  const Resources& master = context.master;
  const std::string demand = demand_text(phase, context);
  const std::int64_t room =
      master.fits_in(queue.most) ? times(phase.request, queue.most - master) : 0;
  const std::string may = "queue \"" + queue.name + "\" can never hold ";
  const std::string most = beside_text(context) + ": its maximum is " +
                           print_resources(queue.most, context.cluster.resources) +
                           " (max_capacity, up to the root)";
  if (room == 0)
    field.error(demand + "; " + may + "that" + most);
  else if (phase.gang && room < phase.tasks)
    field.error(demand + "; " + gang_text(phase) + ": " + may + "more than " +
                std::to_string(room) + " of them" + most);
}

}  // namespace

void check_phase_fits(const Field& field, const PhaseSpec& phase, const PhaseContext& context) {
  const bool complete = phase.request.cores.count() > 0 && phase.request.memory.count() > 0;
  if (!context.empty.known() || !complete) return;
  const std::size_t wrong = field.findings().wrong();
  if (context.cluster.unfit_jobs == UnfitJobs::kRefuse) check_cluster_fits(field, phase, context);
  if (context.queue && field.findings().wrong() == wrong) check_queue_fits(field, phase, context);
}

void read_phases(const Field& field, const PhaseContext& context, std::vector<PhaseSpec>& phases) {
  const auto& items = field.node().items;
  if (!field.is_list("a list of at least one phase", 1) || !field.has_at_most(kMaxPhases, "phases"))
    return;
  std::vector<Section> sections;
  for (std::size_t i = 0; i < items.size(); ++i) {
    Section section(field.item(i), phase_keys());
    if (items[i].kind != YamlNode::Kind::kMap) continue;
    phases.push_back(read_phase(section, context));
    if (context.made_by.empty())
      check_phase_fits(section.get("request").value_or(section.field()), phases.back(), context);
    sections.push_back(section);
  }
  read_order(field, sections, phases);
  check_handed_over(sections, phases);
}

}  // namespace heddle
