#pragma once

#include <string>
#include <vector>

#include "common/directory.h"
#include "common/fd.h"
#include "common/result.h"
#include "core/scenario/scenario.h"
#include "wire/fields.h"

namespace heddle::cli {

/// Returns "results/<scenario>-<policy>-<time>". `time` is in the form of local_time(). The part
/// for the policy includes the options that are set.
std::string default_out(const Scenario& scenario, const std::string& time);
/// Returns the local date and time in the form 20260131-235959.
std::string local_time();

/// Returns kUsage if the path exists and is not an empty directory.
Result<void> check_out(const std::string& out);
/// Returns the requested directory after checking it. If `asked` is "", returns default_out with
/// the current time.
Result<std::string> usable_out(const std::string& asked, const Scenario& scenario);
/// Returns kUsage if `file`, the argument of `option`, exists. If `file` is "", does nothing.
Result<void> check_new(const std::string& option, const std::string& file);

/// Makes the directory and returns its path. mkdir(2) checks that the directory is new. Therefore,
/// if two runs begin at the same time, only one of them gets the directory. If Heddle has `chosen`
/// the name and the directory exists, the directory is named out-2, out-3, …. If the user has named
/// the directory, an empty one is allowed to exist.
Result<std::string> claim_out(const std::string& out, bool chosen);

/// Makes a directory of --out if it does not exist. Error: kMachine.
Result<Directory> make_directory(const std::string& path);

/// Locks a directory of results while this process writes to it (lock_directory), so that
/// `heddle ls` lists it as running and `heddle rm` does not remove it. Error (kUsage): another
/// process writes to the directory.
Result<Fd> lock_out(const std::string& out);

/// Writes logs/ and scenario.yaml into an existing directory. Errors name the path: another run has
/// begun in the directory (kUsage), or the directory cannot be written (kMachine).
Result<void> make_out(const std::string& out, const Scenario& scenario, const std::string& mode);

/// Appends a record with its checksum to a journal, and syncs the journal. If the last line is
/// truncated, ends that line first.
Result<void> append_record(const std::string& journal, const wire::Json& record);

/// Returns whether the scenario has so many tasks (more than 20 000) that a simulation compresses
/// its journal, writes an index of the containers, and measures less often.
bool is_large(const Scenario& scenario);

/// Prints the summary as JSON, or as a table followed by the place of the results.
void print_summary(const wire::Json& summary, const std::string& out, bool json);

/// Says on standard error for each of these files of a result that is read why it is unverified
/// (report::doubts), unless a process writes the result now. Returns what it has said.
std::vector<std::string> say_doubts(const std::string& dir, const std::vector<std::string>& names);

/// Returns the resolved scenario of a result directory, with the policy that the run had
/// (wire::take_recorded). Says doubts about the scenario, the journal, the summary and the files
/// `also_read`. Error: kUsage if `dir` is not a result directory.
Result<Scenario> scenario_of(const std::string& dir,
                             const std::vector<std::string>& also_read = {});
/// Does the same and says no doubts.
Result<Scenario> unchecked_scenario_of(const std::string& dir);

/// Says if the summary that was made from the run's journal and the written summary contradict each
/// other (report::contradiction). Returns what it has said, or "".
std::string say_contradiction(const std::string& dir, const wire::Json& of_journal);

}  // namespace heddle::cli
