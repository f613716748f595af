#pragma once

#include <sys/types.h>

#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "common/fd.h"
#include "common/result.h"
#include "common/result_files.h"

namespace heddle::cli {

/// A hidden directory of a batch in which a process makes one cell: .cell-N.HOST.PID.RANDOM. It is
/// on the file system of the batch, so its run can be renamed to its final place. The directory is
/// locked as long as this object lives, and removed at its end.
class CellScratch {
 public:
  /// Makes the directory in `dir` for the cell with this number.
  static Result<CellScratch> make(const std::string& dir, std::size_t cell);
  CellScratch(CellScratch&& other) noexcept
      : path_(std::exchange(other.path_, "")), lock_(std::move(other.lock_)) {}
  CellScratch& operator=(CellScratch&& other) noexcept;
  CellScratch(const CellScratch&) = delete;
  CellScratch& operator=(const CellScratch&) = delete;
  ~CellScratch() { remove(); }

  std::string scenario() const { return scenario_path(path()); }
  std::string run() const { return path() + "/run"; }
  /// Syncs all files of the run and renames the run to `to`, which is in the batch's directory.
  /// Error with code EEXIST or ENOTEMPTY: `to` exists already.
  Result<void> publish_run(const std::string& to) const;

 private:
  CellScratch(std::string path, std::optional<Fd> lock)
      : path_(std::move(path)), lock_(std::move(lock)) {}
  void remove();
  /// Returns where the directory is now, because the batch can be moved.
  std::string path() const;

  std::string path_;  ///< when it was made; "": moved from
  std::optional<Fd> lock_;
};

/// The parts of a scratch directory's name.
struct ScratchName {
  std::string host;
  pid_t pid = 0;
  friend bool operator==(const ScratchName&, const ScratchName&) = default;
};
/// Returns the parts, or nullopt if the name is not that of a scratch directory. Pure.
std::optional<ScratchName> parse_scratch(std::string_view name);

/// Removes the scratch directories in `dir`, and the unfinished records, that dead processes have
/// left. A directory is removed only if it belongs to this user, its process was on this host and
/// is dead, and no process holds its lock. Returns the names of the other directories.
std::vector<std::string> remove_dead_scratch(const std::string& dir);

}  // namespace heddle::cli
