#include "report/comparison/words.h"

#include <fmt/core.h>

#include <algorithm>
#include <cmath>

#include "common/text.h"

namespace heddle::report {
namespace {

using wire::Json;

constexpr int kDigits = 2, kMostDigits = 6;

/// Returns how many decimals the ratios need. If the verdict says that the policies differ, the
/// printed ratios must differ from 1.
int digits_for(const std::vector<double>& ratios, bool differs) {
  int digits = kDigits;
  auto is_one = [&](double ratio) { return std::abs(ratio - 1) < 0.5 * std::pow(10.0, -digits); };
  while (differs && digits < kMostDigits && std::any_of(ratios.begin(), ratios.end(), is_one))
    ++digits;
  return digits;
}

const Json* headline(const Json& metrics, const std::string& key) {
  for (const Json& metric : metrics)
    if (metric.at("key") == key && metric.at("group").at("kind") == "all") return &metric;
  return nullptr;
}

/// Returns the entry of a headline metric for a policy. Returns null if there is no entry or the
/// entry has no ratio.
const Json* entry(const Json& metrics, const std::string& key, std::size_t policy) {
  const Json* metric = headline(metrics, key);
  if (!metric) return nullptr;
  const Json& against = metric->at("against").at(policy - 1);
  return against.at("relative").is_null() ? nullptr : &against;
}

/// Returns a text about the policy's value divided by the baseline's value, with the interval of
/// the ratio: "1.25 times as long as fifo [1.21-1.29]".
std::string ratio_text(const Json& against, const std::string& of) {
  const auto verdict = against.at("verdict").get<std::string>();
  std::vector<double> ratios = {1 + against.at("relative").get<double>()};
  const Json& interval = against.at("relative_interval");
  if (interval.is_array())
    for (const Json& end : interval) ratios.push_back(1 + end.get<double>());
  const int digits = digits_for(ratios, verdict == "less" || verdict == "more");
  std::vector<std::string> notes;
  if (interval.is_array())
    notes.push_back(fmt::format("{:.{}f}-{:.{}f}", ratios[1], digits, ratios[2], digits));
  const bool exact = against.value("exact", false), equal = verdict == "equal";
  if (exact && !equal) notes.emplace_back("exact");
  if (verdict == "no difference") notes.emplace_back("no difference shown");
  if (equal && !exact) notes.emplace_back("equal in every repeat");
  if (verdict == "no variance") notes.emplace_back("not tested");
  if (verdict == "too few") notes.emplace_back("too few repeats");
  const std::string ratio = equal ? "exactly" : fmt::format("{:.{}f} times", ratios[0], digits);
  return ratio + " " + of + (notes.empty() ? "" : " [" + join(notes) + "]");
}

std::string conclusion(const Json& metrics, const std::vector<std::string>& policies,
                       std::size_t policy) {
  const std::string &name = policies[policy], &baseline = policies[0];
  std::string text;
  if (const Json* makespan = entry(metrics, "makespan_s", policy))
    text = name + " takes " + ratio_text(*makespan, "as long as " + baseline) + ".";
  std::vector<std::string> of_jobs;
  if (const Json* completion = entry(metrics, "mean_completion_s", policy))
    of_jobs.push_back("take " + ratio_text(*completion, "as long to complete"));
  if (const Json* waiting = entry(metrics, "mean_waiting_s", policy))
    of_jobs.push_back("wait " + ratio_text(*waiting, "as long"));
  if (of_jobs.empty()) return text;
  const std::string whose =
      text.empty() ? "Against " + baseline + ", jobs under " + name : " On average its jobs";
  return text + whose + " " + join(of_jobs, " and ") + ".";
}

}  // namespace

std::string verdict_text(const Json& against, const Json& better) {
  const Json& verdict = against.at("verdict");
  const auto word = verdict.get<std::string>();
  if (word == "too few") return "too few repeats";
  if (word == "no variance") return "not tested";
  if (word == "affected") return "runs affected";
  if (word != "less" && word != "more") return word;
  const std::string exact = against.value("exact", false) ? ", exact" : "";
  if (better.is_null()) return word + exact;
  return (verdict == better ? "better" : "worse") + exact;
}

std::string alone_text(const JobReferences& references, bool real) {
  std::string text =
      "Slowdown is a job's completion over its completion alone on the empty cluster";
  text += real ? "; the first is measured, the second simulated under fifo."
               : ", simulated under fifo.";
  if (references.sampled < references.distinct)
    text += fmt::format(" Of {} jobs that differ, a sample of {} was simulated alone.",
                        references.distinct, references.sampled);
  return text;
}

std::vector<std::string> conclusions(const Json& metrics,
                                     const std::vector<std::string>& policies) {
  std::vector<std::string> texts;
  for (std::size_t i = 1; i < policies.size(); ++i)
    if (std::string text = conclusion(metrics, policies, i); !text.empty())
      texts.push_back(std::move(text));
  return texts;
}

}  // namespace heddle::report
