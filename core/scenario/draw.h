#pragma once

#include <cstdint>
#include <initializer_list>

#include "common/ids.h"
#include "core/model/work.h"
#include "core/scenario/scenario.h"

namespace heddle {

/// Returns a key for one draw. The same parts always give the same key, whatever was drawn before.
std::uint64_t draw_key(std::uint64_t seed, std::initializer_list<std::uint64_t> parts);

/// Returns the value for `key`; never negative (values below 0 become 0).
/// uniform spans mean * (1 -+ sqrt(3) * cv); exponential has cv 1 by nature and ignores the field.
double draw(const Drawn& drawn, std::uint64_t key);

/// Returns true for this share of all keys.
bool chance(double share, std::uint64_t key);

/// Draws the work of a task. The work is a pure function of the seed and the task's place (job,
/// phase, index), so every attempt of the task does the same. An application master does not count
/// in places: a job's tasks do the same with and without one.
///
/// A phase with input has one read, its block (`from` by place_block). A phase with shuffle or
/// output has a write for each of them, in this order, of at least one byte each. The engine sets
/// the writes' objects (0 here) and copies, because they depend on the container and its node.
TaskWork draw_work(const Scenario& scenario, TaskId task);

/// Peak use of any task of a phase of the job, by draw_work(): memory, and threads that want CPU. 0
/// if no task specifies it.
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

/// Draws the work of the tasks `first` … `first` + `count` - 1 of a Spark job's stage. A pure
/// function of the seed and the tasks' places. REQUIRES: the stage has these tasks.
StageWork draw_stage(const Scenario& scenario, JobId job, int stage, int first, int count);

/// Returns the blocks that these tasks read, in order; none if the stage has no input.
std::vector<DataRead> stage_reads(const Scenario& scenario, JobId job, int stage, int first,
                                  int count);

/// Returns the first stage of the job that reads the same blocks as `stage`. Stages with equal
/// tasks, input and skew read the same blocks, like iterations over one data set.
int first_reader(const JobSpec& job, int stage);

}  // namespace heddle
