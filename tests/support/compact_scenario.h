#pragma once

#include <yaml-cpp/yaml.h>

#include <iosfwd>
#include <string>
#include <vector>

#include "core/scenario/scenario.h"

namespace heddle::tests {

/// Returns `base` with the entries of `over`. Maps in both are merged, anything else of `over`
/// replaces that of `base`, and an entry without a value removes it.
YAML::Node merged(const YAML::Node& base, const YAML::Node& over);

/// Returns the scenario of a map in which a test writes only what matters to it:
///
///   nodes: [3, 4, 8]               # n1, n2 and n3, with 4 cores and 8 GiB each
///   node: {n2: {rack: b}}          # more keys of a node
///   policy: fair+reserve=false     # as on the command line
///   queues: {a: {capacity: 50%}}   # keys of each queue, by its name
///   jobs:
///     j: {at: 2, tasks: 3, size: [1, 2], takes: 10}
///
/// Job j is submitted at 2 s. Its phase "map" has 3 tasks, which request 1 core and 2 GiB and sleep
/// for 10 s. Without these keys, a job comes at 0 s and has a task of 1 core and 1 GiB. Other keys
/// of a job, of a phase and of the scenario are written as in a scenario's file. `reduces` adds a
/// phase "reduce" after the last phase, `phases` has all phases by their names, and `master` is the
/// size of an application master, and `master_takes` when it ends, if a test makes it fail.
/// `marked: spark` makes a job count as one of Spark although it has phases. Nodes are filled at
/// once (`dispatch: immediate`) unless `cluster` says otherwise.
///
/// Throws std::runtime_error with the scenario's errors.
Scenario compact_scenario(const YAML::Node& compact);

/// A case of a file of cases, for parameterized tests.
struct Case {
  std::string name;   ///< of the test: the file's and the case's
  std::string place;  ///< file and line
  YAML::Node node;
};
void PrintTo(const Case& it, std::ostream* out);

/// Returns the cases of a file, or of all files of a folder, below tests/. A file is a map of
/// cases, by their names. Its case `each` is the base of all others.
std::vector<Case> cases_of(const std::string& path);

}  // namespace heddle::tests
