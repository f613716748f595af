#pragma once

#include <sys/wait.h>

#include <array>
#include <cstdio>
#include <string>

namespace heddle::cli {

/// The output of a command and how the command ended.
struct Answer {
  int status = -1;
  std::string text;  ///< both streams
};

/// Runs a command of a shell.
inline Answer answer_of(const std::string& command) {
  Answer answer;
  FILE* pipe = ::popen(command.c_str(), "r");
  std::array<char, 4096> buffer{};
  while (std::size_t n = std::fread(buffer.data(), 1, buffer.size(), pipe))
    answer.text.append(buffer.data(), n);
  int status = ::pclose(pipe);
  if (WIFEXITED(status)) answer.status = WEXITSTATUS(status);
  return answer;
}

/// Runs heddle with these words.
inline Answer heddle(const std::string& words, const std::string& redirections = "2>&1") {
  return answer_of(std::string(HEDDLE_BIN) + "/heddle " + words + " " + redirections);
}

}  // namespace heddle::cli
