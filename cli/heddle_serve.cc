// The program heddle-serve: heddle serve.

#include "cli/base/program.h"
#include "cli/options/heddle_options.h"
#include "cli/serve/serve.h"

namespace heddle::cli {
namespace {

int command(int argc, char** argv) {
  static const CommandFunctions functions = {
      {"serve", [](const HeddleOptions& o) { return serve_command(o.serve); }},
  };
  return run_command_line("heddle-serve", functions, argc, argv);
}

}  // namespace
}  // namespace heddle::cli

int main(int argc, char** argv) {
  return heddle::cli::run_program(argc, argv, heddle::cli::command);
}
