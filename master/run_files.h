#pragma once

#include <memory>
#include <optional>
#include <string>

#include "master/journal.h"
#include "master/live_run.h"
#include "wire/line_checksums.h"

namespace heddle::master {

/// Kinds of failures that the journal survives. A line of the journal is safe from them before the
/// master sends a message that follows from the line.
enum class Durability {
  kWrite,  ///< all processes die; the kernel has the line
  kFsync,  ///< the power fails; the line is on the disk
};

/// Writes the journal and the samples of a run. The master sends a message only after the journal
/// has the lines that the message depends on.
class RunFiles {
 public:
  /// `checksums` is the state of the checksums after the lines that the journal already contains.
  RunFiles(std::unique_ptr<LineFile> journal, std::unique_ptr<LineFile> samples,
           const wire::LineChecksums& checksums, Durability durability)
      : journal_(std::move(journal)),
        samples_(std::move(samples)),
        checksums_(checksums),
        durability_(durability) {}

  /// Creates new files in the directory.
  static Result<RunFiles> create(const std::string& out, Durability durability);
  /// Opens the files of a run that is to be resumed, and lets `run` recover from its journal. If
  /// there is a sample, sets `sampled` to the time of the last sample.
  static Result<RunFiles> reopen(const std::string& out, Durability durability, LiveRun& run,
                                 std::optional<EmuTime>& sampled);

  /// Writes the lines of the effects. After keep() has returned without an error, the caller can
  /// send the messages of the effects.
  Result<void> keep(const Effects& effects);
  /// Writes the last line of the journal, and syncs both files. The samples are synced before the
  /// line is written, so a journal with this line has all samples beside it even after a power
  /// failure.
  Result<void> end(const std::string& line);

 private:
  Result<void> write(const std::string& lines);

  std::unique_ptr<LineFile> journal_, samples_;
  wire::LineChecksums checksums_;
  Durability durability_;
  bool unsynced_ = true;  ///< the disk can lack lines of the journal
};

/// Returns a function that takes the lines of a journal. The function checks each line with
/// `checksums`, and lets `run` recover from it.
TakeLine take_journal(LiveRun& run, wire::LineChecksums& checksums);
/// Takes the lines of a file of samples (TakeLine).
Result<bool> take_sample(const std::string& line);

}  // namespace heddle::master
