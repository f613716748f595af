#include "cli/base/exit_status.h"

#include <unistd.h>

#include <cstdio>

#include "common/command_line/color.h"
#include "common/text.h"

namespace heddle::cli {
namespace {

/// Prints a line. `stressed` says whether the line is an error or a warning.
void print(const std::string& text, bool stressed) {
  const std::string line = "heddle: " + printable(text);
  std::fprintf(stderr, "%s\n",
               (stressed && colored(STDERR_FILENO) ? paint_message(line) : line).c_str());
}

}  // namespace

int fail(const Error& error) {
  print(error.text, true);
  return exit_status(error);
}

int status_or_fail(const Result<int>& status) { return status ? *status : fail(status.error()); }

void say(const std::string& text) { print(text, text.starts_with("warning: ")); }

}  // namespace heddle::cli
