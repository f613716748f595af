#pragma once

#include "trace/import/formats.h"

namespace heddle::trace {

/// Reads event logs of Apache Spark (spark.eventLog.enabled), a JSON event on each line. The field
/// names are those of Spark's JsonProtocol. Each application becomes a job. Files of a rolling log
/// can follow each other: a file without a start event continues the application before it.
///
/// Each stage that ran is a phase. Its tasks are the first successful attempts of the stage's
/// tasks, which take from their launch to their finish. A phase comes after its parents and after
/// the stages that were complete when it was submitted, without those that others imply.
///
/// The machines are the hosts of executors, with the most cores that executors had there at the
/// same time.
Imported import_spark(std::vector<Input>& files, const ImportOptions& options, JobCollection& jobs,
                      ImportReport& report);
bool is_spark(std::string_view head);

}  // namespace heddle::trace
