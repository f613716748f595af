#pragma once

#include <optional>
#include <string>
#include <vector>

#include "trace/import/spark_app.h"

// Applications of Spark whose executors are containers (--as executors).
namespace heddle::trace::spark {

/// Returns whether the executors of the application become containers: the options say so, and its
/// log has some.
bool has_executors(const App& app, const ImportOptions& options);
/// Returns what an executor requests, without GPUs.
Resources executor_container(const App& app, const ImportOptions& options);
/// Returns the container of the driver, or of YARN's application master if the driver is outside of
/// the cluster. Returns nullopt if there was none.
std::optional<Resources> master_container(const App& app);

/// The executors of an application as its log has them.
struct Executors {
  int most = 0;          ///< number at the same time
  std::int64_t all = 0;  ///< number, with those that replaced others
  double held_s = 0;     ///< the sum of their times
  double busy_s = 0;     ///< the part of it in which a task ran, by cores
};
Executors executors_of(const App& app, const std::vector<Stage*>& stages);

/// Stages that run at the same time. Executors run a group after the other.
struct StageGroup {
  std::vector<const Stage*> stages;
  std::int64_t tasks = 0;
  double mean = 0, cv = 0;  ///< of the times of its tasks, in microseconds
  std::int64_t peak = 0;    ///< bytes: most memory of an executor during it; 0: unknown
};
/// Groups the stages: a stage joins the stages before it unless it must wait for one of them.
std::vector<StageGroup> groups_of(const std::vector<Stage*>& stages, ImportReport& report);

/// Makes a Spark job: an application master if the log says where the driver was, executors, and a
/// stage for each group. REQUIRES: has_executors(app, options).
void make_executor_job(const App& app, const std::vector<StageGroup>& groups,
                       const Executors& executors, const ImportOptions& options, JobSpec& job,
                       ImportReport& report);

}  // namespace heddle::trace::spark
