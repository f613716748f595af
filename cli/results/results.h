#pragma once

#include <span>
#include <string>

#include "common/directory.h"
#include "common/result.h"
#include "core/scenario/scenario.h"
#include "wire/fields.h"

namespace heddle::cli {

/// "results/<scenario>-<policy>-<time>", time as 20260131-235959, local. With options set the
/// policy's part has them too.
std::string default_out(const Scenario& scenario, const std::string& time);
/// The time of day for it.
std::string local_time();

/// kUsage if the path is there and not an empty directory.
Result<void> check_out(const std::string& out);
/// The directory that was asked for, checked; "": default_out, now.
Result<std::string> usable_out(const std::string& asked, const Scenario& scenario);
/// kUsage if a file that `option` names is there already. "": none is named.
Result<void> check_new(const std::string& option, const std::string& file);

/// Makes the directory and returns its path. mkdir(2) is the check that it is new, so that of two
/// runs that begin at once only one gets it. If Heddle has `chosen` the name and it is taken, the
/// directory is called out-2, out-3, …; a name that the user gave may be an empty directory.
Result<std::string> claim_out(const std::string& out, bool chosen);

/// Makes a directory that --out leads to, where it is not there. Error: kMachine.
Result<Directory> make_directory(const std::string& path);

/// Fills a directory that is there with logs/ and scenario.yaml. Errors name the path: another run
/// has begun in the directory (kUsage), it can't be written (kMachine).
Result<void> make_out(const std::string& out, const Scenario& scenario);

/// Appends a record to a journal, with its checksum; a last line that was cut off is ended first.
Result<void> append_record(const std::string& journal, const wire::Json& record);

/// Derives summary.json from the journal, and from `more` records that are not in it, and writes
/// it; gives it.
Result<wire::Json> write_summary(const std::string& out, const Scenario& scenario,
                                 std::span<const wire::Json> more = {});

/// To standard output: as JSON, or as a table and where the results are.
void print_summary(const wire::Json& summary, const std::string& out, bool json);

/// The resolved scenario of a result directory. Errors: kUsage if it is none.
Result<Scenario> scenario_of(const std::string& dir);

}  // namespace heddle::cli
