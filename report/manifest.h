#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "common/directory.h"
#include "core/scenario/scenario.h"
#include "report/result_entry.h"

namespace heddle::report {

/// The size and the checksum of a file of a result, as Heddle wrote it.
struct FileMark {
  std::int64_t size = 0;  ///< bytes
  std::string sha256;     ///< in hex
  friend bool operator==(const FileMark&, const FileMark&) = default;
};

/// The contents of result.json, which says what a directory of results is. It is written when the
/// result begins, with the state "running", and replaced at each change.
struct Manifest {
  ResultEntry entry;                 ///< without path, disk space and `verified`
  std::string version;               ///< of Heddle
  std::vector<std::string> command;  ///< the command line that made the result
  /// The files that Heddle wrote into the directory itself, by name. Logs are not among them.
  std::map<std::string, FileMark> files;
  friend bool operator==(const Manifest&, const Manifest&) = default;
};
std::string to_text(const Manifest& manifest);
/// Returns nullopt if the text is no manifest.
std::optional<Manifest> parse_manifest(std::string_view text);
/// Returns nullopt if the directory has no manifest, or none that can be read.
std::optional<Manifest> read_manifest(const Directory& directory);

/// Depths of a comparison with a manifest: the size of each file, also the SHA-256 of small files,
/// or that of all files.
enum class Depth { kSizes, kSmallContents, kContents };
/// A file of at most this many bytes is small. The summary of most runs is small.
inline constexpr std::int64_t kSmallFile = 64 << 10;
/// Returns a sentence for each file that is missing or is not as the manifest says. `names`: the
/// files that are looked at; empty: all.
std::vector<std::string> differences(const Directory& directory, const Manifest& manifest,
                                     Depth depth, const std::vector<std::string>& names = {});
/// Returns a sentence for each of the files `names` of an ended result whose contents the manifest
/// does not prove: the file is missing, was changed, or is not in the manifest. If the directory
/// has no manifest of an ended result, returns one sentence that says so. Files that are neither in
/// the directory nor in the manifest are no doubt.
std::vector<std::string> doubts(const Directory& directory, const std::vector<std::string>& names);

/// Writes the manifest of a run that begins, or of a batch (`kind`, `mode` as in ResultEntry).
Result<void> begin_manifest(const std::string& dir, const Scenario& scenario,
                            const std::string& mode);
Result<void> begin_manifest(const std::string& dir, ResultKind kind, const std::string& scenario,
                            const std::string& mode);
/// Writes the manifest of a result that has ended, with all its files.
Result<void> end_manifest(const std::string& dir);
/// Takes files that were written again into the manifest. Does nothing if there is no manifest:
/// nobody knows the other files then.
Result<void> note_files(const std::string& dir, const std::vector<std::string>& names);

}  // namespace heddle::report
