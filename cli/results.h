#pragma once

#include <optional>
#include <span>
#include <string>

#include "common/result.h"
#include "common/wire/fields.h"
#include "core/scenario/scenario.h"

namespace heddle {

/// "results/<scenario>-<policy>-<time>", time as 20260131-235959, local. With options set the
/// policy's part has them too.
std::string default_out(const Scenario& scenario, const std::string& time);
/// The time of day for it.
std::string local_time();

/// kUsage if the path is there and not an empty directory.
Result<void> check_out(const std::string& out);

/// Makes the directory with logs/ and scenario.yaml. Errors (kMachine) name the path.
Result<void> make_out(const std::string& out, const Scenario& scenario);

/// Appends a record to a journal; a last line that was cut off is ended first.
Result<void> append_record(const std::string& journal, const wire::Json& record);

/// Derives summary.json from the journal, and from `more` records that are not in it, and writes
/// it; gives it.
Result<wire::Json> write_summary(const std::string& out, const Scenario& scenario,
                                 std::span<const wire::Json> more = {});

/// To standard output: as JSON, or as a table and where the results are.
void print_summary(const wire::Json& summary, const std::string& out, bool json);

/// The resolved scenario of a result directory. Errors: kUsage if it is none.
Result<Scenario> scenario_of(const std::string& dir);

}  // namespace heddle
