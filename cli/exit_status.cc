#include "cli/exit_status.h"

#include <cstdio>

namespace heddle {

int fail(const Error& error) {
  say(error.text);
  return exit_status(error);
}

void say(const std::string& text) { std::fprintf(stderr, "heddle: %s\n", text.c_str()); }

}  // namespace heddle
