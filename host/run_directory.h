#pragma once

#include <sys/types.h>

#include <optional>
#include <string>
#include <vector>

#include "common/fd.h"
#include "common/result.h"

namespace heddle::host {

/// Identifies a process of a run for good by its pid and start time (man 5 proc, starttime).
struct ProcessMark {
  std::string name;
  pid_t pid = 0;
  std::uint64_t start_time = 0;
  friend bool operator==(const ProcessMark&, const ProcessMark&) = default;
};

/// Contents of a run directory's run.json: enough to remove what is left of the run.
struct RunRecord {
  std::string run;
  std::string cgroup;  ///< Home::address
  std::string out;     ///< absolute
  std::vector<ProcessMark> processes;
  std::string node = {};  ///< of a stand-alone worker: the only part of the run that is its own
  friend bool operator==(const RunRecord&, const RunRecord&) = default;
};
std::string to_text(const RunRecord& record);
Result<RunRecord> record_from(std::string_view text);

/// Returns the record of the run directory at `path`, whoever holds its lock; nullopt if there is
/// none.
std::optional<RunRecord> run_record(const std::string& path);

/// Returns the mark of a process of this machine; nullopt if there is no such process.
std::optional<ProcessMark> mark_of(pid_t pid, const std::string& name);
/// Returns the start time in the text of /proc/PID/stat, whatever the program's name contains.
std::optional<std::uint64_t> start_time_in(std::string_view stat);

/// Returns the directories that may contain run directories, the one for new runs first:
/// $XDG_RUNTIME_DIR/heddle, then /run/heddle for root, else /tmp/heddle-UID. Pure: `runtime_dir` is
/// the variable's value, "" if it is unset or not usable.
std::vector<std::string> base_directories(const std::string& runtime_dir, uid_t uid);
/// Does the same for this process; $XDG_RUNTIME_DIR counts if it is a directory of our own.
std::vector<std::string> base_directories();

/// Opens a file, which is made if missing, and locks it (flock). Returns nullopt if another process
/// holds the lock and `wait` is false.
Result<std::optional<Fd>> lock_file(const std::string& path, bool wait);

/// A run's directory, which contains the run's sockets, run.json and the file `lock`. All control
/// processes of the run hold the lock with flock(2) through inherited descriptors, so the lock is
/// free only when all of them are gone. The directory has mode 0700 and is in a base directory that
/// is checked to be ours and closed to others. The base's own lock is held while a run directory is
/// made or examined, so that no cleaner sees a run before its lock.
class RunDirectory {
 public:
  /// Makes the directory of a new run with a random id and takes its lock. kMachine: the base isn't
  /// ours or is open to others, or its path is too long for a socket.
  static Result<RunDirectory> create(const std::string& base);
  /// Makes the directory of a run that is to be resumed and takes its lock. kUsage: the directory
  /// exists, so the run is alive. REQUIRES: `run` is a valid_name.
  static Result<RunDirectory> create_again(const std::string& base, const std::string& run);
  /// Returns the directories in `base` whose lock was free, after taking their locks. Returns none
  /// if the base does not exist. `live` gets the number of directories whose lock is held.
  static Result<std::vector<RunDirectory>> take_dead(const std::string& base, int* live);
  /// Returns the ids of all runs in `base`, dead or alive.
  static std::vector<std::string> runs(const std::string& base);

  const std::string& run() const { return run_; }
  const std::string& path() const { return path_; }
  /// Returns the descriptor of the lock, for children to inherit.
  int lock() const { return lock_.get(); }
  std::string control_endpoint() const { return "ipc://" + path_ + "/control.sock"; }
  std::string progress_endpoint() const { return "ipc://" + path_ + "/progress.sock"; }

  /// Records a control group that is about to be made as a home of the run. The group is removed
  /// together with what the run leaves, if it is empty then.
  Result<void> note_home(const std::string& directory) const;
  /// Returns the recorded groups, in order.
  std::vector<std::string> noted_homes() const;

  Result<void> write(const RunRecord& record) const;
  Result<RunRecord> read() const;
  /// Removes the directory and its contents.
  Result<void> remove() const;

 private:
  /// Locks a directory that was just made.
  static Result<RunDirectory> lock_new(const std::string& run, const std::string& path);
  RunDirectory(std::string run, std::string path, Fd lock)
      : run_(std::move(run)), path_(std::move(path)), lock_(std::move(lock)) {}

  std::string run_, path_;
  Fd lock_;
};

}  // namespace heddle::host
