#pragma once

#include <cstddef>
#include <filesystem>
#include <string>
#include <string_view>
#include <system_error>

namespace heddle {

// Names of files in directories of results.
inline constexpr const char* kManifestFile = "result.json";
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
inline constexpr const char* kIndexFile = "containers.index.zst";
inline constexpr const char* kTimelineFile = "timeline.json";
inline constexpr const char* kTraceFile = "trace.jsonl";
inline constexpr const char* kEfficiencyFile = "efficiency.json";
inline constexpr const char* kSwfFile = "run.swf";
inline constexpr const char* kStartsFile = "starts.csv";
inline constexpr const char* kClaimsFile = "claims.md";
inline constexpr const char* kWhatifFile = "whatif.json";
inline constexpr const char* kLogFile = "log.csv";

/// Limit on a JSON file of results. The summary of a million jobs has about half of it.
inline constexpr std::size_t kMostResultBytes = std::size_t{1} << 30;

/// The directory with the program of an external policy in the results of a run.
inline constexpr const char* kPolicyDirectory = "policy";

// All files that Heddle writes into the directory of a run, a batch or an experiment itself. The
// last ones prove what the directory is, so they are removed last.
inline constexpr std::string_view kRunFiles[] = {
    kIndexFile,    kSamplesFile, "run.sqlite-journal",   kTablesFile,  kTimelineFile,
    kPageFile,     kTraceFile,   kEfficiencyFile,        kSwfFile,     kStartsFile,
    kScenarioFile, kJournalFile, kCompressedJournalFile, kSummaryFile, kManifestFile};
inline constexpr std::string_view kBatchFiles[] = {
    "compare.html", "sweep.html", kPageFile, "plan.json",     "plan.yaml", "slurm.json",
    "job.yaml",     kWhatifFile,  kLogFile,  kComparisonFile, kSweepFile,  kManifestFile};
inline constexpr std::string_view kExperimentFiles[] = {"plan.json", "slurm.json", "job.yaml",
                                                        kClaimsFile, kManifestFile};

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
