#pragma once

#include <memory>
#include <string>
#include <vector>

#include "serve/live.h"
#include "serve/maker.h"
#include "serve/result_tree.h"

namespace heddle::serve {

using Places = std::vector<std::shared_ptr<const ResultPlace>>;

/// Returns the run that writes its results to this place now, or nullptr.
const LiveRun* live_run_in(const ResultPlace& place, const std::vector<LiveRun>& runs);

/// Returns the data of the page of these results, as report/page/data.h describes them, with these
/// additions: `live` says whether a run is still going on, `why_url` is the address of the
/// explanations of a job's waiting up to the job's name, and each live run has `events`. A
/// comparison or sweep must be the only place. Its data are its own file with `live`.
///
/// Errors become texts with status 404 (there are no such results) or 500.
Made page_data_of(const Places& places, const LiveBoard::Runs& live);

/// Returns the explanation of a job's waiting, as `heddle why --json` prints it.
Made why_of(const ResultPlace& place, const std::string& job);

}  // namespace heddle::serve
