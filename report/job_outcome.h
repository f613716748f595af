#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "core/scenario/job_spec.h"
#include "wire/fields.h"

namespace heddle::report {

inline constexpr double kMinute_s = 60;
inline constexpr double kHour_s = 3600;

/// The outcome of one job so far, according to a journal. Times are emulated. The application
/// master is not a task.
struct JobOutcome {
  std::optional<EmuTime> eligible;  ///< when the conditions of its JobSpec::after held
  std::optional<EmuTime> start;     ///< when the first task started
  std::optional<EmuTime> last_end;  ///< latest end of a completed task so far
  std::optional<EmuTime> finished;  ///< when the engine declared the job over
  std::string final_state;          ///< "completed", "failed", "killed", "cancelled"; "" while the
                                    ///< job is not over
  std::string reason;               ///< why the job did not complete; "" otherwise
  std::int64_t attempts = 0;        ///< attempts of tasks to which a container was allocated
  std::int64_t am_attempts = 0;     ///< attempts of the application master
  std::int64_t oom_kills = 0;       ///< includes the memory kills of the application master
  /// Core-seconds that the containers which have ended held and used, application masters included.
  double held_core_s = 0, used_core_s = 0;
  /// The start that a conservative scheduler promised the job when it was submitted.
  std::optional<EmuTime> promised;
  std::string size;  ///< "small", "large" … if the policy classifies jobs by size
};

/// Returns when the job was over. A completed job is over when its last task ends. Any other job is
/// over when the engine gives it up.
std::optional<EmuTime> finish_of(const JobOutcome& job);
/// Returns the time since which the job waits: its submission, or the time when its conditions
/// held.
EmuTime eligible_of(const JobSpec& spec, const JobOutcome& job);
/// Returns the time from eligible_of() to the start of the first task, if a task has started.
std::optional<double> waiting_s(const JobSpec& spec, const JobOutcome& job);
/// Returns the time from eligible_of() to the end, if the job is complete.
std::optional<double> completion_s(const JobSpec& spec, const JobOutcome& job);
/// Returns the entry of the list `jobs` of a summary.
wire::Json job_json(const JobSpec& spec, const JobOutcome& job);

}  // namespace heddle::report
