#pragma once

#include <deque>
#include <map>
#include <optional>
#include <vector>

#include "common/units.h"

namespace heddle {

/// How phases are told apart (DRESS's pw, t_s and t_e).
struct PhaseOptions {
  EmuTime window = emu_seconds(10);
  int starts = 5;  ///< more starts than this in the window begin a phase
  int ends = 5;    ///< more ends than this in the window begin its release
};

/// A phase of a job as its starts and ends show it; it need not be one that the job was written
/// with.
struct DetectedPhase {
  /// n: tasks that were asked for and had not started when it opened or, if none were, when some
  /// first were. Thresholds of small phases follow from it.
  int asked = 0;
  int tasks = 0;                       ///< started in it, and trailing tasks carried into it
  std::int64_t size = 0;               ///< c_j: the sum of these tasks' sizes
  int trailing = 0;                    ///< of the tasks, those carried into it
  int running = 0;                     ///< of the tasks, those that have not ended
  std::int64_t running_size = 0;       ///< the sum of their sizes
  bool begun = false;                  ///< its starts were more than the threshold
  std::optional<EmuTime> first_start;  ///< ps_first
  std::optional<EmuTime> last_start;   ///< ps_last, so far as long as it is open
  bool closed = false;                 ///< no start for a window: the next phase has opened
  std::optional<EmuTime> release;      ///< gamma_j: its tasks have begun to end
  /// dps_j: what its starts, and so its releases, spread over.
  EmuTime spread() const {
    return first_start && last_start ? *last_start - *first_start : EmuTime(0);
  }
  /// G_j(t), equation 1: how much is expected to have been released by t, rounded down.
  std::int64_t released_by(EmuTime t) const;
};

/// One job's phases: which of its tasks start together, and when they are going to end.
///
/// Source: Mao et al., DRESS, Algorithm 1 (phases by starts), Algorithm 2 (releases; heading tasks,
/// that end alone and early, are no release; trailing tasks, that go on after the others, belong to
/// the next phase) and equations 1 and 2, in the readings of docs/policies.md. Windows are
/// (t - pw, t]. Starts and ends are counted in tasks, what tasks hold by their sizes: whole numbers
/// of a unit that the caller chooses. Pure: what it says depends on what it was told, not on when
/// it was asked.
class PhaseDetector {
 public:
  explicit PhaseDetector(const PhaseOptions& options) : options_(options) {
    phases_.emplace_back();
  }

  // Times never go back.
  /// As of now so many tasks are asked for and have not started.
  void asked(int tasks);
  /// A task of that size, with a key of its own, has started.
  void started(EmuTime at, std::int64_t task, std::int64_t size);
  /// The task has ended, however; a key that is not known is ignored. Returns the task's size.
  std::int64_t ended(EmuTime at, std::int64_t task);
  /// Time has passed, without anything else until now.
  void advance(EmuTime now) { pass(now, true); }

  /// f_i, equation 2: how much is expected to be released in (now, now + horizon]; of each phase at
  /// most what runs.
  std::int64_t expected(EmuTime now, EmuTime horizon) const;

  /// In order; the last one is open for starts and may have none yet.
  const std::vector<DetectedPhase>& phases() const { return phases_; }
  int running() const { return static_cast<int>(running_.size()); }

 private:
  struct Task {
    std::size_t phase = 0;
    std::int64_t size = 0;
  };
  /// min(threshold, ceil(n / 2) - 1)
  static int threshold(int wanted, const DetectedPhase& phase);
  void fix_size();
  /// Does what was due before `at`, or by then.
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
