#pragma once

#include <map>
#include <string>
#include <utility>
#include <vector>

#include "trace/import/spark_app.h"

namespace heddle::trace::spark {

/// The change of the cores and the bytes that executors have on a host.
struct Change {
  std::int64_t at = 0;
  double cores = 0, bytes = 0;
};

/// The hosts on which executors of any application were.
class Machines {
 public:
  Machines(const ImportOptions& options, ImportReport& report)
      : options_(options), report_(report) {}

  /// Ends the executors of an application that are still there, and adds all its executors.
  void add(App& app);
  /// Returns the nodes of the cluster, and reports how they were chosen.
  std::vector<NodeSpec> nodes();

 private:
  /// Old logs have no executors. Their hosts have as many cores as tasks ran there at once.
  void uses_of_tasks(App& app);

  const ImportOptions& options_;
  ImportReport& report_;
  /// Number of each host in the order of the log, and what executors had there.
  std::map<std::string, std::pair<std::size_t, std::vector<Change>>> machines_;
  std::size_t uses_ = 0;
  std::int64_t guessed_hosts_ = 0;
};

}  // namespace heddle::trace::spark
