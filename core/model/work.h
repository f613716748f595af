#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "common/ids.h"
#include "common/units.h"

namespace heddle {

/// A corner of a memory profile: from `progress` (0..1) on, use moves in a straight line to the
/// next corner's; before the first and after the last it is flat.
struct MemoryPoint {
  double progress = 0;
  EmuBytes use;
  friend bool operator==(const MemoryPoint&, const MemoryPoint&) = default;
};

/// A stretch of the CPU work and the wall time that passes behind it; either may be 0.
struct WorkPiece {
  CoreTime cpu;
  EmuTime pause;
  friend bool operator==(const WorkPiece&, const WorkPiece&) = default;
};

/// A stretch of an object that the nodes' data services hold: an input block, or what a task has
/// handed over.
struct DataRead {
  std::uint64_t object = 0;
  EmuBytes offset;
  EmuBytes size;
  std::vector<NodeId> from;  ///< who has it, in the order in which to try
  /// Which of a reduce's inputs it is, from 0; one that comes again stands in for the former. -1: a
  /// block of the input, without which the attempt fails.
  int source = -1;
  friend bool operator==(const DataRead&, const DataRead&) = default;
};

/// An object that is written once the work is done.
struct DataWrite {
  std::uint64_t object = 0;
  EmuBytes size;
  /// True: kept by its node for those who read it (map output). False: a file, whose bytes nobody
  /// reads in this run; it is dropped once it and all copies are written.
  bool kept = true;
  std::vector<NodeId> copies;  ///< other nodes that are to have it too
  friend bool operator==(const DataWrite&, const DataWrite&) = default;
};

/// Reads of one container that are under way at once; the others queue in order (Hadoop's
/// mapreduce.reduce.shuffle.parallelcopies).
inline constexpr int kParallelReads = 5;

/// What one task attempt does, every number drawn: first it reads its inputs, then sleeps, then
/// burns CPU, while its memory follows the profile, then it writes. Progress is done / total of the
/// ideal times of sleep, pauses and CPU; reading and writing are none. Of work in pieces these
/// times are those on cores of speed 1, one for each thread, wherever it runs, so that the
/// profile's corners stay where they are among the pieces.
///
/// An executor (`executor`) does all that over and over, as it is told (TaskPart), until it is told
/// to finish; it has no reads, cpu, sleep and writes of its own.
struct TaskWork {
  CoreTime cpu;     ///< split evenly over the threads
  int threads = 1;  ///< at least 1
  EmuTime sleep;    ///< wall time; not lengthened by suspension
  /// The CPU work is interrupted this often, at even distances, by `pause` of wall time.
  int pauses = 0;
  EmuTime pause;
  /// Where not empty, the work is these, one after the other; then `cpu` is what theirs add up to,
  /// and there are no `sleep` and `pauses`.
  std::vector<WorkPiece> pieces;
  std::vector<MemoryPoint> memory;  ///< by ascending progress; empty: footprint only
  /// Before all else it waits for InputsReady: it was started before its inputs were complete. One
  /// with sources does not, it waits for them.
  bool waits = false;
  std::vector<DataRead> reads;
  /// Different sources that must have been read before its work begins: those among `reads`, and
  /// others that come by and by (Fetch).
  int sources = 0;
  std::vector<DataWrite> writes;
  bool executor = false;
  /// At this progress it fails: a fault that the scenario asks for.
  std::optional<double> crash_at = {};
  friend bool operator==(const TaskWork&, const TaskWork&) = default;
};

/// What an executor is to do next: some tasks of a stage at once.
struct TaskPart {
  int number = 0;  ///< from 1, ascending in a container
  int stage = 0;
  CoreTime cpu;  ///< split evenly over the threads
  int threads = 1;
  std::vector<DataRead> reads;
  std::vector<DataWrite> writes;
  double progress = 0;  ///< the container's when it is done, 0..1; on the way in a straight line
  friend bool operator==(const TaskPart&, const TaskPart&) = default;
};

/// Time the work takes on a node of the given speed when nothing is contended and there is nothing
/// to read or write: sleep and pauses, then cpu over min(threads, cores) cores (`strict`), or over
/// all its threads (`shares`).
EmuTime ideal_time(const TaskWork& work, Millicores cores, double speed, bool shares);

/// Progress, 0..1, when a piece of the work is burnt, and when the pause behind it is over.
struct PieceEnd {
  double burnt = 0;
  double rested = 0;
};
/// Of each piece, in order; the last one's is 1.
std::vector<PieceEnd> piece_ends(const TaskWork& work);

/// The work in a container of `held` memory where `requested` was asked for. Use that the smaller
/// container has no room for, and the requested one had, spills: corners of the profile above
/// `held` come down to it, and for the share of the peak that does not fit the CPU work grows, by
/// the factor 1 + spill_penalty * (1 - kept / peak). Use above the request is none of the
/// shrinking's: the profile then stays as far above `held` as it was above `requested`, so that the
/// attempt is killed if it would have been. Sleep and pauses stay. REQUIRES: held <= requested.
TaskWork spilled(TaskWork work, EmuBytes requested, EmuBytes held, double spill_penalty);

/// So many times the work: CPU, sleep and pauses.
TaskWork stretched(TaskWork work, double factor);
CoreTime stretched(CoreTime cpu, double factor);

/// True if that is all there is to its time: nothing to wait for, read or write, and no executor.
inline bool has_ideal_time(const TaskWork& work) {
  return !work.waits && work.reads.empty() && work.sources == 0 && work.writes.empty() &&
         !work.executor;
}

/// Names of objects: what a container has written in a stage (0 for maps); never equal to a
/// block's (core/scenario/blocks.h).
constexpr std::uint64_t output_object(ContainerId container, int stage) {
  return 1ULL << 63 | static_cast<std::uint64_t>(container.value) << 16 |
         static_cast<std::uint64_t>(stage);
}
/// Of such a name.
constexpr ContainerId writer_of(std::uint64_t object) {
  return ContainerId{static_cast<std::int64_t>((object & ~(1ULL << 63)) >> 16)};
}

}  // namespace heddle
