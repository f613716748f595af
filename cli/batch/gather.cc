#include "cli/batch/gather.h"

#include <filesystem>

#include "cli/batch/collect.h"
#include "cli/manage/comparison_page.h"
#include "common/exit_status.h"
#include "common/file.h"
#include "report/comparison/affected.h"
#include "report/comparison/missing.h"
#include "report/comparison/words.h"
#include "report/manifest.h"
#include "report/price.h"

namespace heddle::cli {
namespace {

using wire::Json;

constexpr std::size_t kMostRecordBytes = 256 << 20;

/// Gathers the records of one batch.
class Gathering {
 public:
  Gathering(std::string dir, const BatchPlan& plan, const ScenarioOfCell& scenario)
      : dir_(std::move(dir)),
        plan_(plan),
        scenario_(scenario),
        collector_(make_collector(plan)),
        lines_(plan.variants.size()) {}

  Gathered gather(bool read) {
    const std::vector<int> repeats = repeats_of(plan_);
    gathered_.cells = cell_count(plan_);
    for (int repeat = 0; repeat < plan_.repeat; ++repeat) {
      std::vector<std::optional<CellRecord>> records(plan_.variants.size());
      bool any = false;
      for (std::size_t i = 0; i < records.size(); ++i) {
        if (repeat >= repeats[i]) continue;
        any = true;
        if (read) records[i] = record_at({i, repeat});
        add_line({i, repeat}, records[i]);
      }
      if (any) collector_->add(records);
    }
    gathered_.json = describe();
    return std::move(gathered_);
  }

 private:
  /// Returns the cell's record. If there is none, notes why.
  std::optional<CellRecord> record_at(const BatchPlace& place) {
    const std::string name = cell_name(plan_, place);
    const std::string path = dir_ + "/" + record_file(name);
    std::error_code error;
    if (!std::filesystem::exists(path, error)) {
      note_failure(place);
      return std::nullopt;
    }
    const Result<std::string> text = read_found_file(path, kMostRecordBytes);
    Result<CellRecord> record = text ? read_record(*text, path) : text.error();
    if (record && !belongs(*record, place))
      record = aborted_error(path + ": the record of another batch");
    if (record && !has_scenario(*record, place))
      record = aborted_error(path + ": the record of a run of another scenario or policy");
    if (record) return *std::move(record);
    fail(place, CellFailure{"", kExitAborted, record.error().text});
    return std::nullopt;
  }

  bool belongs(const CellRecord& record, const BatchPlace& place) const {
    return record.variant == plan_.variants[place.variant].name && record.repeat == place.repeat &&
           record.seed == seed_of(plan_, place.repeat) &&
           record.summary.has_value() == (plan_.kind == "compare");
  }

  /// Returns false if the record is of another scenario. Notes if that cannot be found out.
  bool has_scenario(const CellRecord& record, const BatchPlace& place) {
    if (!scenario_) return true;
    const Result<CellScenario> scenario = scenario_(place, record.program);
    if (!scenario && gathered_.unchecked.empty()) gathered_.unchecked = scenario.error().text;
    return !scenario ||
           (scenario->mark == record.scenario && has_jobs(record.summary, scenario->jobs) &&
            has_jobs(record.predicted, scenario->jobs));
  }

  /// Returns whether a summary, if there is one, is of these jobs.
  static bool has_jobs(const std::optional<Json>& summary, const std::vector<std::string>& names) {
    return !summary || std::ranges::equal(summary->at("jobs"), names,
                                          [](const Json& job, const std::string& name) {
                                            return job.value("name", Json()) == name;
                                          });
  }

  void fail(const BatchPlace& place, const CellFailure& failure) {
    gathered_.failed.emplace_back(cell_name(plan_, place), failure);
    missing_.add_ended(plan_.variants[place.variant].name, place.repeat + 1,
                       seed_of(plan_, place.repeat), failure.reason);
  }

  void note_failure(const BatchPlace& place) {
    const std::string name = cell_name(plan_, place);
    const std::string path = dir_ + "/" + failure_file(name);
    const Result<std::string> text = read_found_file(path, kMostRecordBytes);
    const Result<CellFailure> failure = text ? read_failure(*text, path) : text.error();
    if (failure) return fail(place, *failure);
    gathered_.missing.push_back(name);
    missing_.add_open();
  }

  void add_line(const BatchPlace& place, const std::optional<CellRecord>& record) {
    RunLine line{cell_name(plan_, place), seed_of(plan_, place.repeat), "", false};
    if (record) {
      line.status = record->status;
      line.disturbed = record->disturbed;
      ++gathered_.done;
      gathered_.job_failed |= record->status == "failed";
      if (record->disturbed) gathered_.disturbed.push_back(line.dir);
      if (record->wall_s) wall_s_ = wall_s_.value_or(0) + *record->wall_s;
      if (record->references.distinct > most_.distinct) {
        most_.distinct = record->references.distinct;
        most_.sampled = record->references.sampled;
      }
    }
    lines_[place.variant].push_back(std::move(line));
  }

  Json describe() const {
    Json json = {{"schema", 1},
                 {"kind", plan_.kind},
                 {"scenario", plan_.scenario},
                 {"mode", plan_.simulate ? "simulated" : "real"},
                 {"repeat", plan_.repeat}};
    json["wall_s"] = wall_s_ ? Json(*wall_s_) : Json();
    if (plan_.from_file) json["experiment"] = true;
    for (const Variant& variant : plan_.variants) json["variants"].push_back(variant.name);
    if (!missing_.empty())
      json["missing"] = missing_.json(gathered_.cells, seed_of(plan_, 0) != seed_of(plan_, 1));
    json.update(collector_->json(lines_));
    if (const auto price = report::parse_price(plan_.price)) report::add_costs(json, *price);
    if (most_.distinct > 0) json["slowdown"] = report::alone_text(most_, !plan_.simulate);
    if (const std::string heading = report::affected_heading(json); !heading.empty()) {
      json["affected"] = report::affected_notes(json);
      json["affected"].insert(json["affected"].begin(), heading);
    }
    return json;
  }

  std::string dir_;
  const BatchPlan& plan_;
  ScenarioOfCell scenario_;
  std::unique_ptr<Collector> collector_;
  RunLines lines_;
  Gathered gathered_;
  report::MissingRuns missing_;
  std::optional<double> wall_s_;  ///< of all runs together, in real seconds
  report::JobReferences most_;
};

/// Appends a sentence that names at most `most` of the cells. It begins with their number and `one`
/// or `more`.
void add_names(const std::vector<std::string>& names, std::size_t most, const char* one,
               const char* more, std::vector<std::string>& sentences) {
  if (names.empty()) return;
  std::string text = std::to_string(names.size()) + (names.size() == 1 ? one : more);
  for (std::size_t i = 0; i < names.size() && i < most; ++i) text += (i ? ", " : ": ") + names[i];
  sentences.push_back(text + (names.size() > most ? ", …" : ""));
}

}  // namespace

Gathered gather_records(const std::string& dir, const BatchPlan& plan,
                        const ScenarioOfCell& scenario) {
  return Gathering(dir, plan, scenario).gather(true);
}

Json empty_batch(const BatchPlan& plan) { return Gathering("", plan, nullptr).gather(false).json; }

Result<void> write_gathered(const std::string& dir, const BatchPlan& plan,
                            const Gathered& gathered) {
  HEDDLE_TRY(replace_file(batch_file(dir, plan), gathered.json.dump(1) + "\n"));
  HEDDLE_TRY(write_page_of_comparison(dir, gathered.json, batch_page(dir, plan)));
  return report::end_manifest(dir);
}

std::vector<std::string> trouble_of(const Gathered& gathered, std::size_t most) {
  std::vector<std::string> sentences;
  add_names(gathered.missing, most, " cell is missing", " cells are missing", sentences);
  for (std::size_t i = 0; i < gathered.failed.size() && i < most; ++i) {
    const auto& [name, failure] = gathered.failed[i];
    sentences.push_back(name + " failed" + (failure.host.empty() ? "" : " on " + failure.host) +
                        ": " + failure.reason);
  }
  if (gathered.failed.size() > most)
    sentences.push_back(std::to_string(gathered.failed.size() - most) + " more cells failed");
  add_names(gathered.disturbed, most, " run is affected by other programs",
            " runs are affected by other programs", sentences);
  if (!gathered.unchecked.empty())
    sentences.push_back("unverified: whether the records are of the plan's scenarios: " +
                        gathered.unchecked);
  return sentences;
}

int status_of(const Gathered& gathered) {
  if (gathered.done < gathered.cells) return kExitIncomplete;
  return gathered.job_failed ? kExitJobFailed : kExitDone;
}

std::string batch_file(const std::string& dir, const BatchPlan& plan) {
  return dir + "/" + plan.kind + ".json";
}
std::string batch_page(const std::string& dir, const BatchPlan& plan) {
  return dir + "/" + plan.kind + ".html";
}

}  // namespace heddle::cli
