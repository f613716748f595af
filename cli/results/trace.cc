#include "trace/trace.h"

#include <cerrno>
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

}  // namespace

Result<int> trace_command(const TraceOptions& options) {
  Result<Scenario> scenario = scenario_of(options.dir);
  if (!scenario) return std::move(scenario).error();
  HEDDLE_TRY(check_new("--out", options.out));
  HEDDLE_TRY(check_new("--efficiency", options.efficiency));
  const std::string out = options.out.empty() ? options.dir + "/trace.jsonl" : options.out;
  const std::string efficiency =
      options.efficiency.empty() ? options.dir + "/efficiency.json" : options.efficiency;
  Result<report::JournalReader> journal = report::JournalReader::open(journal_path(options.dir));
  if (!journal) return std::move(journal).error();
  Result<report::JournalReader> samples = report::JournalReader::open(samples_path(options.dir));
  if (!samples) say("warning: " + samples.error().text + ": usage is known only as a whole");
  Result<report::WholeFile> whole = report::WholeFile::create(out);
  if (!whole) return std::move(whole).error();
  TraceFile file(*std::move(whole));
  trace::TraceBuilder builder(*scenario, [&](const wire::Json& line) { file.add(line); });
  HEDDLE_TRY(trace::build_trace(*journal, samples ? &*samples : nullptr, builder));
  HEDDLE_TRY(file.finish());
  const wire::Json distributions = builder.efficiency().json();
  HEDDLE_TRY(replace_file(efficiency, distributions.dump() + "\n"));
  const wire::Json told = {{"trace", out},
                           {"efficiency", efficiency},
                           {"jobs", builder.jobs()},
                           {"containers", builder.containers()},
                           {"overall", distributions["overall"]}};
  if (options.json)
    std::cout << told.dump(2) << '\n';
  else
    std::cout << builder.efficiency().table() << "\ntrace: " << out
              << "\nefficiency: " << efficiency << '\n';
  return kExitDone;
}

}  // namespace heddle::cli
