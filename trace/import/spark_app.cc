#include "trace/import/spark_app.h"

#include <algorithm>

namespace heddle::trace::spark {

std::optional<std::int64_t> bytes_of_executor(const App& app) {
  if (app.local && (app.executors.contains("driver") || app.executors.empty()))
    return app.driver_memory;
  return app.executor_memory ? app.executor_memory : app.profile_memory;
}

std::int64_t memory_per_core(const App& app, const ImportOptions& options) {
  std::int64_t cores = app.executor_cores.value_or(0);
  if (app.local) cores = std::max(cores, app.local_cores.value_or(0));
  if (!app.executor_cores || app.local) {
    for (const auto& [id, use] : app.executors) cores = std::max(cores, use.cores);
    for (const Use& use : app.uses) cores = std::max(cores, use.cores);
  }
  const auto bytes = bytes_of_executor(app);
  if (!bytes || cores == 0) return options.memory_per_core.count();
  return std::max<std::int64_t>(*bytes / cores, 1);
}

}  // namespace heddle::trace::spark
