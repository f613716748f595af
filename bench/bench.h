#pragma once

#include <fmt/format.h>

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <type_traits>
#include <vector>

#include "bench/failed.h"
#include "bench/results.h"
#include "cli/base/exit_status.h"
#include "common/command_line/command_line.h"

namespace heddle::bench {

template <class Number>
void require_within(CommandOption option, const char* value, Number least, Number most) {
  if constexpr (std::is_floating_point_v<Number>)
    require_number(option, value, least, most);
  else
    require_integer(option, value, static_cast<std::int64_t>(least),
                    static_cast<std::int64_t>(most));
}

/// Adds an option with a number. Its default is the value that `number` has.
template <class Number>
void add_number(Command word, const char* name, Number& number, std::type_identity_t<Number> least,
                std::type_identity_t<Number> most, const std::string& what) {
  require_within(word.add_option(name, number, fmt::format("{} (default: {})", what, number)), "N",
                 least, most);
}

/// Adds an option with numbers, separated by commas.
template <class Number>
void add_numbers(Command word, const char* name, std::vector<Number>& numbers,
                 std::type_identity_t<Number> least, std::type_identity_t<Number> most,
                 const std::string& what) {
  require_within(
      word.add_option(name, numbers, fmt::format("{} (default: {})", what, fmt::join(numbers, ",")))
          .delimiter(','),
      "N,...", least, most);
}

/// Adds an option with texts of a form such as "POLICY,...", separated by commas.
inline void add_texts(Command word, const char* name, std::vector<std::string>& texts,
                      const char* form, const std::string& what) {
  word.add_option(name, texts, what).delimiter(',').type_name(form);
}

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
  /// Does the same with --quick and --json as `other` has them.
  int run_like(const Bench& other);

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
/// The arguments are the defaults of --policies and --task-user.
std::unique_ptr<Bench> external_bench(std::vector<std::string> policies = {},
                                      std::optional<std::string> task_user = {});
std::unique_ptr<Bench> fidelity_bench();
std::unique_ptr<Bench> heartbeat_bench();
std::unique_ptr<Bench> io_bench();
std::unique_ptr<Bench> launch_bench();
std::unique_ptr<Bench> policy_bench();
std::unique_ptr<Bench> sim_bench();
std::unique_ptr<Bench> start_bench();
std::unique_ptr<Bench> suspend_bench();

}  // namespace heddle::bench
