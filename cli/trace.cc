#include "cli/trace.h"

#include <cerrno>
#include <filesystem>
#include <fstream>
#include <iostream>
#include <utility>

#include "cli/exit_status.h"
#include "cli/results.h"
#include "common/file.h"
#include "report/trace.h"
#include "report/whole_file.h"

namespace heddle {
namespace {

/// The trace, line by line.
class TraceFile {
 public:
  explicit TraceFile(WholeFile file)
      : file_(std::move(file)), out_(file_.beside(), std::ios::binary | std::ios::trunc) {}

  void add(const wire::Json& line) {
    out_ << line.dump(-1, ' ', false, wire::Json::error_handler_t::replace) << '\n';
  }
  Result<void> finish() {
    out_.close();
    if (!out_) return system_error("write " + file_.path(), errno);
    return file_.put_in_place();
  }

 private:
  WholeFile file_;
  std::ofstream out_;
};

/// Where it goes; what was asked for by name may not be there.
Result<std::string> place(const std::string& asked, const std::string& option,
                          const std::string& otherwise) {
  if (asked.empty()) return otherwise;
  std::error_code error;
  if (std::filesystem::exists(asked, error))
    return usage_error(option + " " + asked + ": is there already; files are never overwritten");
  return asked;
}

Result<JournalReader> samples_of(const std::string& dir) {
  return JournalReader::open(dir + "/samples.jsonl");
}

Result<int> trace(const TraceOptions& options) {
  Result<Scenario> scenario = scenario_of(options.dir);
  if (!scenario) return std::move(scenario).error();
  Result<std::string> out = place(options.out, "--out", options.dir + "/trace.jsonl");
  if (!out) return std::move(out).error();
  Result<std::string> efficiency =
      place(options.efficiency, "--efficiency", options.dir + "/efficiency.json");
  if (!efficiency) return std::move(efficiency).error();
  Result<JournalReader> journal = JournalReader::open(options.dir + "/journal.jsonl");
  if (!journal) return std::move(journal).error();
  Result<JournalReader> samples = samples_of(options.dir);
  if (!samples) say("warning: " + samples.error().text + ": usage is known only as a whole");
  Result<WholeFile> whole = WholeFile::create(*out);
  if (!whole) return std::move(whole).error();
  TraceFile file(*std::move(whole));
  TraceBuilder builder(*scenario, [&](const wire::Json& line) { file.add(line); });
  HEDDLE_TRY(build_trace(*journal, samples ? &*samples : nullptr, builder));
  HEDDLE_TRY(file.finish());
  const wire::Json distributions = builder.efficiency().json();
  HEDDLE_TRY(replace_file(*efficiency, distributions.dump() + "\n"));
  const wire::Json told = {{"trace", *out},
                           {"efficiency", *efficiency},
                           {"jobs", builder.jobs()},
                           {"containers", builder.containers()},
                           {"overall", distributions["overall"]}};
  if (options.json)
    std::cout << told.dump(2) << '\n';
  else
    std::cout << builder.efficiency().table() << "\ntrace: " << *out
              << "\nefficiency: " << *efficiency << '\n';
  return kExitDone;
}

}  // namespace

int trace_command(const TraceOptions& options) {
  Result<int> status = trace(options);
  return status ? *status : fail(status.error());
}

}  // namespace heddle
