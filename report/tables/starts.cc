#include "report/tables/starts.h"

#include <algorithm>
#include <optional>
#include <unordered_map>
#include <vector>

#include "report/job_outcome.h"
#include "report/journal_reader.h"
#include "report/table.h"
#include "report/whole_file.h"
#include "wire/fields.h"
#include "wire/json_text.h"
#include "wire/values.h"
#include "yaml/limits.h"

namespace heddle::report {
namespace {

using wire::Fields;
using wire::Json;

struct Row {
  JobOutcome job;  ///< only its times and its final state
  Millicores held, most;
};

/// Follows the jobs of a run. A record can stand for the containers of several tasks.
class Starts {
 public:
  explicit Starts(const Scenario& scenario) : scenario_(scenario), rows_(scenario.jobs.size()) {}

  Result<void> add(const Json& record) {
    try {
      const Fields fields(record, "record");
      const std::string type = fields.text("type");
      if (type == "launch") launch(fields);
      if (type == "container_started") started(fields);
      if (type == "container_ended") ended(fields);
      if (type == "job_finished") finished(fields);
    } catch (const wire::BadField& bad) {
      return aborted_error(bad.text);
    }
    return {};
  }

  void write(std::ostream& out) const {
    out << "job,submit_s,start_s,end_s,processors\n";
    for (std::size_t i = 0; i < rows_.size(); ++i) {
      const Row& row = rows_[i];
      out << csv_text(scenario_.jobs[i].name) << ',' << text_of(scenario_.jobs[i].submit) << ','
          << text_of(row.job.start) << ',' << text_of(finish_of(row.job)) << ','
          << wire::JsonText().add(row.most).take() << '\n';
    }
  }

 private:
  struct Containers {
    std::size_t job = 0;
    Millicores cores;  ///< of all of them
  };

  std::size_t job_in(const Fields& record) const {
    return static_cast<std::size_t>(record.integer("job", 0, std::ssize(rows_) - 1));
  }

  void launch(const Fields& record) {
    const std::size_t job = job_in(record);
    const std::vector<PhaseSpec>& phases = scenario_.jobs[job].phases;
    if (phases[record.integer("phase", 0, std::ssize(phases) - 1)].kind == PhaseKind::kAm) return;
    Millicores cores;
    wire::get(record, "cores", cores);
    if (record.has("count")) cores = cores * record.integer("count", 1, kMaxTasks);
    alive_[record.integer("container", 0, INT64_MAX)] = {job, cores};
    Row& row = rows_[job];
    row.held += cores;
    row.most = std::max(row.most, row.held);
  }

  void started(const Fields& record) {
    const auto found = alive_.find(record.integer("container", 0, INT64_MAX));
    if (found == alive_.end()) return;
    const EmuTime at = wire::time_field(record, "t");
    std::optional<EmuTime>& start = rows_[found->second.job].job.start;
    start = std::min(start.value_or(at), at);
  }

  void ended(const Fields& record) {
    const auto found = alive_.find(record.integer("container", 0, INT64_MAX));
    if (found == alive_.end()) return;
    Row& row = rows_[found->second.job];
    row.held -= found->second.cores;
    if (record.text("outcome") == "completed") {
      const EmuTime at = wire::time_field(record, "t");
      row.job.last_end = std::max(row.job.last_end.value_or(at), at);
    }
    alive_.erase(found);
  }

  void finished(const Fields& record) {
    JobOutcome& job = rows_[job_in(record)].job;
    job.final_state = record.text("state");
    job.finished = wire::time_field(record, "t");
  }

  static std::string text_of(std::optional<EmuTime> time) {
    return time ? wire::JsonText().add(*time).take() : "";
  }

  const Scenario& scenario_;
  std::vector<Row> rows_;
  std::unordered_map<std::int64_t, Containers> alive_;
};

}  // namespace

Result<void> write_starts(const Scenario& scenario, const std::string& journal,
                          const std::string& path) {
  Result<JournalReader> reader = JournalReader::open(journal);
  if (!reader) return std::move(reader).error();
  reader->keep_counted();
  std::vector<std::string> skipped;
  for (const char* type : {"heartbeat", "policy_state", "job_submitted", "node_registered",
                           "inputs_ready", "reserve", "unreserve", "released"})
    skipped.push_back(std::string(R"({"type":")") + type + "\",");
  reader->skip(std::move(skipped));
  Starts starts(scenario);
  HEDDLE_TRY(reader->each([&](const Json& record) { return starts.add(record); }));
  return write_whole(path, [&](std::ostream& out) -> Result<void> {
    starts.write(out);
    return {};
  });
}

}  // namespace heddle::report
