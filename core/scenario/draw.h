#pragma once

#include <cstdint>
#include <initializer_list>

#include "common/ids.h"
#include "core/model/work.h"
#include "core/scenario/scenario.h"

namespace heddle {

/// A key for one draw: the same parts always give the same key, whatever was drawn before.
std::uint64_t draw_key(std::uint64_t seed, std::initializer_list<std::uint64_t> parts);

/// The value that `key` gives; never negative (values below 0 become 0). uniform spans
/// mean * (1 -+ sqrt(3) * cv); exponential has cv 1 by nature and ignores the field.
double draw(const Drawn& drawn, std::uint64_t key);

/// True for this share of all keys.
bool chance(double share, std::uint64_t key);

/// What a task does, a pure function of the seed and the task's place (job, phase, index): every
/// attempt of it does the same. An application master is no place: with and without one, a job's
/// tasks do the same.
///
/// A phase with input has one read, its block (place_block, in `from`); one with shuffle, output or
/// both has writes of these, in this order, of at least a byte each. Their objects (0) and copies
/// are the engine's to fill in: they depend on the container and its node.
TaskWork draw_work(const Scenario& scenario, TaskId task);

/// The most that any task of a phase of the job uses at a time, by draw_work(): memory, and threads
/// that want CPU; 0 where no task says anything of it.
struct PhasePeak {
  EmuBytes memory;
  int threads = 0;
  friend bool operator==(const PhasePeak&, const PhasePeak&) = default;
};
PhasePeak draw_peak(std::uint64_t seed, const JobSpec& job, PhaseId phase);

/// What some tasks of a stage do, all together.
struct StageWork {
  CoreTime cpu;
  EmuBytes input;
  EmuBytes shuffle;
  EmuBytes output;
  friend bool operator==(const StageWork&, const StageWork&) = default;
};

/// Of the tasks `first` … `first` + `count` - 1 of a Spark job's stage; a pure function of the seed
/// and the tasks' places. REQUIRES: the stage has them.
StageWork draw_stage(const Scenario& scenario, JobId job, int stage, int first, int count);

/// The blocks that these tasks read, in order; none if the stage has no input.
std::vector<DataRead> stage_reads(const Scenario& scenario, JobId job, int stage, int first,
                                  int count);

/// The first stage of the job that reads what `stage` does: those with equal tasks, input and skew
/// read the same blocks, as iterations over one data set do.
int first_reader(const JobSpec& job, int stage);

}  // namespace heddle
