// The program heddle-bench measures Heddle itself. `heddle bench NAME …` executes this program with
// argv[0] = "bench".

#include <CLI/CLI.hpp>
#include <functional>

#include "bench/commands/bench_words.h"
#include "cli/base/program.h"
#include "common/command_line/command_line.h"

namespace heddle::bench {
namespace {

int command(int argc, char** argv) {
  CLI::App app("measure Heddle itself");
  set_up_command_line(app, "heddle bench");
  std::function<int()> action;
  BenchOptions options;
  add_bench_words(app, options, action);
  if (const std::optional<int> status = parse_command_line(app, argc, argv)) return *status;
  return action();
}

}  // namespace
}  // namespace heddle::bench

int main(int argc, char** argv) {
  return heddle::cli::run_program(argc, argv, heddle::bench::command);
}
