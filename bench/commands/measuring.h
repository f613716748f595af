#pragma once

#include <chrono>
#include <string>
#include <vector>

#include "cli/base/exit_status.h"
#include "host/child.h"
#include "host/scratch_directory.h"
#include "wire/fields.h"

namespace heddle::bench {

/// Holds the resources of a measurement: a descriptor for the user's signals and a temporary
/// directory.
class Workbench {
 public:
  static Result<Workbench> set_up();

  int signals() const { return signals_.get(); }
  /// Returns a new path in the temporary directory at each call.
  std::string new_path() { return scratch_ / std::to_string(++paths_); }
  /// Waits for this time. Error: the user has interrupted the bench.
  Result<void> pause(std::chrono::milliseconds length) const;

 private:
  Workbench(Fd signals, host::ScratchDirectory scratch)
      : signals_(std::move(signals)), scratch_(std::move(scratch)) {}
  Fd signals_;
  host::ScratchDirectory scratch_;
  int paths_ = 0;
};

/// Owns a process that this program started. The destructor sends it `signal`, and kills it if it
/// has not ended after `patience`.
class Ending {
 public:
  Ending(host::Child child, int signal, std::chrono::milliseconds patience)
      : child_(std::move(child)), signal_(signal), patience_(patience) {}
  Ending(const Ending&) = delete;
  Ending& operator=(const Ending&) = delete;
  ~Ending();

  bool ended() { return child_.reap() || !child_.running(); }
  const host::Child& operator*() const { return child_; }
  host::Child* operator->() { return &child_; }

 private:
  host::Child child_;
  int signal_;
  std::chrono::milliseconds patience_;
};

/// Measures the cases one after the other. Prints the title of a case before measuring it. Errors
/// name the case.
template <class Case, class Title, class Measure>
Result<std::vector<wire::Json>> measure_each(const std::vector<Case>& cases, Title title_of,
                                             Measure measure) {
  std::vector<wire::Json> rows;
  for (const Case& one : cases) {
    const std::string title = title_of(one);
    cli::say(title);
    Result<wire::Json> row = measure(one);
    if (!row) return std::move(row).error().in(title);
    rows.push_back(*std::move(row));
  }
  return rows;
}

}  // namespace heddle::bench
