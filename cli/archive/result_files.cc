#include "cli/archive/result_files.h"

#include <fcntl.h>

#include <algorithm>
#include <filesystem>
#include <set>

#include "cli/archive/part_plan.h"
#include "cli/batch/plan/cell_record.h"
#include "cli/results/results.h"
#include "common/file.h"
#include "common/result_files.h"
#include "common/text.h"
#include "core/resolve.h"
#include "host/scratch_directory.h"
#include "report/archive/reproduction.h"
#include "report/catalog.h"
#include "report/comparison/format.h"
#include "report/history.h"
#include "report/manifest.h"
#include "report/simulated.h"
#include "report/table.h"
#include "report/tables/export.h"
#include "report/tables/sqlite.h"
#include "workloads/scenario_file.h"

namespace heddle::cli {
namespace {

using report::ArchivedPart;
using report::ArchivedResult;
using report::ResultKind;
using wire::Json;

constexpr const char* kJobColumns[] = {"name",         "class",   "user",     "queue",
                                       "submit_s",     "start_s", "finish_s", "waiting_s",
                                       "completion_s", "state"};

/// Adds a file of a result as it is.
Result<void> copy_file(const Directory& directory, const std::string& name,
                       const std::string& place, ArchiveContents& contents) {
  Result<std::string> text = text_of_file(directory, name);
  if (!text) return std::move(text).error();
  contents.files.push_back({place + "/" + name, *std::move(text)});
  return {};
}

/// Returns a line of CSV for each job of a summary. `before`: fields at the beginning.
std::string job_lines(const Json& summary, const std::string& before) {
  std::string text;
  for (const Json& job : summary.value("jobs", Json::array())) {
    if (!job.is_object()) continue;
    text += before;
    for (const char* column : kJobColumns) {
      const Json value = job.value(column, Json());
      if (column != kJobColumns[0]) text += ",";
      if (value.is_string()) text += report::csv_text(value.get<std::string>());
      if (value.is_number()) text += value.dump();
    }
    text += "\n";
  }
  return text;
}

std::string job_header(const std::string& before) {
  std::vector<std::string> columns(std::begin(kJobColumns), std::end(kJobColumns));
  return before + join(columns, ",") + "\n";
}

/// Adds the tables of a run as CSV. Large runs and runs without a journal have only the jobs.
Result<void> add_tables(const Directory& directory, const Json& summary, const std::string& place,
                        ArchiveContents& contents) {
  std::error_code error;
  const std::string& dir = directory.path();
  const Result<Scenario> scenario = unchecked_scenario_of(dir);
  if (!scenario || is_large(*scenario)) {
    contents.files.push_back({place + "/csv/jobs.csv", job_header("") + job_lines(summary, "")});
    return {};
  }
  const Result<report::RunHistory> history = report::read_history(dir, *scenario);
  if (!history) return history.error();
  const Result<host::ScratchDirectory> scratch = host::ScratchDirectory::create();
  if (!scratch) return scratch.error();
  const std::string tables = *scratch / kTablesFile, csv = *scratch / "csv";
  HEDDLE_TRY(report::write_sqlite(*history, dir, tables));
  const Result<Directory> made = Directory::make(csv);
  if (!made) return made.error();
  HEDDLE_TRY(report::export_csv(tables, csv));
  const Result<std::vector<std::string>> names = made->names();
  if (!names) return names.error();
  for (const std::string& name : *names)
    HEDDLE_TRY(copy_file(*made, name, place + "/csv", contents));
  return {};
}

/// Returns the headlines of a run as a Markdown table.
Result<std::string> run_table(const Json& summary) {
  const Result<std::vector<report::ResultFigure>> figures = report::figures_of_run(summary);
  if (!figures) return figures.error();
  std::vector<std::vector<std::string>> rows;
  for (const report::ResultFigure& figure : *figures)
    if (figure.headline)
      rows.push_back(
          {figure.title + ", " + figure.unit,
           report::number_cell(figure.values[0] ? Json(*figure.values[0]) : Json(), "{:.6g}")});
  return report::markdown_table({{"figure"}, {"value", true}}, rows);
}

/// Returns where the makespan and the mean completion of a real run are expected if delays differ.
/// Empty if the simulation is no prediction.
std::map<std::string, report::ExpectedRange> ranges_of(const Scenario& scenario) {
  std::map<std::string, report::ExpectedRange> ranges;
  if (scenario.policy.external || !unknown_work(scenario).empty()) return ranges;
  for (int key = 0; key <= report::kVariations; ++key) {
    report::SimulatedParts parts;
    if (key > 0) parts.variation = sim::Variation(static_cast<std::uint64_t>(key));
    const Result<Json> summary = report::simulated_summary(scenario, std::move(parts));
    if (!summary) return {};
    for (const char* figure : {"makespan_s", "mean_completion_s"}) {
      const Json value = summary->value(figure, Json());
      if (!value.is_number()) continue;
      const auto seconds = value.get<double>();
      const auto [range, fresh] =
          ranges.try_emplace(figure, report::ExpectedRange{seconds, seconds});
      range->second.least = std::min(range->second.least, seconds);
      range->second.most = std::max(range->second.most, seconds);
    }
  }
  return ranges;
}

Result<void> add_run(const Directory& directory, ArchivedPart& part, ArchiveContents& contents) {
  for (const char* name : {kScenarioFile, kSummaryFile})
    HEDDLE_TRY(copy_file(directory, name, part.directory, contents));
  const Result<Json> summary = json_of_file(directory, kSummaryFile);
  if (!summary) return summary.error();
  const Result<BatchPlan> plan = plan_of_part(directory, part.kind, part.simulated);
  if (!plan) return plan.error();
  const Result<CheckedScenario> scenario = workloads::read_scenario_text(plan->text, plan->file);
  if (!scenario) return scenario.error();
  const std::optional<ExternalSpec>& external = scenario->scenario.policy.external;
  HEDDLE_TRY(check_startable(scenario->scenario.policy));
  if (external)
    HEDDLE_TRY(
        contents.programs.take(external->program, directory.path() + "/policy", external->sha256));
  if (!part.simulated) part.ranges = ranges_of(scenario->scenario);
  HEDDLE_TRY(put(run_table(*summary), contents.tables[part.directory]));
  return add_tables(directory, *summary, part.directory, contents);
}

/// Reads the records of a batch in the order of their names.
Result<std::vector<CellRecord>> read_records(const Directory& directory,
                                             std::vector<std::string>& texts) {
  const Result<Directory> cells = directory.enter(kCellsDirectory);
  if (!cells) return cells.error();
  const Result<std::vector<std::string>> names = cells->names();
  if (!names) return names.error();
  std::vector<CellRecord> records;
  for (const std::string& name : *names) {
    if (!name.ends_with(".json") || name.ends_with(".failed.json")) continue;
    Result<std::string> text = text_of_file(*cells, name);
    if (!text) return std::move(text).error();
    Result<CellRecord> record = read_record(*text, cells->path() + "/" + name);
    if (!record) return std::move(record).error();
    records.push_back(*std::move(record));
    texts.push_back(*std::move(text));
  }
  return records;
}

/// Takes the programs of a batch. Their checksums are in the records.
Result<void> take_programs(const Directory& directory, const BatchPlan& plan,
                           const std::vector<CellRecord>& records, ArchiveContents& contents) {
  for (const Variant& variant : plan.variants) {
    BatchPlan one = plan;
    one.variants = {variant};
    const Result<std::vector<std::string>> programs = programs_of(one);
    if (!programs) return programs.error();
    for (const std::string& program : *programs) {
      const auto record = std::ranges::find(records, variant.name, &CellRecord::variant);
      HEDDLE_TRY(contents.programs.take(program,
                                        directory.path() + "/" + cell_name(one, {0, 0}) + "/policy",
                                        record == records.end() ? "" : record->program));
    }
  }
  return {};
}

Result<void> add_batch_tables(const Json& batch, const std::vector<CellRecord>& records,
                              const std::string& place, ArchiveContents& contents) {
  try {
    contents.files.push_back(
        {place + "/csv/metrics.csv", report::format_batch(batch, report::BatchFormat::kCsv)});
    contents.files.push_back(
        {place + "/csv/values.csv", report::format_batch(batch, report::BatchFormat::kValues)});
    contents.tables[place] = report::format_batch(batch, report::BatchFormat::kMarkdown);
  } catch (const Json::exception& wrong) {
    return usage_error(place + ": the comparison or sweep is damaged: " + wrong.what());
  }
  std::string jobs;
  for (const CellRecord& record : records)
    if (record.summary)
      jobs += job_lines(*record.summary, report::csv_text(record.variant) + "," +
                                             std::to_string(record.repeat + 1) + "," +
                                             std::to_string(record.seed) + ",");
  if (!jobs.empty())
    contents.files.push_back({place + "/csv/jobs.csv", job_header("series,repeat,seed,") + jobs});
  return {};
}

Result<void> add_batch(const Directory& directory, ArchivedPart& part, ArchiveContents& contents) {
  const std::string file = std::string(report::name_of(part.kind)) + ".json";
  for (const std::string& name : {std::string(kPlanFile), std::string(kPlanScenario), file})
    HEDDLE_TRY(copy_file(directory, name, part.directory, contents));
  const Result<Json> batch = json_of_file(directory, file);
  if (!batch) return batch.error();
  const Result<BatchPlan> plan = plan_of_part(directory, part.kind, part.simulated);
  if (!plan) return plan.error();
  std::vector<std::string> texts;
  const Result<std::vector<CellRecord>> records = read_records(directory, texts);
  if (!records) return records.error();
  contents.files.push_back({part.directory + "/" + report::kArchivedRecords, join(texts, "")});
  HEDDLE_TRY(take_programs(directory, *plan, *records, contents));
  return add_batch_tables(*batch, *records, part.directory, contents);
}

Result<void> add_part(const Directory& directory, ArchivedPart part, ArchivedResult& result,
                      ArchiveContents& contents) {
  const Result<void> added = part.kind == ResultKind::kRun ? add_run(directory, part, contents)
                                                           : add_batch(directory, part, contents);
  if (!added) return added;
  for (const std::string& doubt :
       say_doubts(directory.path(),
                  part.kind == ResultKind::kRun
                      ? std::vector<std::string>{kScenarioFile, kSummaryFile}
                      : std::vector<std::string>{kPlanFile, kPlanScenario,
                                                 std::string(name_of(part.kind)) + ".json"}))
    result.doubts.push_back(doubt);
  result.parts.push_back(std::move(part));
  return {};
}

/// Adds the comparisons of an experiment.
Result<void> add_experiment(const Directory& directory, const std::string& place,
                            ArchivedResult& result, ArchiveContents& contents) {
  HEDDLE_TRY(copy_file(directory, kClaimsFile, place, contents));
  const Result<std::vector<std::string>> names = directory.names();
  if (!names) return names.error();
  for (const std::string& name : *names) {
    const Result<Directory> below = directory.enter(name);
    if (!below || !below->open_file(kComparisonFile, O_RDONLY)) continue;
    const Result<Json> comparison = json_of_file(*below, kComparisonFile);
    if (!comparison) return comparison.error();
    HEDDLE_TRY(add_part(*below,
                        {place + "/" + name, ResultKind::kCompare,
                         comparison->value("mode", Json()) == "simulated"},
                        result, contents));
  }
  return {};
}

}  // namespace

Result<void> add_result(const Directory& directory, const std::string& name,
                        ArchiveContents& contents) {
  const std::optional<report::ResultEntry> entry = report::result_in(directory);
  if (!entry)
    return usage_error(directory.path() +
                       ": is no result; expected the directory of a run, comparison, sweep or "
                       "experiment (heddle ls lists them)");
  if (entry->state != report::ResultState::kDone && entry->state != report::ResultState::kFailed)
    return usage_error(directory.path() + ": is " + std::string(name_of(entry->state)) +
                       "; expected a result that has ended, and whose runs are all there");
  const std::string place = "results/" + name;
  ArchivedResult result;
  result.name = name;
  result.kind = entry->kind;
  result.scenario = entry->scenario;
  result.mode = entry->mode;
  result.policies = entry->policies;
  result.written_s = entry->written_s;
  result.real_s = entry->real_s;
  if (const std::optional<report::Manifest> manifest = report::read_manifest(directory)) {
    result.version = manifest->version;
    result.command = manifest->command;
    HEDDLE_TRY(copy_file(directory, kManifestFile, place, contents));
  }
  if (entry->kind == ResultKind::kExperiment)
    HEDDLE_TRY(add_experiment(directory, place, result, contents));
  else
    HEDDLE_TRY(
        add_part(directory, {place, entry->kind, entry->mode == "simulated"}, result, contents));
  contents.manifest.results.push_back(std::move(result));
  return {};
}

}  // namespace heddle::cli
