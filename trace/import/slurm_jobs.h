#pragma once

#include <optional>
#include <string>
#include <vector>

namespace heddle::trace::slurm {

/// A run of a job. Amounts are those of the whole job.
struct Run {
  double submit = 0, start = 0;
  std::optional<double> eligible = {};
  double seconds = 0;  ///< without the time for which it was suspended
  double cpus = 1;
  std::optional<double> nodes = {}, bytes = {};
  std::optional<double> limit = {};  ///< seconds
  double gpus = 0;
  std::string models = {};   ///< of GPUs that it asks for; '|' separates several
  std::string state = {};    ///< "": unknown
  bool whole_nodes = false;  ///< it was allocated more CPUs than it asked for
};

/// Returns whether a later row of the log with the same id can be of the same job.
bool goes_on(const std::string& state);

/// The equal tasks that a job becomes, and what each of them requests.
struct Shape {
  double tasks = 1, cores = 1, gpus = 0;
};
/// Returns a task for each CPU; for each GPU if the job has some; for each node if the job had
/// equal parts of its nodes, and was allocated whole nodes or is to have as many nodes again
/// (`as_it_ran`).
Shape shape_of(const Run& run, bool as_it_ran = false);

/// Amounts that jobs hold.
struct Held {
  double cpus = 0, bytes = 0, gpus = 0;
};

/// Finds the most that jobs held at the same time.
class Peak {
 public:
  /// Adds what a job held from `start` until `end`, in seconds.
  void add(double start, double end, const Held& held);
  /// Returns the maximum of each amount. These need not be of the same time.
  Held most();

 private:
  struct Change {
    double at = 0;
    int sign = 1;
    Held held;
  };
  std::vector<Change> changes_;
};

}  // namespace heddle::trace::slurm
