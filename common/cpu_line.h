#pragma once

#include <atomic>
#include <csignal>
#include <cstddef>
#include <cstdint>
#include <iterator>

namespace heddle {

/// The page that a worker and one heddle-task share (a memfd, mapped by both). Plain data with a
/// fixed layout: both sides are built from this header, and `version` says so. All times are
/// CLOCK_MONOTONIC nanoseconds, all amounts real.
///
/// The line: each thread of the task may have used A0 + rate * (now - tc) of CPU by `now`; rate is
/// CPU seconds per second (0 while suspended). Guarded by a sequence lock: odd while the worker
/// writes; the task waits on `seq` (futex, shared) so that a change wakes it.
struct CpuLine {
  std::atomic<std::uint32_t> seq{0};
  std::uint32_t pad = 0;
  std::atomic<std::int64_t> a0_ns{0};  ///< CPU nanoseconds per thread at tc
  std::atomic<std::int64_t> tc_ns{0};
  std::atomic<double> rate{0};
};

inline constexpr int kMaxMemoryPoints = 64;
inline constexpr int kMaxThreads = 256;
/// Of work in pieces, of which each may begin at another corner of memory.
inline constexpr int kMaxPieces = kMaxMemoryPoints - 1;

/// One part of the task's work: a sleep, then the CPU work in all threads at once, interrupted by
/// pauses at even distances, or in pieces that differ. Threads don't want CPU in sleep and pauses.
struct PartOrder {
  std::int32_t number = 1;  ///< ascending from 1; 0: there is none to do yet. Written last
  std::int32_t last = 1;    ///< 1: the task ends when it is done
  std::int64_t cpu_ns_per_thread = 0;
  std::int32_t threads = 1;
  std::int32_t pauses = 0;
  std::int64_t pause_ns = 0;  ///< each
  std::int64_t sleep_ns = 0;
  std::int64_t start_ns = 0;  ///< when the line began for this part; the sleep counts from here
  /// Progress of the task before and after it, and the shares that the sleep and all pauses
  /// together have of the way, each 0..1.
  double from = 0;
  double to = 1;
  double sleep_share = 0;
  double pause_share = 0;
  /// If there are any pieces, the CPU work is these, and there are no sleep and pauses.
  std::int32_t piece_count = 0;
  std::int32_t pad = 0;
  struct Piece {
    std::int64_t cpu_ns;    ///< of each thread
    std::int64_t pause_ns;  ///< behind it
    double burnt, rested;   ///< shares of the part's way that are done before and after the pause
  } pieces[kMaxPieces] = {};
};

/// What the task is to do; written by the worker before exec, constant afterwards but for the part.
/// Where there is none to do, it waits, holding its memory. The next one may be written once
/// `parts_done` is the number of the one before; a new `line.seq` tells of it.
struct TaskOrder {
  PartOrder part;
  std::int32_t paced = 1;       ///< 0: burn without following the line (pacing: none)
  std::int32_t parent_pid = 0;  ///< the task ends at once if its parent is another (0: any)
  std::int32_t memory_points = 0;
  std::int32_t swap = 0;  ///< 1: its memory may be swapped out
  double crash_at = 2;    ///< at this progress it ends with kTaskExitCrash; beyond 1: never
  /// The charge of the task's container, the task's own footprint included: from `progress` on in a
  /// straight line to the next point's, flat before the first and after the last.
  struct Point {
    double progress;  ///< ascending
    std::int64_t bytes;
  } memory[kMaxMemoryPoints] = {};
};

/// Steps of starting a command, in order.
enum class CommandStep : std::int32_t {
  kMounts,
  kDirectory,
  kOutput,
  kFork,
  kSession,
  kJoin,
  kLimits,
  kBounding,
  kUser,
  kPrivileges,
  kDeathSignal,
  kFilter,
  kExec
};
/// In words, by the values of CommandStep.
inline constexpr const char* kStepTexts[] = {"make its private mounts",
                                             "enter its directory",
                                             "make its output files",
                                             "make a process",
                                             "make a session",
                                             "join its control group",
                                             "set its limits",
                                             "empty its capability bounding set",
                                             "become its user",
                                             "give up privileges",
                                             "ask for the parent-death signal",
                                             "install its system call filter",
                                             "execute it"};
static_assert(std::size(kStepTexts) == static_cast<std::size_t>(CommandStep::kExec) + 1);
/// "?" for a value that is no step: the page holds what a task wrote.
constexpr const char* text_of(CommandStep step) {
  const auto index = static_cast<std::size_t>(step);
  return index < std::size(kStepTexts) ? kStepTexts[index] : "?";
}

/// Why a command's supervisor ended it: it wrote more than its output_limit, or its output left
/// the disk too little room.
enum class CommandLimit : std::int32_t { kNone, kOutput, kDisk };

/// What the task says; written by the task, but for `runnable` before exec.
struct TaskReport {
  /// Threads that want CPU now; the doorbell rings on every change. With each part the worker
  /// presets it to what that begins with: its threads, or none where it sleeps first.
  std::atomic<std::int32_t> runnable{0};
  std::atomic<std::int32_t> parts_done{0};         ///< number of the last part done; doorbell
  std::atomic<std::int64_t> done_ns{0};            ///< when all work was done; 0 before
  std::atomic<std::int64_t> runnable_since_ns{0};  ///< when `runnable` last rose from 0
  std::atomic<double> progress{0};                 ///< 0..1
  std::atomic<std::int64_t> cpu_ns{0};             ///< CPU used by the process so far
  std::atomic<std::int64_t> startup_cpu_ns{0};     ///< CPU that starting took; part of its work
  std::atomic<std::int64_t> forfeited_ns{0};       ///< wall time lost to the host beyond the
                                                   ///< catch-up depth; of the thread that lost most
  // Of a command that could not be executed.
  std::atomic<CommandStep> failed_step{CommandStep::kFork};
  std::atomic<std::int32_t> start_error{0};  ///< errno; 0: none
  /// The signal that ended a command; 0: none did. Its supervisor can't die of that signal, since
  /// the kernel protects the first process of a PID namespace.
  std::atomic<std::int32_t> end_signal{0};
  std::atomic<CommandLimit> limit{CommandLimit::kNone};  ///< that a command exceeded
};

struct TaskPage {
  static constexpr std::uint32_t kVersion = 9;
  std::uint32_t version = kVersion;
  std::uint32_t pad = 0;
  CpuLine line;
  TaskOrder order;
  TaskReport report;
};
static_assert(sizeof(TaskPage) <= 4096);

/// With this word as its first argument, heddle-task is the supervisor of a command: outside the
/// container, it starts the program inside and sees to it that all processes there end with it.
/// Further arguments: user and group id, output_limit in bytes, one of the words below, the
/// program's environment, "--", directories that the program sees empty, "--", the container's
/// group directories, "--", the program and its arguments. Of the page the supervisor writes
/// failed_step, start_error, end_signal and limit. It exits as the program did, with 128 + n after
/// signal n; a SIGTERM and its worker's death make it end the program with SIGKILL.
inline constexpr char kCommandWord[] = "command";
/// The program shares the worker's PID, IPC and mount namespaces.
inline constexpr char kSharedWord[] = "shared";
/// The supervisor is the first process of a PID namespace, an IPC and a mount namespace of its own.
inline constexpr char kPrivateWord[] = "private";
/// The same, and the program sees the file systems read-only, but for its directory and temporary
/// ones.
inline constexpr char kPrivateReadOnlyWord[] = "private-read-only";

/// Signals that a command's supervisor waits for; they are blocked when it is executed.
inline constexpr int kCommandSignals[] = {SIGCHLD, SIGCONT, SIGTERM, SIGINT, SIGHUP};

/// Descriptors that heddle-task finds open: the page, the worker's doorbell (an eventfd that it
/// writes 1 to when `runnable` changes), and the memory-usage file of its container (read-only;
/// absent where the container has none).
inline constexpr int kTaskPageFd = 3;
inline constexpr int kTaskDoorbellFd = 4;
inline constexpr int kTaskMemoryFd = 5;
/// Descriptors of a command's supervisor: the directory that the program is to run in, the system
/// call filter (a file of struct sock_filter), and a pidfd of the worker.
inline constexpr int kCommandDirectoryFd = 5;
inline constexpr int kCommandFilterFd = 6;
inline constexpr int kCommandWorkerFd = 7;

/// Exit statuses of heddle-task: 0 all work is done; else it could not begin or go on, and said why
/// in one line on stderr.
inline constexpr int kTaskExitCrash = 122;     ///< it was told to
inline constexpr int kTaskExitOrphan = 123;    ///< its parent is gone
inline constexpr int kTaskExitResource = 124;  ///< the kernel refused a thread or address space
inline constexpr int kTaskExitPage = 125;      ///< no usable page, doorbell or order

}  // namespace heddle
