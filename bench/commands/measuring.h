#pragma once

#include <chrono>
#include <string>
#include <vector>

#include "cli/base/children.h"
#include "cli/base/exit_status.h"
#include "host/scratch_directory.h"
#include "wire/fields.h"

namespace heddle::bench {

/// The resources of a measurement: a descriptor of the user's signals, and a temporary directory.
class Workbench {
 public:
  static Result<Workbench> set_up();

  int signals() const { return signals_.get(); }
  /// In the temporary directory, each time another.
  std::string new_path() { return scratch_ / std::to_string(++paths_); }
  /// Waits so long; an error if the user wants out.
  Result<void> pause(std::chrono::milliseconds length) const;

 private:
  Workbench(Fd signals, host::ScratchDirectory scratch)
      : signals_(std::move(signals)), scratch_(std::move(scratch)) {}
  Fd signals_;
  host::ScratchDirectory scratch_;
  int paths_ = 0;
};

/// A process that we started. When this goes, it is told to end, and killed if it has not after
/// `patience`.
class Ending {
 public:
  Ending(cli::Child child, int signal, std::chrono::milliseconds patience)
      : child_(std::move(child)), signal_(signal), patience_(patience) {}
  Ending(const Ending&) = delete;
  Ending& operator=(const Ending&) = delete;
  ~Ending();

  bool ended() { return child_.reap() || !child_.running(); }
  const cli::Child& operator*() const { return child_; }
  cli::Child* operator->() { return &child_; }

 private:
  cli::Child child_;
  int signal_;
  std::chrono::milliseconds patience_;
};

/// Measures one case after the other, and tells the title of each before. Errors name the case.
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
