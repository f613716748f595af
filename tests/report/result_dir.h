#pragma once

#include <string>

#include "core/scenario/scenario.h"
#include "report/history.h"
#include "wire/fields.h"

namespace heddle::report {

/// A directory of results for one test, removed at the end, of this run: nodes n1 and n2; job
/// "sort" of ann with two maps and a reduce, which was suspended, killed for lack of memory and
/// done again; job "late" of bob in queue "other", which failed; job "never", which is still to be
/// submitted; faults of both nodes and of the master. All there is in a journal comes up in it.
class ResultDir {
 public:
  ResultDir();
  ~ResultDir();
  ResultDir(const ResultDir&) = delete;
  ResultDir& operator=(const ResultDir&) = delete;

  std::string operator/(const std::string& name) const { return path_ + "/" + name; }
  const std::string& path() const { return path_; }
  void write(const std::string& name, const std::string& text) const;
  /// Without error, or an empty one.
  RunHistory history() const;

 private:
  std::string path_;
};

Scenario small_scenario();
/// Journal and samples of the run, line by line.
std::vector<std::string> small_journal();
std::vector<std::string> small_samples();
std::string lines(const std::vector<std::string>& all);

}  // namespace heddle::report
