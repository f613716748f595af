#pragma once

#include <span>
#include <string>

#include "common/directory.h"
#include "common/result.h"
#include "core/scenario/scenario.h"
#include "wire/fields.h"

namespace heddle::cli {

/// Returns "results/<scenario>-<policy>-<time>", with the local time as 20260131-235959. The
/// policy's part includes options that are set.
std::string default_out(const Scenario& scenario, const std::string& time);
/// Returns the time of day in this form.
std::string local_time();

/// Returns kUsage if the path exists and is not an empty directory.
Result<void> check_out(const std::string& out);
/// Returns the requested directory after checking it; "": default_out with the current time.
Result<std::string> usable_out(const std::string& asked, const Scenario& scenario);
/// Returns kUsage if the file that `option` names exists. "": no file is named.
Result<void> check_new(const std::string& option, const std::string& file);

/// Makes the directory and returns its path. mkdir(2) checks that it is new, so if two runs begin
/// at the same time only one gets it. If Heddle has `chosen` the name and it is taken, the
/// directory is named out-2, out-3, …. A directory that the user named may exist if it is empty.
Result<std::string> claim_out(const std::string& out, bool chosen);

/// Makes a directory of --out if it does not exist. Error: kMachine.
Result<Directory> make_directory(const std::string& path);

/// Writes logs/ and scenario.yaml into an existing directory. Errors name the path: another run has
/// begun in the directory (kUsage), or it cannot be written (kMachine).
Result<void> make_out(const std::string& out, const Scenario& scenario);

/// Appends a record with its checksum to a journal. A truncated last line is ended first.
Result<void> append_record(const std::string& journal, const wire::Json& record);

/// Derives summary.json from the journal and from `more` records that are not in it, writes it and
/// returns it.
Result<wire::Json> write_summary(const std::string& out, const Scenario& scenario,
                                 std::span<const wire::Json> more = {});

/// Prints the summary: as JSON, or as a table and the place of the results.
void print_summary(const wire::Json& summary, const std::string& out, bool json);

/// Returns the resolved scenario of a result directory. Error: kUsage if `dir` is not a result
/// directory.
Result<Scenario> scenario_of(const std::string& dir);

}  // namespace heddle::cli
