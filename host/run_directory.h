#pragma once

#include <sys/types.h>

#include <optional>
#include <string>
#include <vector>

#include "common/fd.h"
#include "common/result.h"

namespace heddle::host {

/// Identifies a process of a run by its pid and its start time (man 5 proc, starttime). No other
/// process ever has the same mark, even if the pid is reused.
struct ProcessMark {
  std::string name;
  pid_t pid = 0;
  std::uint64_t start_time = 0;
  friend bool operator==(const ProcessMark&, const ProcessMark&) = default;
};

/// Contents of a run directory's run.json. They are sufficient to remove what is left of the run.
struct RunRecord {
  std::string run;
  std::string cgroup;  ///< Home::address
  std::string out;     ///< absolute path
  std::vector<ProcessMark> processes;
  std::string node = {};  ///< the node of a stand-alone worker, which removes only this node's part
  friend bool operator==(const RunRecord&, const RunRecord&) = default;
};
std::string to_text(const RunRecord& record);
Result<RunRecord> record_from(std::string_view text);

/// The program of an external policy, as it is recorded before it starts.
struct ProgramNote {
  std::string directory;  ///< its directory for temporary files
  uid_t user = 0;         ///< as which it runs
  friend bool operator==(const ProgramNote&, const ProgramNote&) = default;
};

/// Returns the record of the run directory at `path`, or nullopt if there is no record or if it is
/// not a regular file of this user or root. Does not check who holds the directory's lock.
std::optional<RunRecord> run_record(const std::string& path);

/// Returns the mark of a process of this machine, or nullopt if there is no such process.
std::optional<ProcessMark> mark_of(pid_t pid, const std::string& name);
/// Returns the start time in the text of /proc/PID/stat. The program's name in the text can contain
/// any characters.
std::optional<std::uint64_t> start_time_in(std::string_view stat);

/// Returns the directories that can contain run directories: $XDG_RUNTIME_DIR/heddle, and then
/// /run/heddle for root or /tmp/heddle-UID for other users. The first directory is for new runs.
/// Pure: `runtime_dir` is the value of $XDG_RUNTIME_DIR, or "" if it is unset or not usable.
std::vector<std::string> base_directories(const std::string& runtime_dir, uid_t uid);
/// Does the same for this process. Uses $XDG_RUNTIME_DIR only if it is a directory that belongs to
/// us.
std::vector<std::string> base_directories();

/// Opens a file and locks it (flock). Makes the file if it is missing. Returns nullopt if another
/// process holds the lock and `wait` is false.
Result<std::optional<Fd>> lock_file(const std::string& path, bool wait);

/// A run's directory. It contains the run's sockets, run.json and the file `lock`. All control
/// processes of the run hold the lock with flock(2) through inherited descriptors. Therefore the
/// lock is free only after all of them have ended. The directory has mode 0700. It is in a base
/// directory that must belong to us and be closed to other users. The base directory has a lock,
/// too. A process holds that lock while it makes or examines a run directory, so that no process
/// sees a new run directory that is not locked yet.
class RunDirectory {
 public:
  /// Makes the directory of a new run with a random id and takes the directory's lock. Error
  /// (kMachine): the base isn't ours or is open to other users, or its path is too long for a
  /// socket.
  static Result<RunDirectory> create(const std::string& base);
  /// Makes the directory of a run that is to be resumed and takes the directory's lock. Error
  /// (kUsage): the directory exists, because the run is alive. REQUIRES: `run` is a valid_name.
  static Result<RunDirectory> create_again(const std::string& base, const std::string& run);
  /// Takes the locks of all directories in `base` whose lock is free, and returns these
  /// directories. Returns no directory if the base does not exist. Sets `live` to the number of
  /// directories whose lock another process holds.
  static Result<std::vector<RunDirectory>> take_dead(const std::string& base, int* live);
  /// Returns the ids of all runs that have a directory in `base`, dead or alive. Returns no ids if
  /// the base isn't ours or is open to other users, who could have made the directories.
  static std::vector<std::string> runs(const std::string& base);

  const std::string& run() const { return run_; }
  const std::string& path() const { return path_; }
  /// Returns the descriptor of the lock, for children to inherit.
  int lock() const { return lock_.get(); }
  std::string control_endpoint() const { return "ipc://" + path_ + "/control.sock"; }
  std::string progress_endpoint() const { return "ipc://" + path_ + "/progress.sock"; }

  /// Records a control group before the run makes it as its home. If the run is killed, the group
  /// is removed together with everything else that the run leaves, provided that the group is
  /// empty.
  Result<void> note_home(const std::string& directory) const;
  /// Returns the recorded groups, in order.
  std::vector<std::string> noted_homes() const;

  /// Records the program of a policy before its directory is made. If the run is killed, the
  /// program's processes are killed (host/policy_mark.h), and its directory is removed.
  Result<void> note_program(const ProgramNote& program) const;
  std::vector<ProgramNote> noted_programs() const;

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
