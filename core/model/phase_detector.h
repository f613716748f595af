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

/// A phase of a job as its task starts and ends show it. The phase need not match a phase in the
/// job's specification.
struct DetectedPhase {
  /// n: tasks that were requested and had not started when the phase opened. If there were none,
  /// the same count when tasks were first requested. Thresholds of small phases follow from n.
  int asked = 0;
  int tasks = 0;                       ///< tasks started in the phase or carried into it
  std::int64_t size = 0;               ///< c_j: the sum of these tasks' sizes
  int trailing = 0;                    ///< tasks carried into the phase
  int running = 0;                     ///< tasks that have not ended
  std::int64_t running_size = 0;       ///< the sum of the running tasks' sizes
  bool begun = false;                  ///< the number of starts exceeded the threshold
  std::optional<EmuTime> first_start;  ///< ps_first
  std::optional<EmuTime> last_start;   ///< ps_last; may still grow while the phase is open
  bool closed = false;                 ///< no start for a window: the next phase has opened
  std::optional<EmuTime> release;      ///< gamma_j: when the phase's tasks began to end
  /// Returns dps_j: the time over which the phase's starts, and so its releases, are spread.
  EmuTime spread() const {
    return first_start && last_start ? *last_start - *first_start : EmuTime(0);
  }
  /// Returns G_j(t), equation 1: the size expected to have been released by t, rounded down.
  std::int64_t released_by(EmuTime t) const;
};

/// Detects the phases of one job: which of its tasks start together, and when they are expected to
/// end.
///
/// Source: Mao et al., DRESS, Algorithm 1 (phases by starts), Algorithm 2 (releases) and equations
/// 1 and 2, as interpreted in docs/reference/policies.md. In Algorithm 2, heading tasks, which end
/// alone and early, are no release; trailing tasks, which run longer than the others, belong to the
/// next phase. Windows are (t - pw, t]. Starts and ends are counted in tasks. The resources that
/// tasks hold are counted by size, in whole numbers of a unit that the caller chooses. Pure: the
/// answers depend on the reported events, not on when the detector is asked.
class PhaseDetector {
 public:
  explicit PhaseDetector(const PhaseOptions& options) : options_(options) {
    phases_.emplace_back();
  }

  // Times never go back.
  /// Sets how many tasks are requested and have not started.
  void asked(int tasks);
  /// Notes that a task of the given size has started; `task` is a key of its own.
  void started(EmuTime at, std::int64_t task, std::int64_t size);
  /// Notes that the task has ended, with any outcome, and returns its size. Ignores an unknown key
  /// and returns 0.
  std::int64_t ended(EmuTime at, std::int64_t task);
  /// Notes that time has passed without another event until now.
  void advance(EmuTime now) { pass(now, true); }

  /// Returns f_i, equation 2: the size expected to be released in (now, now + horizon]. Each phase
  /// contributes at most the size of its running tasks.
  std::int64_t expected(EmuTime now, EmuTime horizon) const;

  /// Returns the phases in order. The last one is open for starts and may have none yet.
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
  /// Performs the changes that were due before `at`; if `inclusive`, also those due at `at`.
  void pass(EmuTime at, bool inclusive);
  void carry_over(std::size_t phase);

  PhaseOptions options_;
  std::vector<DetectedPhase> phases_;
  std::deque<EmuTime> starts_;                       ///< of the open phase, in its last window
  std::map<std::size_t, std::deque<EmuTime>> ends_;  ///< by phase, in its last window
  std::map<std::int64_t, Task> running_;
  int asked_ = 0;
};

}  // namespace heddle
