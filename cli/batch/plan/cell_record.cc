#include "cli/batch/plan/cell_record.h"

#include <fmt/core.h>

#include <algorithm>
#include <array>
#include <limits>

#include "common/text.h"
#include "report/comparison/comparison.h"

namespace heddle::cli {
namespace {

using wire::Fields;
using wire::Json;

constexpr int kRecordSchema = 1;
constexpr std::size_t kLongestLine = 1 << 16;
constexpr double kMostSeconds = 1e12;
/// No figure is above this. The largest are in core-seconds and microseconds.
constexpr double kMostValue = 1e18;
constexpr std::array<std::string_view, 2> kStatuses = {"done", "failed"};
/// Members of a summary that no comparison reads.
constexpr std::string_view kUnused[] = {"host", "hosts", "emulation", "fidelity", "resumed"};
/// Columns of jobs that a comparison reads.
struct JobColumn {
  const char* key;
  bool is_text = false;
};
constexpr JobColumn kJobColumns[] = {
    {"name", true}, {"class", true}, {"user", true}, {"queue", true},  {"state", true},
    {"start_s"},    {"finish_s"},    {"waiting_s"},  {"completion_s"}, {"allocated_core_h"}};

Json references_json(const report::JobReferences& references) {
  Json jobs = Json::object();
  for (const auto& [name, job] : references.jobs)
    jobs[name] = Json::array({job.alone_s ? Json(*job.alone_s) : Json(), job.rigid});
  return {{"distinct", references.distinct},
          {"sampled", references.sampled},
          {"jobs", std::move(jobs)}};
}

report::JobReferences references_of(const Fields& fields, const Json& json) {
  report::JobReferences references;
  references.distinct = fields.unsigned_integer("distinct");
  references.sampled = fields.unsigned_integer("sampled");
  const Json& jobs = json.at("jobs");
  if (!jobs.is_object()) fields.bad("jobs", "an object");
  for (const auto& [name, job] : jobs.items()) {
    if (!job.is_array() || job.size() != 2 || !(job[0].is_null() || job[0].is_number()) ||
        !job[1].is_boolean())
      fields.bad("jobs", "[seconds or null, true or false] for each job");
    report::JobReference& one = references.jobs[name];
    if (job[0].is_number()) one.alone_s = job[0].get<double>();
    if (one.alone_s && !(*one.alone_s >= 0 && *one.alone_s <= kMostSeconds))
      fields.bad("jobs", "seconds from 0 to 1e12");
    one.rigid = job[1].get<bool>();
  }
  return references;
}

Json files_json(const PolicyFiles& files) {
  Json json = Json::object();
  for (const auto& [name, sum] : files) json[name] = sum;
  return json;
}

PolicyFiles files_of(const Fields& fields, const Json& json) {
  PolicyFiles files;
  if (!json.is_object()) fields.bad("files", "an object");
  for (const auto& [name, sum] : json.items()) {
    if (!sum.is_string()) fields.bad("files", "texts");
    files.emplace(name, sum.get<std::string>());
  }
  return files;
}

Json figures_json(const CellRecord& record) {
  Json rows = Json::array();
  for (const auto& [group, values] : record.figures) {
    Json row = {{"kind", group.kind}, {"name", group.name}, {"values", Json::object()}};
    for (const auto& [key, value] : values) row["values"][key] = value;
    rows.push_back(std::move(row));
  }
  return rows;
}

/// Checks that the value of a metric is possible. `key`: where the value is.
void check_value(const Fields& fields, const char* key, const std::string& name, double most,
                 double value) {
  if (value >= 0 && value <= std::min(most, kMostValue)) return;
  fields.bad(key,
             fmt::format("{} from 0 to {:g}, got {:g}", name, std::min(most, kMostValue), value));
}

/// Returns the upper bound of the values of a metric.
double most_of(const std::string& key) {
  const auto& metrics = report::comparison_metrics();
  const auto metric = std::ranges::find(metrics, key, &report::ComparisonMetric::key);
  return metric == metrics.end() ? kMostValue : metric->most;
}

void read_figures(const Fields& fields, CellRecord& record) {
  constexpr std::size_t kMostGroups = 10000;
  for (const Json& row : fields.array("figures", kMostGroups)) {
    const Fields group(row, "figures");
    auto& values = record.figures[{group.text("kind"), group.text("name")}];
    (void)group.object("values");
    for (const auto& [key, value] : row.at("values").items()) {
      if (!value.is_number()) group.bad("values", "numbers");
      values[key] = value.get<double>();
      check_value(group, "values", key, most_of(key), values[key]);
    }
  }
}

/// Checks that the times of a summary's jobs, and what the jobs held, are possible.
void check_jobs(const Fields& fields, const char* key, const Json& summary) {
  for (const Json& job : summary.at("jobs")) {
    if (!job.is_object()) fields.bad(key, "a list of jobs");
    for (const JobColumn& column : kJobColumns) {
      const auto it = job.find(column.key);
      if (it == job.end() || it->is_null()) continue;
      const std::string name = std::string(column.key) + " of a job";
      if (column.is_text ? !it->is_string() : !it->is_number())
        fields.bad(key, name + " that is a " + (column.is_text ? "text" : "number"));
      if (!column.is_text) check_value(fields, key, name, kMostSeconds, it->get<double>());
    }
  }
}

/// Returns the summary at `key`, or nullopt if it is null. The checks are those of a summary.json,
/// and its values must be possible.
std::optional<Json> summary_at(const Fields& fields, const Json& json, const char* key) {
  const Json& summary = json.at(key);
  if (summary.is_null()) return std::nullopt;
  try {
    check_jobs(fields, key, summary);
    for (const report::RunFigure& figure : report::figures_of(summary))
      check_value(fields, key, figure.metric->key, figure.metric->most, figure.value);
  } catch (const Json::exception& wrong) {
    fields.bad(key, std::string("a summary (") + wrong.what() + ")");
  }
  return summary;
}

CellRecord decoded(const Json& json) {
  const Fields fields(json, "record");
  CellRecord record;
  (void)fields.integer("schema", kRecordSchema, kRecordSchema);
  record.variant = fields.text("variant", kLongestLine);
  record.repeat = static_cast<int>(fields.integer("repeat", 1, kMostRepeats)) - 1;
  record.seed = fields.unsigned_integer("seed");
  record.scenario = fields.text("scenario");
  if (json.contains("program")) record.program = fields.text("program");
  if (json.contains("files")) record.files = files_of(fields, json.at("files"));
  record.status = kStatuses[fields.word("status", kStatuses)];
  record.host = fields.text("host");
  record.disturbed = fields.flag("disturbed");
  if (!json.at("wall_s").is_null()) record.wall_s = fields.number("wall_s", 0, kMostSeconds);
  record.took_s = fields.number("took_s", 0, kMostSeconds);
  record.alone = fields.flag("alone");
  record.references = references_of(fields.object("references"), json.at("references"));
  record.summary = summary_at(fields, json, "summary");
  record.predicted = summary_at(fields, json, "predicted");
  read_figures(fields, record);
  return record;
}

/// Reads a JSON object with `read`.
template <class Read>
auto read_json(std::string_view text, const std::string& where, const Read& read)
    -> Result<decltype(read(Json()))> {
  const Json json = wire::parse_json(text);
  if (!json.is_object()) return aborted_error(where + ": not the record of a cell");
  try {
    return read(json);
  } catch (const wire::BadField& bad) {
    return aborted_error(where + ": " + bad.text);
  } catch (const Json::exception& wrong) {
    return aborted_error(where + ": " + wrong.what());
  }
}

}  // namespace

Json reduced_summary(const Json& summary) {
  Json reduced = summary;
  for (const std::string_view key : kUnused) reduced.erase(std::string(key));
  Json& jobs = reduced.at("jobs");
  for (Json& job : jobs) {
    Json columns = Json::object();
    for (const JobColumn& column : kJobColumns)
      if (const auto it = job.find(column.key); it != job.end()) columns[column.key] = *it;
    job = std::move(columns);
  }
  return reduced;
}

std::string record_file(const std::string& cell) {
  return std::string(kCellsDirectory) + "/" + cell + ".json";
}

std::string failure_file(const std::string& cell) {
  return std::string(kCellsDirectory) + "/" + cell + ".failed.json";
}

CellRecord record_of(const BatchPlan& plan, const BatchPlace& place, const Json& summary,
                     const report::JobReferences& references) {
  CellRecord record;
  record.variant = plan.variants[place.variant].name;
  record.repeat = place.repeat;
  record.seed = seed_of(plan, place.repeat);
  record.status = summary.at("status").get<std::string>();
  record.disturbed = summary.value("disturbed", Json()) == true;
  const Json overhead = summary.value("overhead", Json());
  if (overhead.is_object() && overhead.value("wall_s", Json()).is_number())
    record.wall_s = overhead["wall_s"].get<double>();
  record.references = references;
  if (plan.kind == "compare") {
    record.summary = reduced_summary(summary);
    return record;
  }
  for (const report::RunFigure& figure : report::figures_of(summary, plan.groups, references))
    record.figures[figure.group][figure.metric->key] = figure.value;
  record.references.jobs.clear();
  return record;
}

std::string write_record(const CellRecord& record) {
  const auto or_null = [](const auto& value) { return value ? Json(*value) : Json(); };
  const Json json = {{"schema", kRecordSchema},
                     {"variant", record.variant},
                     {"repeat", record.repeat + 1},
                     {"seed", record.seed},
                     {"scenario", record.scenario},
                     {"program", record.program},
                     {"files", files_json(record.files)},
                     {"status", record.status},
                     {"host", record.host},
                     {"disturbed", record.disturbed},
                     {"wall_s", or_null(record.wall_s)},
                     {"took_s", record.took_s},
                     {"alone", record.alone},
                     {"references", references_json(record.references)},
                     {"summary", or_null(record.summary)},
                     {"predicted", or_null(record.predicted)},
                     {"figures", figures_json(record)}};
  return json.dump(-1, ' ', false, Json::error_handler_t::replace) + "\n";
}

Result<CellRecord> read_record(std::string_view text, const std::string& where) {
  return read_json(text, where, decoded);
}

std::string write_failure(const CellFailure& failure) {
  const Json json = {{"schema", kRecordSchema},
                     {"host", failure.host},
                     {"exit_status", failure.status},
                     {"reason", failure.reason}};
  return json.dump(-1, ' ', false, Json::error_handler_t::replace) + "\n";
}

Result<CellFailure> read_failure(std::string_view text, const std::string& where) {
  return read_json(text, where, [](const Json& json) {
    constexpr int kMostStatus = 1 << 16;
    const Fields fields(json, "failure");
    (void)fields.integer("schema", kRecordSchema, kRecordSchema);
    // The texts come from another machine and become part of a line.
    return CellFailure{blanked(fields.text("host")),
                       static_cast<int>(fields.integer("exit_status", 0, kMostStatus)),
                       blanked(fields.text("reason", kLongestLine))};
  });
}

}  // namespace heddle::cli
