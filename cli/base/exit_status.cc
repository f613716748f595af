#include "cli/base/exit_status.h"

#include <cstdio>

#include "common/text.h"

namespace heddle::cli {

int fail(const Error& error) {
  say(error.text);
  return exit_status(error);
}

int status_or_fail(const Result<int>& status) { return status ? *status : fail(status.error()); }

void say(const std::string& text) { std::fprintf(stderr, "heddle: %s\n", printable(text).c_str()); }

}  // namespace heddle::cli
