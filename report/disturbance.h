#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "wire/fields.h"

namespace heddle::report {

/// The effect of other programs on a real run. kClean: there were no other programs worth
/// mentioning. kUnaffected: there were, but 99 of 100 tasks took the time that they should take,
/// and memory followed its profiles. kAffected: the times of the run are wrong.
enum class DisturbanceWord { kClean, kUnaffected, kAffected };
inline constexpr std::string_view kDisturbanceWords[] = {"clean", "unaffected", "affected"};
inline std::string_view name_of(DisturbanceWord word) {
  return kDisturbanceWords[static_cast<std::size_t>(word)];
}

/// The measured facts about the disturbance of a real run.
struct Disturbance {
  double foreign_cpu = 0;  ///< share of the machine's CPU that other programs used
  double lost_s = 0;       ///< emulated time that tasks lost because they did not get the CPU
  /// Error that 99 of 100 tasks do not exceed, compared with their ideal times. nullopt: no task
  /// can be compared with an ideal time.
  std::optional<double> task_error = {};
  bool memory_off = false;  ///< memory was far off its profiles (MemoryErrors)
};

/// Share of the CPU from which on other programs are worth mentioning.
inline constexpr double kForeign = 0.05;
/// Error of tasks, and of memory at its 99th percentile, from which on the figures are wrong.
inline constexpr double kFarOff = 0.05;
/// Error of tasks above which the figures are wrong, also without other programs: the machine or
/// the run was stopped, or the scenario asks for more than this machine can do.
inline constexpr double kUseless = 1;
/// The errors of this share of the tasks, the largest ones, do not count.
inline constexpr double kFewTasks = 0.01;

/// Weighs a disturbance by its effect. Without a task to compare, other programs count as an
/// effect, because nothing shows that they had none. Pure.
DisturbanceWord word_of(const Disturbance& disturbance);

/// Returns what a summary says. `host`, `fidelity` and `host_lost_s`: the members of the summary.
/// Returns nullopt if the load of the machine was not measured, as in a simulation.
std::optional<Disturbance> disturbance_of(const wire::Json& host, const wire::Json& fidelity,
                                          const wire::Json& host_lost_s);
/// Does the same for a whole summary. Summaries of versions that did not weigh disturbances have
/// everything that is necessary, too.
std::optional<Disturbance> disturbance_of(const wire::Json& summary);

/// Returns `disturbance` of the summary, or null.
wire::Json to_json(const std::optional<Disturbance>& disturbance);

/// Returns the statement for people, without a line end, such as "unaffected: other programs used
/// 34 % of the CPU, but 99 of 100 tasks are off by at most 0.62 %".
std::string disturbance_text(const Disturbance& disturbance);

/// Returns the statement about a run, or "" if there is nothing to say. A run that says that it is
/// disturbed, but not by how much, is a run of two runs at once or of an old version.
std::string disturbance_text(const wire::Json& summary);

}  // namespace heddle::report
