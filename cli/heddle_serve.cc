// The program heddle-serve: heddle serve, and the processes that make its pages.

#include <cstdlib>
#include <string_view>

#include "cli/base/program.h"
#include "cli/options/heddle_options.h"
#include "cli/serve/serve.h"
#include "serve/maker_pool.h"

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
  if (argc > 4 && std::string_view(argv[1]) == heddle::cli::kMakePages)
    return heddle::serve::make_pages(std::atoi(argv[2]), std::atoll(argv[3]),
                                     {argv + 4, argv + argc});
  return heddle::cli::run_program(argc, argv, heddle::cli::command);
}
