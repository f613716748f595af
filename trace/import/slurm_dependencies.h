#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace heddle::trace::slurm {

/// A condition of a job on another job.
struct Dependency {
  /// kTask: the task with the same index in another array has completed (aftercorr).
  enum class When { kOk, kNotOk, kAny, kStart, kTask };
  std::string job;  ///< id, such as "12" or "12_3"
  When when = When::kOk;
  double delay = 0;  ///< seconds
  friend bool operator==(const Dependency&, const Dependency&) = default;
};

/// The conditions of a job, all of which must come true.
struct Dependencies {
  std::vector<Dependency> on;
  int singletons = 0;  ///< the job follows all earlier jobs of its name and user
  int others = 0;      ///< conditions that can't be read, or of which one is enough
  friend bool operator==(const Dependencies&, const Dependencies&) = default;
};

/// Returns the value of --dependency or -d in the command line of sbatch, salloc or srun; "" if it
/// has none. If the option occurs several times, the last counts. Words after the name of the
/// script are not options.
std::string_view dependency_option(std::string_view submit_line);

/// Reads the value of --dependency: "afterok:12:13,afterany:14,after:15+5,singleton". The number
/// after '+' is in minutes.
Dependencies read_dependencies(std::string_view option);

/// Returns the limit of running tasks in --array or -a of such a command line, such as 4 in
/// "--array=1-100%4"; nullopt if it has none.
std::optional<int> array_limit(std::string_view submit_line);

}  // namespace heddle::trace::slurm
