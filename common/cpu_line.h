#pragma once

#include <atomic>
#include <csignal>
#include <cstddef>
#include <cstdint>
#include <iterator>

namespace heddle {

/// The memory page that a worker shares with one heddle-task (a memfd that both map). The page is
/// plain data with a fixed layout: both sides are built from this header, and `version` proves it.
/// All times are CLOCK_MONOTONIC nanoseconds; all amounts are real.
///
/// The CPU line: each thread of the task may have used a0 + rate * (now - tc) of CPU by `now`. The
/// rate is in CPU seconds per second and is 0 while the container is suspended. A sequence lock
/// guards the line: `seq` is odd while the worker writes. The task waits on `seq` (futex, shared),
/// so a change wakes it.
struct CpuLine {
  std::atomic<std::uint32_t> seq{0};
  std::uint32_t pad = 0;
  std::atomic<std::int64_t> a0_ns{0};  ///< CPU nanoseconds per thread at tc
  std::atomic<std::int64_t> tc_ns{0};
  std::atomic<double> rate{0};
};

inline constexpr int kMaxMemoryPoints = 64;
inline constexpr int kMaxThreads = 256;
/// Limit on the pieces of a part; each piece may begin at its own point of the memory profile.
inline constexpr int kMaxPieces = kMaxMemoryPoints - 1;

/// A part of the task's work: a sleep, followed by CPU work in all threads at once, which pauses
/// interrupt at even distances. Alternatively, the CPU work consists of pieces that differ. Threads
/// don't want CPU during the sleep and the pauses.
struct PartOrder {
  std::int32_t number = 1;  ///< ascending from 1; 0: there is no part to do yet. Written last
  std::int32_t last = 1;    ///< 1: the task ends when the part is done
  std::int64_t cpu_ns_per_thread = 0;
  std::int32_t threads = 1;
  std::int32_t pauses = 0;
  std::int64_t pause_ns = 0;  ///< length of each pause
  std::int64_t sleep_ns = 0;
  std::int64_t start_ns = 0;  ///< when the line and the sleep began for this part
  /// Progress of the task before and after the part, and the shares of that progress that belong to
  /// the sleep and to all pauses together; each 0..1.
  double from = 0;
  double to = 1;
  double sleep_share = 0;
  double pause_share = 0;
  /// If there are any pieces, they are the CPU work, and there is no sleep and no pause.
  std::int32_t piece_count = 0;
  std::int32_t pad = 0;
  struct Piece {
    std::int64_t cpu_ns;    ///< CPU time of each thread
    std::int64_t pause_ns;  ///< length of the pause after the piece
    double burnt, rested;   ///< shares of the part's progress done before and after the pause
  } pieces[kMaxPieces] = {};
};

/// The work that the worker orders from the task. The worker writes it before exec; afterwards only
/// `part` changes. While there is no part to do, the task waits and holds its memory. The worker
/// may write the next part once `parts_done` is the number of the previous one, and announces it by
/// a new `line.seq`.
struct TaskOrder {
  PartOrder part;
  std::int32_t paced = 1;       ///< 0: the task burns CPU without following the line (pacing: none)
  std::int32_t parent_pid = 0;  ///< the task ends at once if its parent is not this; 0: any
  std::int32_t memory_points = 0;
  std::int32_t huge_pages = 0;  ///< 1: large steps of memory use huge pages
  double crash_at = 2;  ///< the task ends with kTaskExitCrash at this progress; beyond 1: never
  /// Memory charge of the task's container, including the task's own footprint. From `progress` on,
  /// the charge moves in a straight line to that of the next point. The charge is flat before the
  /// first point and after the last.
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
/// Texts for the steps, indexed by CommandStep.
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
/// Returns the text of the step, or "?" for a value that is no step (a task wrote the page).
constexpr const char* text_of(CommandStep step) {
  const auto index = static_cast<std::size_t>(step);
  return index < std::size(kStepTexts) ? kStepTexts[index] : "?";
}

/// Reason why a command's supervisor ended it: the command wrote more than its output_limit, its
/// files left too little free space (kDisk) or too few inodes (kFiles) on the disk, or the disk was
/// nearly full, whoever has filled it.
enum class CommandLimit : std::int32_t { kNone, kOutput, kDisk, kFiles, kNearlyFull };

/// A limit that a command exceeded, and the numbers that the reason names.
struct ExceededLimit {
  CommandLimit limit = CommandLimit::kNone;
  /// kOutput and kDisk: bytes that the command takes of the disk, INT64_MAX if they are too much to
  /// be measured, or 0 for a stream or a single file. kFiles: its inodes.
  std::int64_t use = 0;
  std::int64_t reserve = 0;  ///< kDisk: bytes; kFiles: inodes
  friend bool operator==(const ExceededLimit&, const ExceededLimit&) = default;
};

/// The task's report to the worker. The task writes it, except that the worker presets `runnable`.
struct TaskReport {
  /// Threads that want CPU now; every change rings the doorbell. With each part the worker presets
  /// the value with which that part begins: the part's threads, or 0 if the part begins with a
  /// sleep.
  std::atomic<std::int32_t> runnable{0};
  std::atomic<std::int32_t> parts_done{0};         ///< last part done; rings the doorbell
  std::atomic<std::int64_t> part_done_ns{0};       ///< when the part `parts_done` was done
  std::atomic<std::int64_t> done_ns{0};            ///< when all work was done; 0 before
  std::atomic<std::int64_t> runnable_since_ns{0};  ///< when `runnable` last rose from 0
  std::atomic<double> progress{0};                 ///< 0..1
  std::atomic<std::int64_t> cpu_ns{0};             ///< CPU used by the process so far
  std::atomic<std::int64_t> startup_cpu_ns{0};     ///< CPU of the start-up; part of the task's work
  std::atomic<std::int64_t> forfeited_ns{0};       ///< wall time lost to the host beyond the
                                                   ///< catch-up depth, of the thread that lost most
  // For a command that could not be executed:
  std::atomic<CommandStep> failed_step{CommandStep::kFork};
  std::atomic<std::int32_t> start_error{0};  ///< errno; 0: no error
  /// Signal that ended a command; 0: none. The supervisor can't die of that signal itself, since
  /// the kernel protects the first process of a PID namespace.
  std::atomic<std::int32_t> end_signal{0};
  // ExceededLimit of a command:
  std::atomic<CommandLimit> limit{CommandLimit::kNone};
  std::atomic<std::int64_t> limit_use{0};
  std::atomic<std::int64_t> limit_reserve{0};
};

/// The task's ballast: memory that makes the charge of its container follow the profile. The worker
/// fills it from outside (process_vm_writev), so that filling neither uses the task's CPU nor waits
/// for its quota. The task gives memory back itself. The ballast is filled from its beginning.
///
/// The task sets `wanted`, then rings the fill doorbell. Whoever wants to give memory back stores
/// the lower `wanted` first and then finds `filling` 0; the worker stores `filling` first and then
/// reads `wanted`. So both never move `held` at the same time.
struct BallastPage {
  std::atomic<std::uint64_t> base{0};  ///< address in the task; a multiple of kHugePage
  std::atomic<std::int64_t> room{0};   ///< bytes that may be filled
  std::atomic<std::int64_t> held{0};   ///< bytes that are filled
  /// Charge of the container that the profile asks for, as far as it is to be filled.
  std::atomic<std::int64_t> wanted{0};
  std::atomic<std::int64_t> wanted_since_ns{0};  ///< when the profile first asked for it
  /// From this offset up to `huge_end`, the kernel may use huge pages; multiples of kHugePage.
  std::atomic<std::int64_t> huge_begin{0}, huge_end{0};
  std::atomic<std::int32_t> filling{0};  ///< 1: the worker is filling at this moment
  /// 1: the kernel does not let the worker fill, so the task has to do that itself.
  std::atomic<std::int32_t> refused{0};
  /// 1: the task is about to give much memory back, for which it needs CPU. It rings the doorbell
  /// of the line.
  std::atomic<std::int32_t> releasing{0};
  std::atomic<std::int64_t> release_cpu_ns{0};  ///< CPU that giving back has taken so far
};

/// Size of the huge pages in which large steps are filled (x86, and ARM with pages of 4 KiB).
inline constexpr std::int64_t kHugePage = 2 << 20;
/// The charge of a container follows its profile in steps of this many bytes.
inline constexpr std::int64_t kBallastStep = 64 << 10;

struct TaskPage {
  static constexpr std::uint32_t kVersion = 12;
  std::uint32_t version = kVersion;
  std::uint32_t pad = 0;
  CpuLine line;
  TaskOrder order;
  TaskReport report;
  BallastPage ballast;
};
static_assert(sizeof(TaskPage) <= 4096);

/// With this word as its first argument, heddle-task is the supervisor of a command. The supervisor
/// runs outside the container, starts the program inside, and ensures that all processes there end
/// with the program. Further arguments: user and group id, output_limit in bytes, one of the words
/// below, the program's environment, "--", directories that the program sees empty, "--", the
/// container's group directories, "--", the program and its arguments. The supervisor writes these
/// fields of the page: failed_step, start_error, end_signal and limit. It exits with the program's
/// status, or with 128 + n if signal n ended the program. On SIGTERM, or if its worker dies, the
/// supervisor ends the program with SIGKILL.
inline constexpr char kCommandWord[] = "command";
/// The program shares the worker's PID, IPC and mount namespaces.
inline constexpr char kSharedWord[] = "shared";
/// The supervisor is the first process of a PID namespace, an IPC and a mount namespace of its own.
inline constexpr char kPrivateWord[] = "private";
/// Like kPrivateWord. In addition the program sees the file systems read-only, except for its
/// directory and temporary ones.
inline constexpr char kPrivateReadOnlyWord[] = "private-read-only";

/// Signals that a command's supervisor waits for; they are blocked when it is executed.
inline constexpr int kCommandSignals[] = {SIGCHLD, SIGCONT, SIGTERM, SIGINT, SIGHUP};

/// Descriptors that heddle-task finds open: the page, the worker's doorbell (an eventfd to which
/// the task writes 1 when `runnable` changes), the memory-usage file of its container, and the fill
/// doorbell (BallastPage). The memory-usage file is read-only, and absent if the container has
/// none. Without a fill doorbell the task fills its ballast itself.
inline constexpr int kTaskPageFd = 3;
inline constexpr int kTaskDoorbellFd = 4;
inline constexpr int kTaskMemoryFd = 5;
inline constexpr int kTaskFillFd = 6;
/// Descriptors of a command's supervisor: the directory in which the program is to run, the system
/// call filter (a file of struct sock_filter), and a pidfd of the worker.
inline constexpr int kCommandDirectoryFd = 5;
inline constexpr int kCommandFilterFd = 6;
inline constexpr int kCommandWorkerFd = 7;

/// Exit statuses of heddle-task. 0 means that all work is done. With any other status the task
/// could not begin or continue, and gave the reason in one line on stderr.
inline constexpr int kTaskExitCrash = 122;     ///< the order told the task to crash
inline constexpr int kTaskExitOrphan = 123;    ///< the task's parent is gone
inline constexpr int kTaskExitResource = 124;  ///< the kernel refused a thread or address space
inline constexpr int kTaskExitPage = 125;      ///< no usable page, doorbell or order

}  // namespace heddle
