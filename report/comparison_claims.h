#pragma once

#include <string>
#include <vector>

#include "common/wire/fields.h"
#include "report/comparison_metrics.h"

namespace heddle {

/// Something that a paper says of an experiment, and where a comparison tells the same.
struct Claim {
  std::string about;   ///< "small jobs' mean completion"
  std::string metric;  ///< key of a comparison_metrics() row
  JobGroup group{"all", ""};
  std::string policy;   ///< a variant's name
  std::string against;  ///< another's; "": what is measured, not how it differs
  std::string paper;    ///< what the paper has, as text
};

/// What a comparison (compare.json) has for it: "-26.1 % [-27.0 % .. -25.2 %]", the paired relative
/// difference with its interval, and "no difference" behind it where there is none to be seen; or
/// the median with least and most. "-" if it tells nothing of it.
std::string claim_text(const Claim& claim, const wire::Json& comparison);

/// A Markdown table of all: the paper, the simulated comparison and the real one, either null where
/// there is none; under a heading.
std::string claims_table(const std::string& title, const std::vector<Claim>& claims,
                         const wire::Json& simulated, const wire::Json& real);

}  // namespace heddle
