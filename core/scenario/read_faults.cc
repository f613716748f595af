// faults: what breaks, and when.

#include <algorithm>

#include "common/text.h"
#include "core/scenario/sections.h"

namespace heddle {
namespace {

/// The keys that say something of a fault of the kind, and those of them that it needs.
struct Grammar {
  std::vector<std::string> keys;
  std::vector<std::string> needed = {};
};

Grammar grammar_of(FaultKind kind) {
  switch (kind) {
    case FaultKind::kKillWorker:
      return {{"node", "at", "restart_after"}};
    case FaultKind::kKillMaster:
      return {{"at"}};
    case FaultKind::kFreezeWorker:
    case FaultKind::kPartition:
      return {{"node", "at", "for"}, {"for"}};
    case FaultKind::kSlowNode:
      return {{"node", "at", "for", "factor"}, {"factor"}};
    case FaultKind::kFullDisk:
      return {{"node", "at", "for"}};
    case FaultKind::kLoseHeartbeats:
    case FaultKind::kDuplicateHeartbeats:
      return {{"node", "at", "for", "share"}};
    case FaultKind::kDelayHeartbeats:
      return {{"node", "at", "for", "share", "delay"}, {"delay"}};
    case FaultKind::kCrashTask:
      return {{"job", "phase", "task", "attempt", "share", "progress"}};
    case FaultKind::kStraggle:
      return {{"job", "phase", "task", "attempt", "share", "factor"}, {"factor"}};
  }
  return {};
}

void check_keys(const Section& section, FaultKind kind) {
  const auto [keys, needed] = grammar_of(kind);
  for (const YamlNode::Entry& entry : section.field().node().entries) {
    const bool known = entry.key == "fault" || !find_key("fault", entry.key);
    if (known || std::find(keys.begin(), keys.end(), entry.key) != keys.end()) continue;
    section.field().at(entry).error("says nothing of " + std::string(word_of(kind)) +
                                    "; expected " + join(keys, " or "));
  }
  for (const std::string& key : needed) section.need(key);
}

/// The index of what `key` names among `names`.
std::optional<int> read_index(const Section& section, const char* key, const std::string& what,
                              const std::vector<std::string>& names) {
  const std::optional<std::string> name = section.text(key);
  if (!name) return std::nullopt;
  auto it = std::find(names.begin(), names.end(), *name);
  if (it != names.end()) return static_cast<int>(it - names.begin());
  section.get(key)->error(
      with_nearest("no " + what + " is called \"" + *name + "\"", *name, names));
  return std::nullopt;
}

/// A key that stands for nothing without another.
void want(const Section& section, const char* key, const char* other) {
  if (section.has(key) && !section.has(other))
    section.get(key)->error("is of no " + std::string(other) + "; expected " + other +
                            " beside it");
}

void check_phase(const Section& section, const PhaseSpec& phase, const FaultSpec& fault) {
  if (phase.kind == PhaseKind::kCommand)
    section.get("phase")->error("\"" + phase.name +
                                "\" runs programs of yours; expected a phase of maps, reduces or "
                                "executors");
  if (phase.kind == PhaseKind::kAm && fault.kind == FaultKind::kCrashTask && fault.progress > 0)
    section.get("phase")->error("an application master makes no progress; expected progress: 0");
}

void read_tasks_of(const Section& section, const std::vector<JobSpec>& jobs, FaultSpec& fault) {
  want(section, "phase", "job");
  want(section, "task", "phase");
  section.whole("attempt", fault.attempt, {1, 1000});
  std::vector<std::string> names;
  for (const JobSpec& job : jobs) names.push_back(job.name);
  if (names.empty()) return;
  const std::optional<int> job = read_index(section, "job", "job", names);
  if (!job) return;
  fault.job = JobId{*job};
  names.clear();
  for (const PhaseSpec& phase : jobs[*job].phases) names.push_back(phase.name);
  fault.phase = read_index(section, "phase", "phase of job " + jobs[*job].name, names);
  if (!fault.phase) return;
  const PhaseSpec& phase = jobs[*job].phases[*fault.phase];
  check_phase(section, phase, fault);
  int task = 0;
  if (section.whole("task", task, {0, phase.tasks - 1})) fault.task = task;
}

void read_times(const Section& section, FaultSpec& fault) {
  auto time = [&](const char* key, std::optional<EmuTime>& out, EmuTime least) {
    EmuTime value;
    if (section.duration(key, value, {least, kMaxTime})) out = value;
  };
  section.duration("at", fault.at, {EmuTime(0), kMaxTime});
  time("for", fault.lasts, EmuTime(1));
  time("restart_after", fault.restart_after, EmuTime(0));
  section.duration("delay", fault.delay, {EmuTime(1), kMaxTime});
}

FaultSpec read_one(const Section& section, const NodesByName& known,
                   const std::vector<JobSpec>& jobs) {
  FaultSpec fault;
  section.need("fault");
  if (!section.word("fault", fault.kind)) return fault;
  check_keys(section, fault.kind);
  const std::vector<std::string> keys = grammar_of(fault.kind).keys;
  auto takes = [&](const char* key) {
    return std::find(keys.begin(), keys.end(), key) != keys.end();
  };
  if (takes("node")) fault.nodes = read_nodes(section, known);
  read_times(section, fault);
  const bool slow = fault.kind == FaultKind::kSlowNode;
  if (takes("factor"))
    section.fraction("factor", fault.factor,
                     slow ? Range<double>{0.01, 1} : Range<double>{1, 1000});
  section.share("share", fault.share, {0, 1});
  section.fraction("progress", fault.progress, {0, 1});
  if (takes("job")) read_tasks_of(section, jobs, fault);
  return fault;
}

}  // namespace

void read_faults(const Field& field, const ClusterSpec& cluster, const std::vector<JobSpec>& jobs,
                 std::vector<FaultSpec>& faults) {
  if (field.node().kind != YamlNode::Kind::kList)
    return field.error("is " + std::string(field.kind_text()) +
                       "; expected a list of faults such as {fault: kill-worker, node: n1, at: "
                       "20s, restart_after: 10s}");
  const std::size_t count = field.node().items.size();
  if (count > kMaxFaults)
    return field.error("has " + std::to_string(count) + " faults; expected at most " +
                       std::to_string(kMaxFaults));
  const NodesByName known = nodes_by_name(cluster);
  for (std::size_t i = 0; i < count; ++i)
    faults.push_back(read_one(Section(field.item(i), "fault"), known, jobs));
}

}  // namespace heddle
