#include "core/scenario/faults.h"

#include <algorithm>
#include <map>
#include <tuple>

#include "core/scenario/draw.h"

namespace heddle {
namespace {

// Part of the keys of the draws for faults. It makes them different from the keys of tasks, which
// begin with a job.
constexpr std::uint64_t kFaults = 0xfa17;

std::uint64_t key_of(const Scenario& scenario, std::size_t fault,
                     std::initializer_list<std::int64_t> place) {
  std::uint64_t key = draw_key(scenario.seed, {kFaults, fault});
  for (std::int64_t part : place) key = draw_key(key, {static_cast<std::uint64_t>(part)});
  return key;
}

bool is_beat_fault(FaultKind kind) {
  return kind == FaultKind::kLoseHeartbeats || kind == FaultKind::kDelayHeartbeats ||
         kind == FaultKind::kDuplicateHeartbeats;
}

bool strikes(FaultKind kind) {
  return kind == FaultKind::kKillWorker || kind == FaultKind::kKillMaster ||
         kind == FaultKind::kFreezeWorker || kind == FaultKind::kPartition;
}

/// Returns the last fault that has ended the node's worker or cut it off, or nullptr.
const FaultSpec* last_strike(const Scenario& scenario, NodeId node, EmuTime now) {
  const FaultSpec* last = nullptr;
  for (const FaultSpec& fault : scenario.faults) {
    const bool there = std::binary_search(fault.nodes.begin(), fault.nodes.end(), node);
    if (strikes(fault.kind) && there && fault.at <= now && (!last || fault.at >= last->at))
      last = &fault;
  }
  return last;
}

/// Returns the conditions of the node if the faults in `on` affect it.
NodeConditions conditions_of(const Scenario& scenario, NodeId node, const std::vector<bool>& on) {
  NodeConditions conditions;
  for (std::size_t i = 0; i < on.size(); ++i) {
    if (!on[i]) continue;
    const FaultSpec& fault = scenario.faults[i];
    if (fault.kind == FaultKind::kSlowNode) conditions.speed *= fault.factor;
    if (fault.kind == FaultKind::kFullDisk) conditions.disk_full = true;
    if (is_beat_fault(fault.kind))
      conditions.beats.push_back(
          {fault.kind, fault.share, fault.delay, key_of(scenario, i, {node.value})});
  }
  return conditions;
}

/// Returns whether the fault is of kind `kind` and affects this attempt.
bool takes(const Scenario& scenario, std::size_t index, FaultKind kind, TaskId task, int attempt) {
  const FaultSpec& fault = scenario.faults[index];
  if (fault.kind != kind || fault.attempt != attempt) return false;
  if (fault.job && *fault.job != task.phase.job) return false;
  if (fault.phase && *fault.phase != task.phase.phase) return false;
  if (fault.task && *fault.task != task.index) return false;
  const PhaseKind of = scenario.jobs[task.phase.job.value].phases[task.phase.phase].kind;
  if (of == PhaseKind::kCommand || (of == PhaseKind::kAm && !fault.phase)) return false;
  return chance(fault.share,
                key_of(scenario, index, {task.phase.job.value, task.phase.phase, task.index}));
}

}  // namespace

bool changes_conditions(FaultKind kind) {
  return kind == FaultKind::kSlowNode || kind == FaultKind::kFullDisk || is_beat_fault(kind);
}

std::vector<FaultMoment> fault_moments(const Scenario& scenario) {
  std::vector<FaultMoment> moments;
  for (int i = 0; i < std::ssize(scenario.faults); ++i) {
    const FaultSpec& fault = scenario.faults[i];
    if (fault.kind == FaultKind::kKillMaster) moments.push_back({fault.at, i, {}, false, {}});
    for (NodeId node : fault.nodes) {
      moments.push_back({fault.at, i, node, false, {}});
      if (changes_conditions(fault.kind) && fault.lasts)
        moments.push_back({fault.at + *fault.lasts, i, node, true, {}});
    }
  }
  std::sort(moments.begin(), moments.end(), [](const FaultMoment& a, const FaultMoment& b) {
    return std::tie(a.at, a.fault, a.node) < std::tie(b.at, b.fault, b.node);
  });
  std::map<NodeId, std::vector<bool>> on;
  for (FaultMoment& moment : moments) {
    if (!changes_conditions(scenario.faults[moment.fault].kind)) continue;
    std::vector<bool>& there = on[*moment.node];
    there.resize(scenario.faults.size());
    there[moment.fault] = !moment.ends;
    moment.conditions = conditions_of(scenario, *moment.node, there);
  }
  return moments;
}

std::optional<Absence> absence(const Scenario& scenario, NodeId node, EmuTime now) {
  const FaultSpec* last = last_strike(scenario, node, now);
  if (!last) return std::nullopt;
  const auto away = last->kind == FaultKind::kKillWorker ? last->restart_after : last->lasts;
  if (!away) return Absence{last->at, std::nullopt};
  const EmuTime until = last->at + *away + scenario.scale().to_emulated(kReturnGrace);
  return until > now ? std::optional(Absence{last->at, until}) : std::nullopt;
}

std::vector<std::optional<EmuTime>> planned_kills(const Scenario& scenario, NodeId node) {
  std::vector<std::optional<EmuTime>> kills;
  for (const FaultMoment& moment : fault_moments(scenario)) {
    const FaultSpec& fault = scenario.faults[moment.fault];
    if (fault.kind == FaultKind::kKillWorker && moment.node == node)
      kills.push_back(fault.restart_after);
  }
  return kills;
}

BeatFate fate_of(const std::vector<BeatRule>& rules, std::int64_t number) {
  BeatFate fate;
  for (const BeatRule& rule : rules) {
    if (!chance(rule.share, draw_key(rule.key, {static_cast<std::uint64_t>(number)}))) continue;
    if (rule.kind == FaultKind::kLoseHeartbeats) fate.lost = true;
    if (rule.kind == FaultKind::kDelayHeartbeats) fate.delay += rule.delay;
    if (rule.kind == FaultKind::kDuplicateHeartbeats) fate.twice = true;
  }
  return fate;
}

double straggling(const Scenario& scenario, TaskId task, int attempt) {
  double factor = 1;
  for (std::size_t i = 0; i < scenario.faults.size(); ++i)
    if (takes(scenario, i, FaultKind::kStraggle, task, attempt))
      factor *= scenario.faults[i].factor;
  return factor;
}

std::optional<double> crash_of(const Scenario& scenario, TaskId task, int attempt) {
  std::optional<double> first;
  for (std::size_t i = 0; i < scenario.faults.size(); ++i)
    if (takes(scenario, i, FaultKind::kCrashTask, task, attempt))
      first = std::min(first.value_or(1), scenario.faults[i].progress);
  return first;
}

}  // namespace heddle
