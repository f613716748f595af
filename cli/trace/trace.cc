#include "trace/trace.h"

#include <cstdint>
#include <iostream>

#include "cli/base/exit_status.h"
#include "cli/results/results.h"
#include "cli/trace/commands.h"
#include "common/file.h"
#include "common/result_files.h"
#include "report/manifest.h"
#include "report/whole_file.h"

namespace heddle::cli {
Result<int> trace_command(const TraceOptions& options) {
  Result<Scenario> scenario = scenario_of(options.dir, {kSamplesFile});
  if (!scenario) return std::move(scenario).error();
  HEDDLE_TRY(check_new("--out", options.out));
  HEDDLE_TRY(check_new("--efficiency", options.efficiency));
  const std::string out = options.out.empty() ? options.dir + "/" + kTraceFile : options.out;
  const std::string efficiency =
      options.efficiency.empty() ? options.dir + "/" + kEfficiencyFile : options.efficiency;
  Result<report::JournalReader> journal = report::JournalReader::open(journal_of(options.dir));
  if (!journal) return std::move(journal).error();
  Result<report::JournalReader> samples = report::JournalReader::open(samples_path(options.dir));
  if (!samples)
    say("warning: " + samples.error().text + ": only the total usage of each container is known");
  report::AllocationEfficiency used;
  std::int64_t jobs = 0, containers = 0;
  const auto write = [&](std::ostream& file) -> Result<void> {
    trace::TraceBuilder builder(*scenario, [&file](const wire::Json& line) {
      file << line.dump(-1, ' ', false, wire::Json::error_handler_t::replace) << '\n';
    });
    HEDDLE_TRY(trace::build_trace(*journal, samples ? &*samples : nullptr, builder));
    used = builder.efficiency();
    jobs = builder.jobs();
    containers = builder.containers();
    return {};
  };
  HEDDLE_TRY(report::write_whole(out, write));
  if (journal->cut())
    say("warning: the journal of " + options.dir +
        " is cut off; what is missing there is missing in the trace");
  const wire::Json distributions = used.json();
  HEDDLE_TRY(replace_file(efficiency, distributions.dump() + "\n"));
  std::vector<std::string> made;
  if (options.out.empty()) made.emplace_back(kTraceFile);
  if (options.efficiency.empty()) made.emplace_back(kEfficiencyFile);
  HEDDLE_TRY(report::note_files(options.dir, made));
  const wire::Json told = {{"trace", out},
                           {"efficiency", efficiency},
                           {"jobs", jobs},
                           {"containers", containers},
                           {"overall", distributions["overall"]}};
  if (options.json)
    std::cout << told.dump(2) << '\n';
  else
    std::cout << used.table() << "\ntrace: " << out << "\nefficiency: " << efficiency << '\n';
  return kExitDone;
}

}  // namespace heddle::cli
