#pragma once

#include <memory>
#include <string>
#include <vector>

#include "report/catalog.h"
#include "serve/large_runs.h"
#include "serve/live.h"
#include "serve/result_tree.h"
#include "serve/text_cache.h"

namespace heddle::serve {

/// Returns a result as the list page shows it: as report::to_json, with `id` and `name` instead of
/// the path.
wire::Json list_entry(const report::ResultEntry& entry, const std::string& id,
                      const std::string& name);

using Places = std::vector<std::shared_ptr<const ResultPlace>>;

/// Longest file of JSON that is read.
inline constexpr std::size_t kMostJson = 512 << 20;

/// Returns the JSON as the text of a response.
ResponseText response_text(const wire::Json& json);
/// Returns an error as the text of a response: status 404 if there are no such results, else 500.
ResponseText failed(const Error& error);
ResponseText failed(const ResultPlace& place, Error error);

/// Reads the scenario of a run. Checks first that the readers, which open files by their paths,
/// will find no links. Error (kUsage): there are no results of a run.
Result<Scenario> scenario_in(const ResultPlace& place);

/// Returns the run that writes its results to this place now, or nullptr.
const LiveRun* live_run_in(const ResultPlace& place, const std::vector<LiveRun>& runs);

/// Returns the data of the page of these results, as report/page/data.h describes them, with these
/// additions: `live` says whether a run is still going on, `why_url` is the address of the
/// explanations of a job's waiting up to the job's name, each live run has `events`, the newest
/// first, and each other run `unverified`: sentences (report::doubts). A
/// comparison or sweep must be the only place. Its data are its own file with `live`. The data of
/// an experiment are a list of its comparisons.
///
/// The data of a large run have no containers, but `gantt_url`, from which the page gets those that
/// it shows. `large` keeps them.
ResponseText page_data_of(const Places& places, const std::vector<LiveRun>& live, LargeRuns& large);

/// Returns the explanation of a job's waiting, as `heddle why --json` prints it.
ResponseText why_of(const ResultPlace& place, const std::string& job);

}  // namespace heddle::serve
