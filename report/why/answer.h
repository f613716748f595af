#pragma once

#include <string>
#include <vector>

#include "report/history.h"
#include "report/why/text.h"

namespace heddle::report {

/// Replays the journal of `dir` once and returns why these jobs waited, in their order. With
/// `later`, the answers also have the waits after the first start. If the journal can be replayed
/// only in part, the answers say so in their notes. `history` is the history of `dir` and must
/// outlive the answers. Errors come from reading the journal.
Result<std::vector<WhyAnswer>> why_answers(const std::string& dir, const RunHistory& history,
                                           const std::vector<JobId>& jobs, bool later);

}  // namespace heddle::report
