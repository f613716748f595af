#pragma once

#include <stdlib.h>  // NOLINT: mkdtemp

#include <filesystem>
#include <fstream>
#include <string>
#include <string_view>

#include "tests/fuzz/targets.h"

namespace heddle::fuzz {

/// A directory of results. The destructor removes it.
class ResultsDir {
 public:
  ResultsDir() : path_(std::filesystem::temp_directory_path() / "heddle-fuzz-XXXXXX") {
    require(::mkdtemp(path_.data()) != nullptr, "a directory can be made");
  }
  ~ResultsDir() {
    std::error_code ignored;
    std::filesystem::remove_all(path_, ignored);
  }
  const std::string& path() const { return path_; }

  /// Writes the input to the files. Lines without a type are samples.
  void fill(std::string_view input) const {
    std::ofstream records(path_ + "/journal.jsonl"), samples(path_ + "/samples.jsonl");
    for (std::string_view line : lines_of(input))
      (line.starts_with("{\"t\":") ? samples : records) << line << '\n';
  }

 private:
  std::string path_;
};

}  // namespace heddle::fuzz
