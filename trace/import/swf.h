#pragma once

#include "trace/import/formats.h"

namespace heddle::trace {

/// Reads the Standard Workload Format, version 2.2
/// (https://www.cs.huji.ac.il/labs/parallel/workload/swf.html). Each job is rigid: a gang of as
/// many tasks as it has processors, of one core each. Processors are the requested ones, or else
/// the allocated ones.
///
/// The cluster has MaxNodes nodes with MaxProcs cores in all, as the header says. If it says
/// nothing, the cluster has a node of one core for each processor of the largest job.
Imported import_swf(std::vector<Input>& files, const ImportOptions& options, JobCollection& jobs,
                    ImportReport& report);
bool is_swf(std::string_view head);

}  // namespace heddle::trace
