// Reads faults.

#include <algorithm>
#include <map>

#include "common/text.h"
#include "core/scenario/words.h"
#include "yaml/keys.h"
#include "yaml/limits.h"
#include "yaml/sections.h"

namespace heddle {

template <>
void describe(Keys& keys, const FaultSpec& f) {
  constexpr Range<EmuTime> kSpans{EmuTime(1), kMaxTime};
  keys.word("fault", f.kind, "kind of the fault").needed().later();
  keys.by_hand("node", kNodesForm, "every node", "affected nodes");
  keys.number("at", f.at, measure::kDuration, {EmuTime(0), kMaxInstant},
              "when the fault happens or begins");
  keys.number("for", f.lasts, measure::kDuration, kSpans,
              "how long the fault lasts; required for freeze-worker and partition")
      .otherwise("until the end of the run");
  keys.number("restart_after", f.restart_after, measure::kDuration, measure::kDuration.general,
              "kill-worker: time until the node's worker is restarted")
      .otherwise("never");
  keys.number("factor", f.factor, measure::kFraction, {0.01, 1000},
              "slow-node: factor of the node's speed, at most 1; straggle: factor of the work, at "
              "least 1")
      .later()
      .otherwise("see below");
  keys.number("share", f.share, measure::kShare, {0, 1},
              "share of the heartbeats or tasks that are affected, drawn from the seed")
      .rarely();
  keys.number("delay", f.delay, measure::kDuration, kSpans,
              "delay-heartbeats: how late heartbeats are sent")
      .otherwise("see below");
  keys.by_hand("job", "name", "every job", "crash-task, straggle: job of the affected tasks");
  keys.by_hand("phase", "name", "every phase",
               "phase of that job; executor is the phase of executors");
  keys.number("task", f.task, measure::kWhole, {0, kMaxTasks - 1}, "task of that phase, from 0")
      .later()
      .otherwise("every task");
  keys.number("attempt", f.attempt, measure::kWhole, {1, 1000}, "affected attempt");
  keys.number("progress", f.progress, measure::kFraction, {0, 1},
              "crash-task: progress at which the attempt crashes");
}

const Keys& fault_keys() { return keys_of<FaultSpec>("fault"); }

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

}  // namespace

bool applies(std::string_view key, FaultKind kind) {
  const std::vector<std::string>& keys = kGrammars.at(kind).keys;
  return std::find(keys.begin(), keys.end(), key) != keys.end();
}

namespace {

void check_keys(const Section& section, FaultKind kind) {
  const auto& [keys, needed] = kGrammars.at(kind);
  for (const YamlNode::Entry& entry : section.field().node().entries) {
    if (entry.key == "fault" || !fault_keys().find(entry.key) || applies(entry.key, kind)) continue;
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
  if (const auto task = section.get("task"))
    if (const auto index = to_value(*task, "whole number", measure::kWhole, {0, phase.tasks - 1}))
      fault.task = static_cast<int>(*index);
}

/// A node can only become slower, and the work of a task only larger.
void check_factor(const Field& field, FaultSpec& fault) {
  const Range<double> range =
      fault.kind == FaultKind::kSlowNode ? Range<double>{0.01, 1} : Range<double>{1, 1000};
  if (const auto factor = to_value(field, "fraction", measure::kFraction, range))
    fault.factor = *factor;
}

FaultSpec read_one(const Section& section, const NodesByName& known, const ClusterSpec& cluster,
                   const std::vector<JobSpec>& jobs) {
  FaultSpec fault;
  if (!section.need("fault") || !section.read("fault", &fault)) return fault;
  check_keys(section, fault.kind);
  section.read(&fault);
  if (applies("node", fault.kind)) fault.nodes = read_nodes(section, known, cluster);
  if (applies("factor", fault.kind) && section.has("factor"))
    check_factor(*section.get("factor"), fault);
  if (applies("job", fault.kind)) read_tasks_of(section, jobs, fault);
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
    faults.push_back(read_one(Section(field.item(i), fault_keys()), known, cluster, jobs));
}

}  // namespace heddle
