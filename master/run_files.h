#pragma once

#include <memory>
#include <optional>
#include <string>

#include "master/journal.h"
#include "master/live_run.h"
#include "wire/line_checksums.h"

namespace heddle::master {

/// Failures that a line of the journal survives once an action that follows from it leaves the
/// master.
enum class Durability {
  kWrite,  ///< the death of every process: the kernel has the line
  kFsync,  ///< a power failure: the line is on the disk
};

/// Writes the journal and the samples of a run. Nothing leaves the master before the journal has
/// it.
class RunFiles {
 public:
  /// `checksums`: state after the lines that the journal already holds.
  RunFiles(std::unique_ptr<LineFile> journal, std::unique_ptr<LineFile> samples,
           const wire::LineChecksums& checksums, Durability durability)
      : journal_(std::move(journal)),
        samples_(std::move(samples)),
        checksums_(checksums),
        durability_(durability) {}

  /// Creates new files in the directory.
  static Result<RunFiles> create(const std::string& out, Durability durability);
  /// Opens the files of a run that is resumed, and has `run` recover from its journal. Sets
  /// `sampled` to the time of the last sample, if there is one.
  static Result<RunFiles> reopen(const std::string& out, Durability durability, LiveRun& run,
                                 std::optional<EmuTime>& sampled);

  /// Writes the lines of the effects. The messages may leave once keep() has returned without an
  /// error.
  Result<void> keep(const Effects& effects);
  /// Writes the last line of the journal, and syncs both files.
  Result<void> end(const std::string& line);

 private:
  Result<void> write(const std::string& lines);

  std::unique_ptr<LineFile> journal_, samples_;
  wire::LineChecksums checksums_;
  Durability durability_;
  bool unsynced_ = true;  ///< the journal may have lines that are not on the disk yet
};

/// Returns a function that takes the lines of a journal: `checksums` checks each, and `run`
/// recovers from them.
TakeLine take_journal(LiveRun& run, wire::LineChecksums& checksums);

}  // namespace heddle::master
