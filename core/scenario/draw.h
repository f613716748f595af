#pragma once

#include <cstdint>
#include <initializer_list>

#include "common/ids.h"
#include "core/model/work.h"
#include "core/scenario/scenario.h"

namespace heddle {

/// Returns a key for one draw. The same arguments always give the same key. Earlier draws do not
/// change it.
std::uint64_t draw_key(std::uint64_t seed, std::initializer_list<std::uint64_t> parts);

/// Returns the value for `key`. Values below 0 become 0. A uniform distribution is from mean * (1 -
/// sqrt(3) * cv) to mean * (1 + sqrt(3) * cv). An exponential distribution always has a cv of 1 and
/// ignores `cv`.
double draw(const Drawn& drawn, std::uint64_t key);

/// Returns a number from `least` to `most`, all of them equally likely.
double draw_between(double least, double most, std::uint64_t key);

/// Returns true for this share of all keys.
bool chance(double share, std::uint64_t key);

/// Draws the work of a task. The work depends only on the scenario, its seed and the place of the
/// task (job, phase, index). Therefore every attempt of the task does the same work. An application
/// master does not count as a phase in places, so a job's tasks do the same work with and without
/// one.
///
/// If the phase has input, the task has one read. It reads its block from the nodes that
/// place_block() returns. If the phase has shuffle, the task has a write for it, and then another
/// write if the phase has output. Each write has at least one byte. In the writes, `object` is 0
/// and `copies` is empty. The engine sets both, because they depend on the container and its node.
TaskWork draw_work(const Scenario& scenario, TaskId task);

/// The highest use of any task of a phase, according to draw_work(): memory, and threads that want
/// CPU. A value is 0 if no task specifies it.
struct PhasePeak {
  EmuBytes memory;
  int threads = 0;
  friend bool operator==(const PhasePeak&, const PhasePeak&) = default;
};
PhasePeak draw_peak(std::uint64_t seed, const JobSpec& job, PhaseId phase);

/// The combined work of some tasks of a stage.
struct StageWork {
  CoreTime cpu;
  EmuBytes input;
  EmuBytes shuffle;
  EmuBytes output;
  friend bool operator==(const StageWork&, const StageWork&) = default;
};

/// Draws the work of the tasks `first` … `first` + `count` - 1 of a Spark job's stage. The result
/// depends only on the scenario, its seed and the places of the tasks. REQUIRES: the stage has
/// these tasks.
StageWork draw_stage(const Scenario& scenario, JobId job, int stage, int first, int count);

/// Returns the blocks that these tasks read, in order. Returns no blocks if the stage has no input.
std::vector<DataRead> stage_reads(const Scenario& scenario, JobId job, int stage, int first,
                                  int count);

/// Returns the first stage of the job that reads the same blocks as `stage`. Stages with equal
/// tasks, input and skew read the same blocks, like iterations over one data set.
int first_reader(const JobSpec& job, int stage);

}  // namespace heddle
