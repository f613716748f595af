#pragma once

#include <sys/types.h>

#include <optional>
#include <string>
#include <vector>

#include "common/fd.h"
#include "common/result.h"

namespace heddle::host {

/// A process of a run; pid and start time together name it for good (man 5 proc, starttime).
struct ProcessMark {
  std::string name;
  pid_t pid = 0;
  std::uint64_t start_time = 0;
  friend bool operator==(const ProcessMark&, const ProcessMark&) = default;
};

/// What a run's directory says of it, in run.json: enough to remove what is left of it.
struct RunRecord {
  std::string run;
  std::string cgroup;  ///< Home::address
  std::string out;     ///< absolute
  std::vector<ProcessMark> processes;
  std::string node = {};  ///< of a worker started by itself: nothing else of the run is its own
  friend bool operator==(const RunRecord&, const RunRecord&) = default;
};
std::string to_text(const RunRecord& record);
Result<RunRecord> record_from(std::string_view text);

/// Of the run directory at `path`, held by whomever; nullopt if there is none.
std::optional<RunRecord> run_record(const std::string& path);

/// The mark of a process of this machine; nullopt if there is none of that id.
std::optional<ProcessMark> mark_of(pid_t pid, const std::string& name);
/// Start time out of the text of /proc/PID/stat, whatever the program is called.
std::optional<std::uint64_t> start_time_in(std::string_view stat);

/// Directories in which runs may have theirs, the one for new runs first: $XDG_RUNTIME_DIR/heddle,
/// /run/heddle as root, else /tmp/heddle-UID. Pure: `runtime_dir` is the variable's value, "" if
/// unset or not usable.
std::vector<std::string> base_directories(const std::string& runtime_dir, uid_t uid);
/// The same for this process; $XDG_RUNTIME_DIR counts if it is a directory of our own.
std::vector<std::string> base_directories();

/// Opens a file, made if it is missing, and locks it (flock); nullopt if someone else holds it
/// (`wait` false).
Result<std::optional<Fd>> lock_file(const std::string& path, bool wait);

/// A run's directory: its sockets, run.json, and `lock`, which all control processes of the run
/// hold with flock(2) through inherited descriptors, so that it is free only when all of them are
/// gone. Mode 0700, in a base that is checked to be ours and closed to others. A base's own lock is
/// held while one is made or looked over, so that no cleaner sees a run before its lock.
class RunDirectory {
 public:
  /// Makes one of a new, random run id, the lock held. kMachine: a base that isn't ours or is open
  /// to others, or a path too long for a socket.
  static Result<RunDirectory> create(const std::string& base);
  /// Makes that of a run that is to go on, the lock held. kUsage: it has one, so it lives.
  /// REQUIRES: a valid_name.
  static Result<RunDirectory> create_again(const std::string& base, const std::string& run);
  /// The directories in `base` whose lock was free, now held by us. None where the base isn't
  /// there. `live` counts those whose lock is held.
  static Result<std::vector<RunDirectory>> take_dead(const std::string& base, int* live);
  /// Ids of all runs in `base`, dead or alive.
  static std::vector<std::string> runs(const std::string& base);

  const std::string& run() const { return run_; }
  const std::string& path() const { return path_; }
  /// For children to inherit.
  int lock() const { return lock_.get(); }
  std::string control_endpoint() const { return "ipc://" + path_ + "/control.sock"; }
  std::string progress_endpoint() const { return "ipc://" + path_ + "/progress.sock"; }

  /// Notes a control group that is about to be made for the run to live in: it goes with what the
  /// run leaves, if it is empty then.
  Result<void> note_home(const std::string& directory) const;
  /// Those that were noted, in order.
  std::vector<std::string> noted_homes() const;

  Result<void> write(const RunRecord& record) const;
  Result<RunRecord> read() const;
  /// Removes the directory and what is in it.
  Result<void> remove() const;

 private:
  /// Of a directory that was just made.
  static Result<RunDirectory> lock_new(const std::string& run, const std::string& path);
  RunDirectory(std::string run, std::string path, Fd lock)
      : run_(std::move(run)), path_(std::move(path)), lock_(std::move(lock)) {}

  std::string run_, path_;
  Fd lock_;
};

}  // namespace heddle::host
