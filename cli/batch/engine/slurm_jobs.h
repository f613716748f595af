#pragma once

#include <string>
#include <string_view>

#include "cli/batch/engine/slurm_plan.h"
#include "common/result.h"

namespace heddle::cli {

inline constexpr const char* kSlurmFile = "slurm.json";

/// The jobs of a batch on a Slurm cluster, as its directory records them. A later command continues
/// from this record. The record gives no rights to cells, because it can come from anyone.
struct SlurmJobs {
  std::string name;  ///< of all jobs of the batch; no other batch has it
  std::string on;    ///< the options, as for parse_slurm()
  std::size_t per_task = 1;
  int attempts = 0;  ///< number of submissions so far, without the probe
  friend bool operator==(const SlurmJobs&, const SlurmJobs&) = default;
};
std::string write_jobs_record(const SlurmJobs& jobs);
/// Errors (kUsage): the text is not such a record. The options in `on` are checked.
Result<SlurmJobs> read_jobs_record(std::string_view text, const std::string& where);

}  // namespace heddle::cli
