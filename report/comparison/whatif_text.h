#pragma once

#include <string>

#include "report/comparison/format.h"
#include "wire/fields.h"

namespace heddle::report {

/// Returns whatif.json as text for terminals, as JSON, as CSV with a line for each variant and
/// group, or as Markdown. The tables show at most kMostGroupsShown users, queues and accounts each,
/// those with most jobs. `width`: that of the terminal; 0: no limit. Throws Json::exception if
/// `answer` is not whatif.json. REQUIRES: `format` is one of these four.
std::string format_whatif(const wire::Json& answer, BatchFormat format, int width = 0);
inline constexpr std::size_t kMostGroupsShown = 12;

}  // namespace heddle::report
