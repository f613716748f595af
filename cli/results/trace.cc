#include "trace/trace.h"

#include <cerrno>
#include <filesystem>
#include <fstream>
#include <iostream>
#include <utility>

#include "cli/base/exit_status.h"
#include "cli/results/commands.h"
#include "cli/results/results.h"
#include "common/file.h"
#include "common/result_files.h"
#include "report/whole_file.h"

namespace heddle::cli {
namespace {

/// The trace, line by line.
class TraceFile {
 public:
  explicit TraceFile(report::WholeFile file)
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
  report::WholeFile file_;
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

Result<report::JournalReader> samples_of(const std::string& dir) {
  return report::JournalReader::open(samples_path(dir));
}

Result<int> trace(const TraceOptions& options) {
  Result<Scenario> scenario = scenario_of(options.dir);
  if (!scenario) return std::move(scenario).error();
  Result<std::string> out = place(options.out, "--out", options.dir + "/trace.jsonl");
  if (!out) return std::move(out).error();
  Result<std::string> efficiency =
      place(options.efficiency, "--efficiency", options.dir + "/efficiency.json");
  if (!efficiency) return std::move(efficiency).error();
  Result<report::JournalReader> journal = report::JournalReader::open(journal_path(options.dir));
  if (!journal) return std::move(journal).error();
  Result<report::JournalReader> samples = samples_of(options.dir);
  if (!samples) say("warning: " + samples.error().text + ": usage is known only as a whole");
  Result<report::WholeFile> whole = report::WholeFile::create(*out);
  if (!whole) return std::move(whole).error();
  TraceFile file(*std::move(whole));
  trace::TraceBuilder builder(*scenario, [&](const wire::Json& line) { file.add(line); });
  HEDDLE_TRY(trace::build_trace(*journal, samples ? &*samples : nullptr, builder));
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

}  // namespace heddle::cli
