#include "report/history.h"

#include <algorithm>
#include <filesystem>

#include "common/file.h"
#include "common/result_files.h"
#include "report/journal_reader.h"
#include "wire/values.h"

namespace heddle::report {
namespace {

using wire::BadField;
using wire::Fields;
using wire::Json;

/// Beginning of heartbeat lines, which are skipped. Most lines of a journal are heartbeats, and no
/// row is made from them.
constexpr const char* kHeartbeats = R"({"type":"heartbeat",)";

/// Copies the cost of a simulation and the host from the summary that the simulation has written.
/// The journal does not have them, because each simulation of the scenario must write exactly the
/// same journal.
void take_cost(const std::string& dir, Json& summary) {
  if (summary["mode"] != "simulated") return;
  const Result<std::string> text = read_found_file(summary_path(dir), kMostResultBytes);
  const Json written = text ? wire::parse_json(*text) : Json();
  if (!written.is_object()) return;
  for (const char* key : {"host", "overhead"})
    if (const auto it = written.find(key); it != written.end() && it->is_object())
      summary[key] = *it;
}

}  // namespace

Result<RunHistory> read_history(const std::string& dir, Scenario scenario, bool decisions,
                                std::atomic<std::int64_t>* bytes) {
  RunHistory history;
  history.scenario = std::move(scenario);
  history.keep_decisions = decisions;
  Result<JournalReader> journal = JournalReader::open(journal_of(dir), bytes);
  if (!journal) return std::move(journal).error();
  journal->skip({kHeartbeats});
  SummaryBuilder builder(history.scenario, &history);
  HEDDLE_TRY(journal->each([&](const Json& record) { return builder.add(record); }));
  builder.finish();
  history.cut = journal->cut();
  history.end = builder.totals().last;
  history.run = builder.totals().run.value_or(Json());
  history.summary = builder.summary();
  take_cost(dir, history.summary);
  std::sort(history.attempts.begin(), history.attempts.end(),
            [](const auto& a, const auto& b) { return a.container < b.container; });
  std::sort(history.reservations.begin(), history.reservations.end(),
            [](const auto& a, const auto& b) {
              return std::tie(a.span.from, a.node) < std::tie(b.span.from, b.node);
            });
  return history;
}

AttemptRow RunHistory::indexed_row(const IndexedContainer& entry) const {
  AttemptRow row = row_of(entry);
  // The index has no counted resources. A container that was shrunk has all of these.
  row.held.counts = phase(row.phase).request.counts;
  if (const auto spans = suspended.find(row.container); spans != suspended.end())
    row.suspended = spans->second;
  if (const auto of = kept.find(row.container); of != kept.end()) {
    row.kept = true;
    row.released = of->second;
  }
  return row;
}

void RunHistory::index_attempts() {
  indexed.reserve(attempts.size());
  for (AttemptRow& row : attempts) {
    indexed.push_back(heddle::report::indexed(row));
    if (row.kept) kept[row.container] = row.released;
    if (!row.suspended.empty()) suspended[row.container] = std::move(row.suspended);
  }
  attempts = {};
}

std::optional<EmuTime> time_of(const Json& seconds) {
  return seconds.is_number() ? std::optional(emu_seconds(seconds.get<double>())) : std::nullopt;
}

EmuTime eligible_of(const Json& job) {
  const EmuTime submit = time_of(job.at("submit_s")).value_or(EmuTime(0));
  return time_of(job.value("eligible_s", Json())).value_or(submit);
}

Result<UsageSample> sample_from(const Json& line, const Scenario& scenario) {
  try {
    const Fields fields(line, "sample");
    UsageSample sample;
    sample.at = wire::time_field(fields, "t");
    sample.node = NodeId{fields.integer("node", 0, std::ssize(scenario.cluster.nodes) - 1)};
    sample.cores = fields.number("cpu_cores", 0, 1e9);
    sample.memory = EmuBytes(fields.integer("memory", 0, INT64_MAX));
    sample.containers = wire::containers_from(fields, "containers");
    return sample;
  } catch (const BadField& bad) {
    return aborted_error(bad.text);
  }
}

Result<void> each_sample(const std::string& dir, const Scenario& scenario,
                         const std::function<void(const UsageSample&)>& take, bool containers) {
  std::error_code error;
  if (!std::filesystem::exists(samples_path(dir), error)) return {};
  Result<JournalReader> samples = JournalReader::open(samples_path(dir));
  if (!samples) return std::move(samples).error();
  if (!containers) samples->empty_last("containers");
  return samples->each([&](const Json& line) -> Result<void> {
    Result<UsageSample> sample = sample_from(line, scenario);
    if (!sample) return std::move(sample).error();
    take(*sample);
    return {};
  });
}

}  // namespace heddle::report
