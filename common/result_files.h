#pragma once

#include <string>

namespace heddle {

/// Names of files in a directory of results. More than one program reads or writes these files.
inline constexpr const char* kJournalFile = "journal.jsonl";
inline constexpr const char* kSamplesFile = "samples.jsonl";

inline std::string journal_path(const std::string& directory) {
  return directory + '/' + kJournalFile;
}

inline std::string samples_path(const std::string& directory) {
  return directory + '/' + kSamplesFile;
}

}  // namespace heddle
