#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "common/result.h"
#include "report/manifest.h"
#include "report/result_entry.h"

namespace heddle::report {

inline constexpr const char* kArchiveManifest = "manifest.json";
inline constexpr const char* kArchiveReadme = "README.md";
inline constexpr const char* kArchivedRecords = "cells.jsonl";

/// The range in which a figure of another real run is expected, in emulated seconds.
struct ExpectedRange {
  double least = 0, most = 0;
  friend bool operator==(const ExpectedRange&, const ExpectedRange&) = default;
};

/// A run, comparison or sweep in an archive. It is a result, or a part of an experiment.
struct ArchivedPart {
  std::string directory;               ///< in the archive
  ResultKind kind = ResultKind::kRun;  ///< no experiment
  bool simulated = false;
  /// Ranges of the figures of a single real run, by their keys in summary.json. The ranges of a
  /// batch follow from its repeats.
  std::map<std::string, ExpectedRange> ranges = {};
  friend bool operator==(const ArchivedPart&, const ArchivedPart&) = default;
};

struct ArchivedResult {
  std::string name;  ///< of its directory in results/
  ResultKind kind = ResultKind::kRun;
  std::string scenario, mode;  ///< as in ResultEntry
  std::string version;         ///< of the Heddle that made it; "": not known
  std::vector<std::string> policies, command;
  std::int64_t written_s = 0;
  std::optional<double> real_s;
  std::vector<std::string> doubts;  ///< why the result is unverified (doubts in report/manifest.h)
  std::vector<ArchivedPart> parts;
  friend bool operator==(const ArchivedResult&, const ArchivedResult&) = default;
};

/// The program of an external policy in an archive.
struct ArchivedProgram {
  std::string file;                ///< in the archive
  std::vector<std::string> named;  ///< its absolute paths where results were made
  friend bool operator==(const ArchivedProgram&, const ArchivedProgram&) = default;
};

/// The contents of manifest.json in an archive.
struct ArchiveManifest {
  std::string version;  ///< of the Heddle that made the archive
  std::vector<ArchivedResult> results;
  std::vector<ArchivedProgram> programs;
  std::map<std::string, FileMark> files;  ///< all files of the archive but manifest.json
  friend bool operator==(const ArchiveManifest&, const ArchiveManifest&) = default;
};

std::string to_text(const ArchiveManifest& manifest);
/// Reads a manifest, which can come from anyone. Checks types, sizes and names, and that the
/// directories of parts and the files of programs are in the archive. Error (kUsage): it is not
/// valid.
Result<ArchiveManifest> parse_archive_manifest(std::string_view text);

/// Compares the files below a directory with the manifest. Error (kUsage): a file is missing, has
/// changed, or is not in the manifest. The error names the file, and the two checksums.
Result<void> check_files(const Directory& unpacked, const ArchiveManifest& manifest);

}  // namespace heddle::report
