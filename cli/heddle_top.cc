// The program heddle-top: heddle top.

#include "cli/base/program.h"
#include "cli/options/heddle_options.h"
#include "cli/top/top.h"

namespace heddle::cli {
namespace {

int command(int argc, char** argv) {
  static const CommandFunctions functions = {
      {"top", [](const HeddleOptions& o) { return top_command(o.top); }},
  };
  return run_command_line("heddle-top", functions, argc, argv);
}

}  // namespace
}  // namespace heddle::cli

int main(int argc, char** argv) {
  return heddle::cli::run_program(argc, argv, heddle::cli::command);
}
