#pragma once

#include <deque>
#include <map>
#include <optional>
#include <vector>

#include "common/units.h"

namespace heddle {

/// Parameters of phase detection (DRESS's pw, t_s and t_e).
struct PhaseOptions {
  EmuTime window = emu_seconds(10);
  int starts = 5;  ///< more starts than this in the window begin a phase
  int ends = 5;    ///< more ends than this in the window begin the phase's release
};

/// A phase of a job, detected from the starts and ends of tasks. The phase can differ from the
/// phases in the job's specification.
struct DetectedPhase {
  /// n: the number of tasks that were requested and not started when the phase opened. If this
  /// number was 0, n is the first number after it that is not 0. In small phases, the thresholds
  /// for starts and ends depend on n.
  int asked = 0;
  int tasks = 0;                       ///< tasks that started in the phase or were moved into it
  std::int64_t size = 0;               ///< c_j: the sum of these tasks' sizes
  int trailing = 0;                    ///< tasks that were moved into it from the phase before
  int running = 0;                     ///< tasks that have not ended
  std::int64_t running_size = 0;       ///< the sum of the running tasks' sizes
  bool begun = false;                  ///< the number of starts exceeded the threshold
  std::optional<EmuTime> first_start;  ///< ps_first
  std::optional<EmuTime> last_start;   ///< ps_last; can increase while the phase is open
  bool closed = false;                 ///< no task started for a window, so the next phase is open
  std::optional<EmuTime> release;      ///< gamma_j: the time at which its tasks began to end
  /// Returns dps_j: the time from the phase's first start to its last start. Its releases are
  /// expected to take as long.
  EmuTime spread() const {
    return first_start && last_start ? *last_start - *first_start : EmuTime(0);
  }
  /// Returns G_j(t) of equation 1: the size that the phase is expected to have released at time t,
  /// rounded down.
  std::int64_t released_by(EmuTime t) const;
};

/// Detects the phases of one job. The tasks of a phase start together. For each phase, estimates
/// when its tasks will end.
///
/// Source: Mao et al., DRESS, Algorithm 1 (phases by starts), Algorithm 2 (releases) and equations
/// 1 and 2, as interpreted in docs/reference/policies.md. In Algorithm 2, the ends of heading tasks
/// do not begin a release; a heading task ends alone and early. Trailing tasks run longer than the
/// others and are moved to the next phase. A window is (t - pw, t]. Starts and ends are numbers of
/// tasks. The size of a task stands for the resources that it holds. It is a whole number of a unit
/// that the caller chooses. Pure: the results depend only on the reported events. They do not
/// depend on the times of the calls.
class PhaseDetector {
 public:
  explicit PhaseDetector(const PhaseOptions& options) : options_(options) {
    phases_.emplace_back();
  }

  // Times never go back.
  /// Sets how many tasks are requested and have not started.
  void asked(int tasks);
  /// Notes that a task of the given size has started. `task` is a key that no other task has.
  void started(EmuTime at, std::int64_t task, std::int64_t size);
  /// Notes that the task has ended, with any outcome, and returns its size. Ignores an unknown key
  /// and returns 0.
  std::int64_t ended(EmuTime at, std::int64_t task);
  /// Notes that there was no other event until `now`.
  void advance(EmuTime now) { pass(now, true); }

  /// Returns f_i of equation 2: the size that is expected to be released in (now, now + horizon].
  /// Each phase contributes at most the size of its running tasks.
  std::int64_t expected(EmuTime now, EmuTime horizon) const;

  /// Returns the phases in order. The last phase is open: the next task that starts belongs to it.
  const std::vector<DetectedPhase>& phases() const { return phases_; }
  int running() const { return static_cast<int>(running_.size()); }

 private:
  struct Task {
    std::size_t phase = 0;
    std::int64_t size = 0;
  };
  /// Returns min(threshold, ceil(n / 2) - 1).
  static int threshold(int wanted, const DetectedPhase& phase);
  void fix_size();
  /// Makes the changes that were due before `at`. If `inclusive`, also makes the changes due at
  /// `at`.
  void pass(EmuTime at, bool inclusive);
  void carry_over(std::size_t phase);

  PhaseOptions options_;
  std::vector<DetectedPhase> phases_;
  std::deque<EmuTime> starts_;  ///< times of starts of the open phase, in its last window
  std::map<std::size_t, std::deque<EmuTime>> ends_;  ///< times of ends by phase, in its last window
  std::map<std::int64_t, Task> running_;
  int asked_ = 0;
};

}  // namespace heddle
