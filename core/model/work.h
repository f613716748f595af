#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "common/ids.h"
#include "common/units.h"

namespace heddle {

/// A point of a memory profile (scenarios call it a corner). From `progress` (0..1) on, the use
/// moves in a straight line to the use of the next point. Before the first point and after the last
/// point, the use is constant.
struct MemoryPoint {
  double progress = 0;
  EmuBytes use;
  friend bool operator==(const MemoryPoint&, const MemoryPoint&) = default;
};

/// Returns the use at `progress`; 0 without points.
EmuBytes memory_use(const std::vector<MemoryPoint>& profile, double progress);
/// Returns the highest use; 0 without points.
EmuBytes peak_use(const std::vector<MemoryPoint>& profile);

/// A piece of the CPU work, and the pause after it in wall time. `cpu` or `pause` can be 0.
struct WorkPiece {
  CoreTime cpu;
  EmuTime pause;
  friend bool operator==(const WorkPiece&, const WorkPiece&) = default;
};

/// A range of bytes to read from an object. An object is an input block or a task's output, and the
/// data services of nodes hold it.
struct DataRead {
  std::uint64_t object = 0;
  EmuBytes offset;
  EmuBytes size;
  std::vector<NodeId> from;  ///< nodes that have it, in the order in which to try them
  /// Index, from 0, of the reduce's source that is read. A later read of the same source replaces
  /// the earlier read. -1: the object is an input block, and the attempt fails without it.
  int source = -1;
  friend bool operator==(const DataRead&, const DataRead&) = default;
};

/// An object that is written when the work is done.
struct DataWrite {
  std::uint64_t object = 0;
  EmuBytes size;
  /// True: the node keeps the object, because other tasks read it (map output). False: the object
  /// is a file that no task reads. It is dropped once it and all its copies are written.
  bool kept = true;
  std::vector<NodeId> copies;  ///< other nodes that get a copy
  friend bool operator==(const DataWrite&, const DataWrite&) = default;
};

/// Maximum number of reads of one container that run at the same time. Other reads wait in a queue.
/// (Hadoop: mapreduce.reduce.shuffle.parallelcopies.)
inline constexpr int kParallelReads = 5;

/// The work of one task attempt, with all random numbers already drawn. A task first reads its
/// inputs, then sleeps, then uses CPU while its memory follows the profile, and then writes its
/// outputs. Progress is the completed part of the ideal time of sleep, pauses and CPU. Reading and
/// writing don't count. For work in pieces, the ideal times assume one core of speed 1 for each
/// thread, on every node. Therefore each point of the memory profile is in the same piece on every
/// node.
///
/// If `executor` is set, the attempt gets its work in parts (TaskPart), one after the other, until
/// Finish. The reads, cpu, sleep and writes of its TaskWork are empty.
struct TaskWork {
  CoreTime cpu;     ///< split evenly over the threads
  int threads = 1;  ///< at least 1
  EmuTime sleep;    ///< wall time; not lengthened by suspension
  /// The number of pauses that interrupt the CPU work at even distances. Each pause takes `pause`
  /// of wall time.
  int pauses = 0;
  EmuTime pause;
  /// If not empty, the work consists of these pieces in sequence. In that case, `cpu` is the sum of
  /// the pieces' `cpu`, and `sleep` and `pauses` are 0.
  std::vector<WorkPiece> pieces;
  std::vector<MemoryPoint> memory;  ///< by ascending progress; empty: footprint only
  /// The task was started before its inputs were complete, and does nothing before InputsReady. A
  /// task with sources waits for its sources instead.
  bool waits = false;
  std::vector<DataRead> reads;
  /// The number of distinct sources that must be read before the work begins. Some are among
  /// `reads`, and the others follow later (Fetch).
  int sources = 0;
  std::vector<DataWrite> writes;
  bool executor = false;
  /// Progress at which the task fails because of a fault of the scenario.
  std::optional<double> crash_at = {};
  friend bool operator==(const TaskWork&, const TaskWork&) = default;
};

/// The next work of an executor. The part contains tasks of one stage that run at the same time.
struct TaskPart {
  int number = 0;  ///< from 1, ascending in a container
  int stage = 0;
  CoreTime cpu;  ///< split evenly over the threads
  int threads = 1;
  std::vector<DataRead> reads;
  std::vector<DataWrite> writes;
  double progress = 0;  ///< the container's progress (0..1) after the part
  friend bool operator==(const TaskPart&, const TaskPart&) = default;
};

/// Returns the time that the work takes on a node of the given speed if there is no contention.
/// Reads and writes are not counted. The time is the sum of sleep, pauses and the time for `cpu`.
/// `cpu` runs on all threads at once. If `shares` is false (`strict`), it runs on at most `cores`
/// cores.
EmuTime ideal_time(const TaskWork& work, Millicores cores, double speed, bool shares);

/// The progress (0..1) at the end of a piece's CPU work (`burnt`), and at the end of the pause
/// after it (`rested`).
struct PieceEnd {
  double burnt = 0;
  double rested = 0;
};
/// Returns the end of each piece, in order. The last piece ends at 1.
std::vector<PieceEnd> piece_ends(const TaskWork& work);

/// Returns the work as it is in a container with `held` memory instead of `requested`. Memory that
/// would fit into `requested` but not into `held` spills to disk: points of the profile above a
/// level `kept` are lowered to `kept`. `kept` is `held`. If the peak exceeds `requested`, `kept`
/// exceeds `held` by the same amount, so an attempt that would have been killed is still killed.
/// The CPU work is multiplied by 1 + spill_penalty * (1 - kept / peak), because the task has to
/// write and read again what it spills. Sleep and pauses stay the same. REQUIRES: held <=
/// requested.
TaskWork spilled(TaskWork work, EmuBytes requested, EmuBytes held, double spill_penalty);

/// Returns the work with CPU, sleep and pauses multiplied by `factor`.
TaskWork stretched(TaskWork work, double factor);
CoreTime stretched(CoreTime cpu, double factor);

/// Returns whether ideal_time() is the whole time of the work. This is so if the task does not
/// wait, read or write, and is no executor.
inline bool has_ideal_time(const TaskWork& work) {
  return !work.waits && work.reads.empty() && work.sources == 0 && work.writes.empty() &&
         !work.executor;
}

/// Returns the name of the object that a container has written in a stage. For maps, the stage is
/// 0. The name never equals a block's name (core/scenario/blocks.h).
constexpr std::uint64_t output_object(ContainerId container, int stage) {
  return 1ULL << 63 | static_cast<std::uint64_t>(container.value) << 16 |
         static_cast<std::uint64_t>(stage);
}
/// Returns the container that has written the object. REQUIRES: output_object() returned the name.
constexpr ContainerId writer_of(std::uint64_t object) {
  return ContainerId{static_cast<std::int64_t>((object & ~(1ULL << 63)) >> 16)};
}

}  // namespace heddle
