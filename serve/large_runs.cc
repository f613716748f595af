#include "serve/large_runs.h"

#include <algorithm>
#include <filesystem>
#include <utility>

#include "common/file.h"
#include "common/result_files.h"
#include "report/container_index.h"
#include "serve/run_data.h"

namespace heddle::serve {
namespace {

using wire::Json;

bool is_large(const ResultPlace& place) {
  const Result<bool> has = place.has(kSummaryFile);
  if (!has || !*has) return false;
  const Result<std::string> text = read_found_file(summary_path(place.path()), kMostJson);
  if (!text) return false;
  const Json summary = wire::parse_json(*text);
  if (!summary.is_object()) return false;
  const auto attempts = summary.find("attempts_total");
  return attempts != summary.end() && attempts->is_number_integer() &&
         attempts->get<std::int64_t>() > kManyContainers;
}

}  // namespace

Result<std::optional<report::RunHistory>> LargeRuns::history(const ResultPlace& place) {
  using History = std::optional<report::RunHistory>;
  if (!is_large(place)) return History();
  const Result<bool> has_index = place.has(kIndexFile);
  if (!has_index) return has_index.error();
  Result<Scenario> scenario = scenario_in(place);
  if (!scenario) return std::move(scenario).error();
  if (*has_index) {
    Result<History> read = report::read_indexed_history(place.path(), *scenario);
    if (read && *read) return read;
  }
  Result<report::RunHistory> made = history_of_journal(place, *std::move(scenario));
  if (!made) return std::move(made).error();
  (void)report::write_index(*made, place.path());
  return History(*std::move(made));
}

Result<report::RunHistory> LargeRuns::history_of_journal(const ResultPlace& place,
                                                         Scenario scenario) {
  std::error_code error;
  const auto bytes = std::filesystem::file_size(journal_of(place.path()), error);
  const auto say_reading = [&](const std::string& id) {
    const std::lock_guard lock(mutex_);
    reading_ = id;
    journal_bytes_ = std::max<std::int64_t>(1, error ? 1 : static_cast<std::int64_t>(bytes));
    read_bytes_ = 0;
  };
  say_reading(place.id());
  Result<report::RunHistory> history =
      report::read_history(place.path(), std::move(scenario), false, &read_bytes_);
  say_reading("");
  return history;
}

std::optional<double> LargeRuns::share_read(const std::string& id) const {
  const std::lock_guard lock(mutex_);
  if (reading_ != id) return std::nullopt;
  return std::min(1.0, static_cast<double>(read_bytes_) / static_cast<double>(journal_bytes_));
}

void LargeRuns::keep(const ResultPlace& place, report::RunHistory history) {
  std::erase_if(kept_, [&](const Kept& kept) { return kept.id == place.id(); });
  kept_.push_front({place.id(), place.stamp(), report::GanttPieces(std::move(history))});
  if (kept_.size() > kKeptRuns) kept_.pop_back();
}

ResponseText LargeRuns::piece(const ResultPlace& place, const report::ChartWindow& window) {
  const auto kept = std::ranges::find_if(
      kept_, [&](const Kept& one) { return one.id == place.id() && one.stamp == place.stamp(); });
  if (kept != kept_.end()) {
    kept_.splice(kept_.begin(), kept_, kept);
  } else {
    Result<std::optional<report::RunHistory>> history = this->history(place);
    if (!history) return failed(place, history.error());
    if (!*history) return failed(place, usage_error(place.shown() + ": this run is not large"));
    keep(place, **std::move(history));
  }
  return response_text(kept_.front().pieces.piece(window, kMostPieceBars));
}

}  // namespace heddle::serve
