#pragma once

#include "trace/import/formats.h"

namespace heddle::trace {

/// Reads the input of YARN's Scheduler Load Simulator (hadoop-tools/hadoop-sls): a sequence of JSON
/// objects, one per job. An object with `num.nodes` describes the cluster.
///
/// Tasks of one type with the same request and the same priority become a phase. Phases of reduces
/// begin when the phases of maps are complete. Containers of application masters are left out.
Imported import_sls(std::vector<Input>& files, const ImportOptions& options, JobCollection& jobs,
                    ImportReport& report);
bool is_sls(std::string_view head);

}  // namespace heddle::trace
