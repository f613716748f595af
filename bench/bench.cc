#include "bench/bench.h"

#include <iostream>

#include "cli/base/signals.h"

namespace heddle::bench {

void Bench::add_options(Command word) {
  add_own_options(word);
  word.add_flag("--quick", quick_, traits_.quick);
  if (traits_.makes_groups)
    word.add_option("--cgroup", cgroup_, "create control groups below GROUP").type_name("GROUP");
  word.add_flag("--json", json_, "print JSON instead of a table");
}

int Bench::run() {
  return print_bench([this] { return measure(); }, json_,
                     [this](const wire::Json& results) { return format(results); });
}

int Bench::run_like(const Bench& other) {
  quick_ = other.quick_;
  json_ = other.json_;
  return run();
}

std::string Bench::format(const wire::Json& results) const {
  return format_bench(traits_.form, results);
}

int print_bench(const std::function<wire::Json()>& measure, bool json,
                const std::function<std::string(const wire::Json&)>& format) {
  try {
    const wire::Json results = measure();
    std::cout << (json ? results.dump(2) + "\n" : format(results));
    return kExitDone;
  } catch (const Failed& failed) {
    const int status = cli::fail(failed.error);
    return cli::asked_to_stop() ? kExitInterrupted : status;
  }
}

}  // namespace heddle::bench
