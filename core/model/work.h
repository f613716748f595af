#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "common/ids.h"
#include "common/units.h"

namespace heddle {

/// A point of a memory profile (scenarios call it a corner). From `progress` (0..1) on, use moves
/// in a straight line to that of the next point; before the first and after the last point it is
/// flat.
struct MemoryPoint {
  double progress = 0;
  EmuBytes use;
  friend bool operator==(const MemoryPoint&, const MemoryPoint&) = default;
};

/// Returns the use at `progress`; 0 without points.
EmuBytes memory_use(const std::vector<MemoryPoint>& profile, double progress);
/// Returns the highest use; 0 without points.
EmuBytes peak_use(const std::vector<MemoryPoint>& profile);

/// A piece of the CPU work and the wall time that passes after it; either may be 0.
struct WorkPiece {
  CoreTime cpu;
  EmuTime pause;
  friend bool operator==(const WorkPiece&, const WorkPiece&) = default;
};

/// A range of an object that the nodes' data services hold: an input block or a task's output.
struct DataRead {
  std::uint64_t object = 0;
  EmuBytes offset;
  EmuBytes size;
  std::vector<NodeId> from;  ///< nodes that have it, in the order in which to try them
  /// Index of the reduce's source that is read, from 0; a later read of the same source replaces
  /// the earlier one. -1: an input block, without which the attempt fails.
  int source = -1;
  friend bool operator==(const DataRead&, const DataRead&) = default;
};

/// An object that is written when the work is done.
struct DataWrite {
  std::uint64_t object = 0;
  EmuBytes size;
  /// True: the node keeps it for its readers (map output). False: a file that nobody reads in this
  /// run; it is dropped once it and all copies are written.
  bool kept = true;
  std::vector<NodeId> copies;  ///< other nodes that get a copy
  friend bool operator==(const DataWrite&, const DataWrite&) = default;
};

/// Reads of one container that are under way at the same time; the others queue in order (Hadoop's
/// mapreduce.reduce.shuffle.parallelcopies).
inline constexpr int kParallelReads = 5;

/// The work of one task attempt, with all random numbers already drawn. A task first reads its
/// inputs, then sleeps, then burns CPU while its memory follows the profile, then writes its
/// outputs. Progress is done / total of the ideal times of sleep, pauses and CPU; reading and
/// writing don't count. For work in pieces, the ideal times assume one core of speed 1 for each
/// thread, on every node. So each point of the memory profile falls into the same piece wherever
/// the task runs.
///
/// If `executor` is set, the attempt gets its work in parts (TaskPart), one after the other, until
/// Finish. Its own reads, cpu, sleep and writes are empty.
struct TaskWork {
  CoreTime cpu;     ///< split evenly over the threads
  int threads = 1;  ///< at least 1
  EmuTime sleep;    ///< wall time; not lengthened by suspension
  /// The number of pauses that interrupt the CPU work at even distances; each takes `pause` of wall
  /// time.
  int pauses = 0;
  EmuTime pause;
  /// If not empty, the work consists of these pieces in sequence. Then `cpu` is the sum of theirs,
  /// and there is no `sleep` and no `pauses`.
  std::vector<WorkPiece> pieces;
  std::vector<MemoryPoint> memory;  ///< by ascending progress; empty: footprint only
  /// The task waits for InputsReady before anything else, because it was started before its inputs
  /// were complete. A task with sources waits for its sources instead.
  bool waits = false;
  std::vector<DataRead> reads;
  /// The number of distinct sources that must be read before the work begins: those among `reads`,
  /// and others that follow later (Fetch).
  int sources = 0;
  std::vector<DataWrite> writes;
  bool executor = false;
  /// The task fails at this progress: a fault of the scenario.
  std::optional<double> crash_at = {};
  friend bool operator==(const TaskWork&, const TaskWork&) = default;
};

/// An executor's next work: some tasks of a stage at once.
struct TaskPart {
  int number = 0;  ///< from 1, ascending in a container
  int stage = 0;
  CoreTime cpu;  ///< split evenly over the threads
  int threads = 1;
  std::vector<DataRead> reads;
  std::vector<DataWrite> writes;
  double progress = 0;  ///< the container's progress after the part, 0..1; grows linearly
  friend bool operator==(const TaskPart&, const TaskPart&) = default;
};

/// Returns the time that the work takes on a node of the given speed without contention, reads and
/// writes: sleep and pauses, then cpu over min(threads, cores) cores (`strict`) or over all its
/// threads (`shares`).
EmuTime ideal_time(const TaskWork& work, Millicores cores, double speed, bool shares);

/// Progress, 0..1, when a piece's CPU work is done, and when the pause after it is over.
struct PieceEnd {
  double burnt = 0;
  double rested = 0;
};
/// Returns the end of each piece, in order; the last one ends at 1.
std::vector<PieceEnd> piece_ends(const TaskWork& work);

/// Returns the work in a container of `held` memory instead of `requested`. Memory that would fit
/// into the request but not into `held` spills: points of the profile above `held` are lowered to
/// it. The CPU work grows by the factor 1 + spill_penalty * (1 - kept / peak), that is, by the
/// share of the peak that does not fit. Shrinking does not affect use above the request: the
/// profile stays as far above `held` as it was above `requested`, so an attempt that would have
/// been killed still is. Sleep and pauses stay the same. REQUIRES: held <= requested.
TaskWork spilled(TaskWork work, EmuBytes requested, EmuBytes held, double spill_penalty);

/// Returns the work with CPU, sleep and pauses multiplied by `factor`.
TaskWork stretched(TaskWork work, double factor);
CoreTime stretched(CoreTime cpu, double factor);

/// Returns whether ideal_time() covers all of the work's time: the task has nothing to wait for,
/// read or write, and is no executor.
inline bool has_ideal_time(const TaskWork& work) {
  return !work.waits && work.reads.empty() && work.sources == 0 && work.writes.empty() &&
         !work.executor;
}

/// Returns the name of the object that a container has written in a stage (0 for maps). The name
/// never equals a block's name (core/scenario/blocks.h).
constexpr std::uint64_t output_object(ContainerId container, int stage) {
  return 1ULL << 63 | static_cast<std::uint64_t>(container.value) << 16 |
         static_cast<std::uint64_t>(stage);
}
/// Returns the container that has written the object with such a name.
constexpr ContainerId writer_of(std::uint64_t object) {
  return ContainerId{static_cast<std::int64_t>((object & ~(1ULL << 63)) >> 16)};
}

}  // namespace heddle
