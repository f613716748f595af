#pragma once

#include <filesystem>
#include <string>
#include <system_error>

namespace heddle {

/// Names of files in a directory of results. More than one program reads or writes these files.
inline constexpr const char* kJournalFile = "journal.jsonl";
inline constexpr const char* kCompressedSuffix = ".zst";
inline constexpr const char* kSamplesFile = "samples.jsonl";

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
