// The program heddle-bench measures Heddle itself. `heddle bench NAME …` executes this program with
// argv[0] = "bench".

#include <memory>

#include "bench/bench.h"
#include "bench/results.h"
#include "cli/base/command_table.h"
#include "cli/base/program.h"
#include "common/command_line/command_line.h"
#include "common/file.h"

namespace heddle::bench {
namespace {

using wire::Json;

Json read_results(const std::string& file) {
  const std::string text = need(read_named_file(file, std::size_t{1} << 30));
  return naming(file, [&] { return need(read_bench_results(text)); });
}

/// Compares two results of the same bench (bench/compare_results.h).
Json compare(const std::vector<std::string>& files) {
  if (files.empty())
    throw Failed(usage_error("bench needs a name or --compare; heddle bench --help lists them"));
  const Json before = read_results(files[0]), after = read_results(files[1]);
  return naming(files[0] + ", " + files[1], [&] { return need(compare_results(before, after)); });
}

int command(int argc, char** argv) {
  CommandLine line("heddle bench", "measure Heddle itself");
  std::vector<std::string> compared;
  bool json = false;
  line.require_subcommand(0, 1);
  line.add_option("--compare", compared, "compare what --json printed before a change and after it")
      .expected(2)
      .type_name("BEFORE AFTER");
  line.add_flag("--json", json, "print JSON instead of a table");
  std::pair<const char*, std::unique_ptr<Bench>> benches[] = {{"fidelity", fidelity_bench()},
                                                              {"policy", policy_bench()},
                                                              {"heartbeat", heartbeat_bench()},
                                                              {"io", io_bench()},
                                                              {"sim", sim_bench()},
                                                              {"launch", launch_bench()},
                                                              {"suspend", suspend_bench()},
                                                              {"start", start_bench()},
                                                              {"external", external_bench()}};
  for (auto& [name, bench] : benches) bench->add_options(cli::add_word(line, cli::benches(), name));
  if (const std::optional<int> status = line.parse(argc, argv)) return *status;
  for (auto& [name, bench] : benches)
    if (name == line.chosen()) return bench->run();
  return print_bench([&] { return compare(compared); }, json, format_result_comparison);
}

}  // namespace
}  // namespace heddle::bench

int main(int argc, char** argv) {
  return heddle::cli::run_program(argc, argv, heddle::bench::command);
}
