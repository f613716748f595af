#pragma once

#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "bench/failed.h"
#include "bench/options.h"
#include "bench/results.h"
#include "cli/base/exit_status.h"

namespace heddle::bench {

/// A benchmark: `heddle bench NAME`. docs/reference/benchmarks.md describes what each one measures,
/// its columns and its aims.
class Bench {
 public:
  virtual ~Bench() = default;
  /// Adds the options of the benchmark, and last those that every benchmark has.
  void add_options(Command word);
  /// Measures, and prints the results as JSON or as a table. Prints an error instead if there is
  /// one. Returns the exit status for the results, the error, or an interruption by the user.
  virtual int run();

 protected:
  struct Traits {
    const BenchForm& form;
    const char* quick = "";     ///< what it does with --quick, for the help
    bool makes_groups = false;  ///< it has the option --cgroup
  };
  explicit Bench(const Traits& traits) : traits_(traits) {}
  virtual void add_own_options(Command word) = 0;
  /// Returns the results (bench/results.h). Throws Failed.
  virtual wire::Json measure() = 0;
  /// Formats the results for people.
  virtual std::string format(const wire::Json& results) const;

  bool quick_ = false;  ///< measure fewer or smaller cases, for a shorter time
  bool json_ = false;
  std::optional<std::string> cgroup_;  ///< argument of --cgroup, as for `heddle run`

 private:
  Traits traits_;
};

/// Prints the results that `measure` returns, as Bench::run does.
int print_bench(const std::function<wire::Json()>& measure, bool json,
                const std::function<std::string(const wire::Json&)>& format);

/// Measures the cases one after the other. Prints the title of a case before measuring it. Errors
/// name the case.
template <class Case, class Title, class Measure>
std::vector<wire::Json> measure_each(const std::vector<Case>& cases, Title title_of,
                                     Measure measure) {
  std::vector<wire::Json> rows;
  for (const Case& one : cases) {
    const std::string title = title_of(one);
    cli::say(title);
    rows.push_back(naming(title, [&] { return measure(one); }));
  }
  return rows;
}

// The benchmarks.
std::unique_ptr<Bench> external_bench();
std::unique_ptr<Bench> fidelity_bench();
std::unique_ptr<Bench> heartbeat_bench();
std::unique_ptr<Bench> io_bench();
std::unique_ptr<Bench> launch_bench();
std::unique_ptr<Bench> policy_bench();
std::unique_ptr<Bench> sim_bench();
std::unique_ptr<Bench> start_bench();
std::unique_ptr<Bench> suspend_bench();

}  // namespace heddle::bench
