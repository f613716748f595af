#pragma once

#include <memory>
#include <optional>
#include <string>

#include "master/journal.h"
#include "master/live_run.h"
#include "wire/line_checksums.h"

namespace heddle::master {

/// What a line of the journal has survived when an action that follows from it leaves the master.
enum class Durability {
  kWrite,  ///< the death of every process: it is with the kernel
  kFsync,  ///< a power failure: it is on the disk
};

/// The journal and the samples of a run, written so that nothing leaves the master of which the
/// journal does not know.
class RunFiles {
 public:
  /// `checksums`: of what the journal holds already.
  RunFiles(std::unique_ptr<LineFile> journal, std::unique_ptr<LineFile> samples,
           const wire::LineChecksums& checksums, Durability durability)
      : journal_(std::move(journal)),
        samples_(std::move(samples)),
        checksums_(checksums),
        durability_(durability) {}

  /// Makes new ones in the directory.
  static Result<RunFiles> create(const std::string& out, Durability durability);
  /// Opens those of a run that is resumed, and has `run` live through its journal. `sampled`
  /// becomes the time of the last sample, if there is one.
  static Result<RunFiles> reopen(const std::string& out, Durability durability, LiveRun& run,
                                 std::optional<EmuTime>& sampled);

  /// Writes the lines of the effects. Once it has returned without an error, the messages may
  /// leave.
  Result<void> keep(const Effects& effects);
  /// Writes the last line of the journal, and syncs both files.
  Result<void> end(const std::string& line);

 private:
  Result<void> write(const std::string& lines);

  std::unique_ptr<LineFile> journal_, samples_;
  wire::LineChecksums checksums_;
  Durability durability_;
  bool unsynced_ = true;  ///< lines of the journal, among them those that a former master wrote
};

/// Takes the lines of a journal: `run` lives through them, and `checksums` checks them.
TakeLine take_journal(LiveRun& run, wire::LineChecksums& checksums);

}  // namespace heddle::master
