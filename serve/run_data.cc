#include "serve/run_data.h"

#include <algorithm>
#include <set>

#include "common/file.h"
#include "common/result_files.h"
#include "report/history.h"
#include "report/manifest.h"
#include "report/page/data.h"
#include "report/page/page.h"
#include "report/why/answer.h"
#include "report/why/json.h"
#include "serve/request.h"
#include "workloads/scenario_file.h"

namespace heddle::serve {
namespace {

using wire::Json;

ResponseText response_text(std::string text, int status = 200) {
  return {status, std::make_shared<const std::string>(std::move(text))};
}

/// Checks that the readers, which open files by their paths, will find no links.
Result<void> check_files(const ResultPlace& place) {
  bool journal = false;
  for (const char* name : {kJournalFile, kCompressedJournalFile, kSamplesFile, kSummaryFile}) {
    const Result<bool> has = place.has(name);
    if (!has) return has.error();
    journal = journal || (*has && std::string_view(name).starts_with(kJournalFile));
  }
  const Result<bool> scenario = place.has(kScenarioFile);
  if (!scenario) return scenario.error();
  if (*scenario && journal) return {};
  return usage_error(place.shown() + ": there are no results of a run");
}

Result<report::RunHistory> history_of(const ResultPlace& place, bool decisions) {
  Result<Scenario> scenario = scenario_in(place);
  if (!scenario) return std::move(scenario).error();
  return report::read_history(place.path(), *std::move(scenario), decisions);
}

/// Returns the text of a comparison or sweep, or "" if the place has none.
Result<std::string> comparison_in(const ResultPlace& place) {
  for (const char* name : {kComparisonFile, kSweepFile}) {
    const Result<bool> has = place.has(name);
    if (!has) return has.error();
    if (*has) return read_found_file(place.path() + "/" + name, kMostJson);
  }
  return std::string();
}

Error for_people(const ResultPlace& place, Error error) {
  error.text = place.for_people(std::move(error.text));
  return error;
}

Json events_json(const LiveRun& run) {
  Json events = Json::array();
  for (auto event = run.events.rbegin(); event != run.events.rend(); ++event)
    events.push_back({{"t", event->t}, {"text", event->text}});
  return events;
}

/// Returns why files of an ended run are unverified.
std::vector<std::string> doubts_of(const ResultPlace& place, std::vector<std::string> names) {
  const Result<Directory> directory = Directory::open(place.path());
  if (!directory) return {directory.error().text};
  names.insert(names.end(), {kScenarioFile, kSummaryFile});
  return report::doubts(*directory, names);
}

std::string why_url(const ResultPlace& place) {
  return "/api/why?run=" + escaped(place.id()) + "&job=";
}

/// Returns the data of a large run without its containers.
Result<Json> large_run_of(const ResultPlace& place, const report::RunHistory& history) {
  Result<Json> run = report::run_page_data(place.path(), history, "");
  if (!run) return run;
  for (const char* columns : {"bars", "suspended", "reserved"}) (*run)[columns] = Json::object();
  for (const char* list : {"strings", "node_events"}) (*run)[list] = Json::array();
  (*run)["gantt_url"] = "/api/gantt?run=" + escaped(place.id());
  // The page of a large run is made without its journal.
  (*run)["unverified"] = doubts_of(place, {});
  (*run)["dir"] = place.shown();
  (*run)["why_url"] = why_url(place);
  return run;
}

Result<Json> run_of(const ResultPlace& place, const LiveRun* live, LargeRuns& large) {
  if (!live) {
    Result<std::optional<report::RunHistory>> history = large.history(place);
    if (!history) return std::move(history).error();
    if (*history) {
      Result<Json> run = large_run_of(place, **history);
      large.keep(place, **std::move(history));
      return run;
    }
  }
  Result<report::RunHistory> history = history_of(place, true);
  if (!history) return std::move(history).error();
  Result<Json> run = report::run_page_data(place.path(), *history, "");
  if (!run) return run;
  (*run)["dir"] = place.shown();
  (*run)["why_url"] = why_url(place);
  if (!live)
    (*run)["unverified"] =
        doubts_of(place, {kSamplesFile, parts_of(journal_of(place.path())).name});
  if (live) {
    (*run)["events"] = events_json(*live);
    // Only tasks that have ended count, so the figures of a run in progress would be too small.
    for (const char* used : {"cpu", "memory"}) (*run)["summary"]["utilisation"][used] = nullptr;
  }
  return run;
}

Result<Json> comparison_page(const Places& places, std::size_t index, const std::string& text) {
  const std::string& shown = places[index]->shown();
  if (places.size() > 1)
    return usage_error(shown +
                       ": is a comparison or sweep; expected it alone, because its page "
                       "shows nothing else");
  Json json = wire::parse_json(text);
  if (!json.is_object()) return aborted_error(shown + ": the comparison or sweep is damaged");
  const std::string kind = json.value("kind", "");
  if (kind != "compare" && kind != "sweep")
    return aborted_error(shown + ": the comparison or sweep is damaged");
  json["live"] = false;
  return json;
}

/// Returns the comparisons of an experiment, each of which is in a directory of its own, or nullopt
/// if the place is no experiment.
Result<std::optional<Json>> experiment_page(const ResultPlace& place) {
  const Result<bool> run = place.has(kScenarioFile);
  if (!run || *run) return std::optional<Json>();
  Result<Directory> directory = Directory::open(place.path());
  if (!directory) return std::move(directory).error();
  const std::optional<report::ResultEntry> whole = report::result_in(*directory);
  if (!whole || whole->kind != report::ResultKind::kExperiment) return std::optional<Json>();
  Result<std::vector<std::string>> names = directory->names();
  if (!names) return std::move(names).error();
  Json parts = Json::array();
  for (const std::string& name : *names) {
    const Result<Directory> below = directory->enter(name);
    if (!below) continue;
    if (const std::optional<report::ResultEntry> part = report::result_in(*below))
      parts.push_back(list_entry(*part, place.id() + "/" + name, name));
  }
  return std::optional(Json{{"schema", 1},
                            {"kind", "list"},
                            {"title", place.shown()},
                            {"live", false},
                            {"results", parts}});
}

Result<Json> data_of(const Places& places, const std::vector<LiveRun>& live, LargeRuns& large) {
  std::vector<Json> runs, summaries;
  std::vector<std::string> shown;
  bool any_live = false;
  if (places.size() == 1) {
    Result<std::optional<Json>> experiment = experiment_page(*places.front());
    if (!experiment) return std::move(experiment).error();
    if (*experiment) return **std::move(experiment);
  }
  for (std::size_t i = 0; i < places.size(); ++i) {
    Result<std::string> comparison = comparison_in(*places[i]);
    if (!comparison) return std::move(comparison).error();
    if (!comparison->empty()) return comparison_page(places, i, *comparison);
    const LiveRun* going_on = live_run_in(*places[i], live);
    any_live = any_live || going_on != nullptr;
    Result<Json> run = run_of(*places[i], going_on, large);
    if (!run) return for_people(*places[i], std::move(run).error());
    summaries.push_back((*run)["summary"]);
    shown.push_back(places[i]->shown());
    runs.push_back(*std::move(run));
  }
  const std::vector<std::string> labels = report::run_labels(shown, summaries);
  for (std::size_t i = 0; i < runs.size(); ++i) runs[i]["label"] = labels[i];
  Json json = report::page_of_runs(std::move(runs));
  json["live"] = any_live;
  json["why_url"] = why_url(*places.front());
  return json;
}

}  // namespace

ResponseText failed(const Error& error) {
  const int status = error.kind == Error::Kind::kUsage ? 404 : 500;
  return response_text(std::to_string(status) + ": " + error.text + "\n", status);
}

ResponseText response_text(const Json& json) {
  return response_text(json.dump(-1, ' ', false, Json::error_handler_t::replace));
}

ResponseText failed(const ResultPlace& place, Error error) {
  return failed(for_people(place, std::move(error)));
}

Result<Scenario> scenario_in(const ResultPlace& place) {
  HEDDLE_TRY(check_files(place));
  Result<CheckedScenario> checked = workloads::read_scenario(scenario_path(place.path()));
  if (!checked) return std::move(checked).error();
  return std::move(checked->scenario);
}

Json list_entry(const report::ResultEntry& entry, const std::string& id, const std::string& name) {
  Json json = {{"id", id}, {"name", name}};
  const Json rest = report::to_json(entry);
  for (const auto& [key, value] : rest.items())
    if (key != "path") json[key] = value;
  return json;
}

const LiveRun* live_run_in(const ResultPlace& place, const std::vector<LiveRun>& runs) {
  const auto found =
      std::ranges::find_if(runs, [&](const LiveRun& run) { return place.is_of(run); });
  return found == runs.end() ? nullptr : &*found;
}

ResponseText page_data_of(const Places& places, const std::vector<LiveRun>& live,
                          LargeRuns& large) {
  const Result<Json> data = data_of(places, live, large);
  return data ? response_text(*data) : failed(data.error());
}

ResponseText why_of(const ResultPlace& place, const std::string& job) {
  const auto explain = [&]() -> Result<Json> {
    Result<report::RunHistory> history = history_of(place, false);
    if (!history) return std::move(history).error();
    const auto& jobs = history->scenario.jobs;
    const auto named = std::ranges::find(jobs, job, &JobSpec::name);
    if (named == jobs.end()) return usage_error("there is no job \"" + job + "\" in this run");
    const JobId id{named - jobs.begin()};
    const Result<std::vector<report::WhyAnswer>> answers =
        report::why_answers(place.path(), *history, {id}, false);
    if (!answers) return answers.error();
    return report::why_json(answers->front());
  };
  Result<Json> why = explain();
  return why ? response_text(*why) : failed(place, std::move(why).error());
}

}  // namespace heddle::serve
