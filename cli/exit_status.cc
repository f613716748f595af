#include "cli/exit_status.h"

#include <cstdio>

namespace heddle {

int fail(const Error& error) {
  say(error.text);
  switch (error.kind) {
    case Error::Kind::kUsage:
      return kExitUsage;
    case Error::Kind::kMachine:
      return kExitMachine;
    case Error::Kind::kAborted:
      return kExitAborted;
  }
  return kExitAborted;
}

void say(const std::string& text) { std::fprintf(stderr, "heddle: %s\n", text.c_str()); }

}  // namespace heddle
