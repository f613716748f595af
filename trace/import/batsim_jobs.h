#pragma once

#include "trace/import/formats.h"

namespace heddle::trace {

/// Reads the file jobs.csv that Batsim writes about a simulation, and files with the same columns
/// from evalys and OAR. The first row names the columns, in any order. Each row that ran is a rigid
/// job: a gang of as many tasks as it has resources, which take its execution time.
///
/// The cluster has nodes of one core. It has as many as the highest id of an allocated resource
/// says.
Imported import_batsim_jobs(std::vector<Input>& files, const ImportOptions& options,
                            JobCollection& jobs, ImportReport& report);
bool is_batsim_jobs(std::string_view head);

}  // namespace heddle::trace
