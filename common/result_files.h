#pragma once

#include <filesystem>
#include <string>
#include <system_error>

namespace heddle {

// Names of files in directories of results.
inline constexpr const char* kScenarioFile = "scenario.yaml";
inline constexpr const char* kJournalFile = "journal.jsonl";
inline constexpr const char* kCompressedSuffix = ".zst";
inline constexpr const char* kCompressedJournalFile = "journal.jsonl.zst";
inline constexpr const char* kSamplesFile = "samples.jsonl";
inline constexpr const char* kSummaryFile = "summary.json";
inline constexpr const char* kTablesFile = "run.sqlite";
inline constexpr const char* kPageFile = "report.html";
inline constexpr const char* kComparisonFile = "compare.json";
inline constexpr const char* kSweepFile = "sweep.json";

inline std::string scenario_path(const std::string& directory) {
  return directory + '/' + kScenarioFile;
}
inline std::string summary_path(const std::string& directory) {
  return directory + '/' + kSummaryFile;
}
inline std::string journal_path(const std::string& directory) {
  return directory + '/' + kJournalFile;
}

/// Returns the path of the journal of a large simulation. It is compressed (common/zstd.h).
inline std::string compressed_journal_path(const std::string& directory) {
  return journal_path(directory) + kCompressedSuffix;
}

/// Returns the path of the journal in a directory of results. If there is none, returns where it
/// would be.
inline std::string journal_of(const std::string& directory) {
  const std::string compressed = compressed_journal_path(directory);
  std::error_code error;
  return !std::filesystem::exists(journal_path(directory), error) &&
                 std::filesystem::exists(compressed, error)
             ? compressed
             : journal_path(directory);
}

inline std::string samples_path(const std::string& directory) {
  return directory + '/' + kSamplesFile;
}

}  // namespace heddle
