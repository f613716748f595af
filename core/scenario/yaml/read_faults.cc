// Reads faults.

#include <algorithm>
#include <map>

#include "common/text.h"
#include "core/scenario/yaml/sections.h"

namespace heddle {
namespace {

/// The keys that are allowed for a kind of fault, and the keys that are required.
struct Grammar {
  std::vector<std::string> keys;
  std::vector<std::string> needed = {};
};

const std::map<FaultKind, Grammar> kGrammars = {
    {FaultKind::kKillWorker, {{"node", "at", "restart_after"}}},
    {FaultKind::kKillMaster, {{"at"}}},
    {FaultKind::kFreezeWorker, {{"node", "at", "for"}, {"for"}}},
    {FaultKind::kPartition, {{"node", "at", "for"}, {"for"}}},
    {FaultKind::kSlowNode, {{"node", "at", "for", "factor"}, {"factor"}}},
    {FaultKind::kFullDisk, {{"node", "at", "for"}}},
    {FaultKind::kLoseHeartbeats, {{"node", "at", "for", "share"}}},
    {FaultKind::kDelayHeartbeats, {{"node", "at", "for", "share", "delay"}, {"delay"}}},
    {FaultKind::kDuplicateHeartbeats, {{"node", "at", "for", "share"}}},
    {FaultKind::kCrashTask, {{"job", "phase", "task", "attempt", "share", "progress"}}},
    {FaultKind::kStraggle, {{"job", "phase", "task", "attempt", "share", "factor"}, {"factor"}}}};

void check_keys(const Section& section, FaultKind kind) {
  const auto& [keys, needed] = kGrammars.at(kind);
  for (const YamlNode::Entry& entry : section.field().node().entries) {
    const bool known = entry.key == "fault" || !find_key("fault", entry.key);
    if (known || std::find(keys.begin(), keys.end(), entry.key) != keys.end()) continue;
    section.field().at(entry).error("does not apply to " + std::string(word_of(kind)) +
                                    "; expected " + join(keys, " or "));
  }
  for (const std::string& key : needed) section.need(key);
}

/// Returns the index in `names` of the name under `key`.
std::optional<int> read_index(const Section& section, const char* key, const std::string& what,
                              const std::vector<std::string>& names) {
  return section.text(key) ? index_of(*section.get(key), what, names) : std::nullopt;
}

/// Reports that `key` has no meaning without `other`, if only `key` is present.
void want(const Section& section, const char* key, const char* other) {
  if (section.has(key) && !section.has(other))
    section.get(key)->error("needs " + std::string(other) + "; expected " + other +
                            " in the same fault");
}

void check_phase(const Section& section, const PhaseSpec& phase, const FaultSpec& fault) {
  if (phase.kind == PhaseKind::kCommand)
    section.get("phase")->error(
        "\"" + phase.name +
        "\" runs users' programs; expected a phase of maps, reduces or executors");
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
  section.whole("task", fault.task, {0, phase.tasks - 1});
}

void read_times(const Section& section, FaultSpec& fault) {
  section.duration("at", fault.at, {EmuTime(0), kMaxTime});
  section.duration("for", fault.lasts, {EmuTime(1), kMaxTime});
  section.duration("restart_after", fault.restart_after, {EmuTime(0), kMaxTime});
  section.duration("delay", fault.delay, {EmuTime(1), kMaxTime});
}

FaultSpec read_one(const Section& section, const NodesByName& known,
                   const std::vector<JobSpec>& jobs) {
  FaultSpec fault;
  section.need("fault");
  if (!section.word("fault", fault.kind)) return fault;
  check_keys(section, fault.kind);
  const std::vector<std::string>& keys = kGrammars.at(fault.kind).keys;
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
  if (!field.is_list("a list of faults such as {fault: kill-worker, node: n1, at: 20s, "
                     "restart_after: 10s}") ||
      !field.has_at_most(kMaxFaults, "faults"))
    return;
  const NodesByName known = nodes_by_name(cluster);
  for (std::size_t i = 0; i < field.node().items.size(); ++i)
    faults.push_back(read_one(Section(field.item(i), "fault"), known, jobs));
}

}  // namespace heddle
