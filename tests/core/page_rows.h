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

/// Of a page of docs/, the rows of tables that begin with a word in backquotes, by the section they
/// stand under ("## `job`").
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

/// Expects a file of docs/ to be `expected`, made of the code's own tables. With HEDDLE_RENEW_DOCS
/// in the environment the file is written first.
inline void expect_page(const std::string& name, const std::string& expected) {
  const std::string path = HEDDLE_SOURCE_DIR "/docs/" + name;
  if (std::getenv("HEDDLE_RENEW_DOCS")) std::ofstream(path) << expected;
  EXPECT_EQ(*read_file(path), expected) << "renew it by HEDDLE_RENEW_DOCS=1";
}

}  // namespace heddle
