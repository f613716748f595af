#pragma once

#include <gtest/gtest.h>

#include <cstdlib>
#include <fstream>
#include <map>
#include <sstream>
#include <string>
#include <vector>

#include "common/file.h"

namespace heddle {

/// Returns the table rows of a page of docs/, for each section of the page ("## `job`"). Only rows
/// that begin with a word in backquotes are returned.
inline std::map<std::string, std::vector<std::string>> rows_of_page(const std::string& name) {
  std::istringstream page(*read_file(HEDDLE_SOURCE_DIR "/docs/" + name));
  std::map<std::string, std::vector<std::string>> rows;
  std::string section;
  for (std::string line; std::getline(page, line);) {
    if (line.starts_with("## ")) section = line.substr(3);
    if (line.starts_with("| `")) rows[section].push_back(line);
  }
  return rows;
}

/// Expects that a file of docs/ equals `expected`, which the test makes from tables in the code. If
/// the environment variable HEDDLE_RENEW_DOCS is set, writes the file first.
inline void expect_page(const std::string& name, const std::string& expected) {
  const std::string path = HEDDLE_SOURCE_DIR "/docs/" + name;
  if (std::getenv("HEDDLE_RENEW_DOCS")) std::ofstream(path) << expected;
  EXPECT_EQ(*read_file(path), expected) << "renew it by HEDDLE_RENEW_DOCS=1";
}

}  // namespace heddle
