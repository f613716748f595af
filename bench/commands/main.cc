// The program heddle-bench measures Heddle itself. `heddle bench NAME …` executes this program with
// argv[0] = "bench".

#include <functional>

#include "bench/commands/bench_words.h"
#include "cli/base/program.h"
#include "common/command_line/command_line.h"

namespace heddle::bench {
namespace {

int command(int argc, char** argv) {
  CommandLine line("heddle bench", "measure Heddle itself");
  std::function<int()> action;
  BenchOptions options;
  add_bench_words(line, options, action);
  if (const std::optional<int> status = line.parse(argc, argv)) return *status;
  return action();
}

}  // namespace
}  // namespace heddle::bench

int main(int argc, char** argv) {
  return heddle::cli::run_program(argc, argv, heddle::bench::command);
}
