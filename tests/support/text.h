#pragma once

#include <sstream>
#include <string>
#include <vector>

#include "common/result.h"

namespace heddle {

/// Returns the error's text, or "none".
template <class T>
std::string error_of(const Result<T>& result) {
  return result ? "none" : result.error().text;
}

inline std::vector<std::string> lines_of(const std::string& text) {
  std::vector<std::string> lines;
  std::istringstream in(text);
  for (std::string line; std::getline(in, line);) lines.push_back(line);
  return lines;
}

/// Returns the lines that contain `part`.
inline std::vector<std::string> lines_with(std::vector<std::string> lines,
                                           const std::string& part) {
  std::erase_if(lines, [&](const std::string& line) { return line.find(part) == line.npos; });
  return lines;
}

/// Returns the text of these lines, each with its end.
inline std::string text_of(const std::vector<std::string>& lines) {
  std::string text;
  for (const std::string& line : lines) text += line + "\n";
  return text;
}

}  // namespace heddle
