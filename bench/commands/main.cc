// heddle-bench: measurements of Heddle itself. `heddle bench NAME …` executes it with argv[0] =
// "bench".

#include <CLI/CLI.hpp>
#include <functional>

#include "bench/commands/bench_words.h"
#include "cli/base/exit_status.h"
#include "cli/base/program.h"

namespace heddle::bench {
namespace {

int command(int argc, char** argv) {
  CLI::App app("measure Heddle itself", "heddle bench");
  app.set_help_flag("-h,--help", "this text");
  app.get_formatter()->column_width(34);
  std::function<int()> action;
  BenchOptions options;
  add_bench_words(app, options, action);
  try {
    app.parse(argc, argv);
  } catch (const CLI::ParseError& error) {
    return app.exit(error) == 0 ? kExitDone : kExitUsage;
  }
  return action();
}

}  // namespace
}  // namespace heddle::bench

int main(int argc, char** argv) {
  return heddle::cli::run_program(argc, argv, heddle::bench::command);
}
