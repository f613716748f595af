#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "common/result.h"
#include "wire/fields.h"

namespace heddle::report {

/// Metrics that a user chose (--metrics): KEY for all jobs or the run, KIND.KEY for each group of a
/// kind, or KIND.NAME.KEY for one group, such as "user.alice.mean_waiting_s".
struct MetricChoice {
  std::string kind = "all";              ///< as in JobGroup
  std::optional<std::string> name = "";  ///< nullopt: every group of the kind
  std::string key;
  friend bool operator==(const MetricChoice&, const MetricChoice&) = default;
};

/// Parses choices separated by commas. Error (kUsage): a word is neither a metric nor a kind.
Result<std::vector<MetricChoice>> parse_metrics(std::string_view text);

/// Keeps only the chosen metrics in compare.json or sweep.json, in the order in which they were
/// chosen, and marks each with "chosen": true, so that tables show all of them. Removes the
/// sentences about the other metrics. Metrics that the batch does not have are left out. No
/// choices: keeps everything. Returns a sentence for each choice that is of no metric of the batch.
std::vector<std::string> keep_chosen(wire::Json& batch, const std::vector<MetricChoice>& choices);

}  // namespace heddle::report
