#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

#include "cli/batch/engine/engine.h"
#include "common/result.h"

namespace heddle::cli {

/// The options of `--on kubernetes:OPTION,…`.
struct KubernetesOptions {
  std::string image;           ///< of the containers; it has heddle in its PATH
  std::string claim;           ///< name of the PersistentVolumeClaim that holds the plan
  std::string path = "/plan";  ///< where the volume is mounted in a container
  std::string below;           ///< directory of the plan in the volume; "": its root
  std::size_t max = 0;         ///< pods that run at the same time; 0: as many as there are indexes
  std::size_t per_task = 1;    ///< cells of an index
  std::size_t retries = 1;     ///< how often an index is tried again
  friend bool operator==(const KubernetesOptions&, const KubernetesOptions&) = default;
};
/// Parses "image=I,claim=C". Errors (kUsage) name the option and the nearest known one.
Result<KubernetesOptions> parse_kubernetes(std::string_view text);

/// Returns the manifest of an Indexed Job that makes the cells of a plan. Pure.
std::string kubernetes_job(const KubernetesOptions& options, const std::string& name,
                           std::size_t cells, const std::vector<std::string>& rights);

/// Writes DIR/job.yaml, an Indexed Job of Kubernetes that makes the cells, and says what to do with
/// it.
Result<void> write_kubernetes_job(const std::string& dir, const std::string& words,
                                  std::size_t cells, const EngineOptions& options);

}  // namespace heddle::cli
