#include "report/comparison/missing.h"

#include <fmt/core.h>

#include <algorithm>

#include "common/text.h"

namespace heddle::report {
namespace {

using wire::Json;

/// Maximum number of groups, and of ranges of seeds, that the sentence names.
constexpr std::size_t kMostGroups = 3, kMostRanges = 6;
/// A range has at least this many numbers; fewer are listed.
constexpr std::size_t kShortestRange = 3;

/// Returns ascending numbers as "3, 10-14, 20".
std::string ranges_text(const std::vector<std::uint64_t>& numbers) {
  std::vector<std::string> texts;
  for (std::size_t i = 0; i < numbers.size();) {
    std::size_t end = i + 1;
    while (end < numbers.size() && numbers[end] == numbers[end - 1] + 1) ++end;
    if (end - i >= kShortestRange)
      texts.push_back(fmt::format("{}-{}", numbers[i], numbers[end - 1]));
    else
      for (std::size_t at = i; at < end; ++at) texts.push_back(std::to_string(numbers[at]));
    i = end;
  }
  if (texts.size() > kMostRanges) {
    texts.resize(kMostRanges);
    texts.emplace_back("…");
  }
  return join(texts);
}

/// Returns the text without "policy NAME: request NUMBER at TIME: ".
std::string_view without_request(std::string_view text) {
  constexpr std::string_view kPolicy = "policy ", kRequest = ": request ", kEnd = ": ";
  const std::size_t request = text.find(kRequest);
  if (!text.starts_with(kPolicy) || request == std::string_view::npos) return text;
  const std::size_t end = text.find(kEnd, request + kRequest.size());
  return end == std::string_view::npos ? text : text.substr(end + kEnd.size());
}

std::string_view last_line(std::string_view text) {
  constexpr std::string_view kSpace = " \t\r\n";
  const std::size_t end = text.find_last_not_of(kSpace);
  if (end == std::string_view::npos) return {};
  text = text.substr(0, end + 1);
  return text.substr(text.rfind('\n') + 1);
}

}  // namespace

std::string cause_of(std::string_view reason) {
  std::string_view line = last_line(reason);
  line.remove_prefix(std::min(line.find_first_not_of(' '), line.size()));
  return std::string(without_request(line));
}

std::string without_traceback(std::string_view reason) {
  const std::size_t begin = reason.find("Traceback (most recent call last):\n");
  if (begin == std::string_view::npos) return std::string(reason);
  return std::string(reason.substr(0, begin)) + std::string(last_line(reason.substr(begin)));
}

void MissingRuns::add_ended(const std::string& variant, int repeat, std::uint64_t seed,
                            const std::string& reason) {
  const std::string cause = cause_of(reason);
  auto group = std::ranges::find_if(
      groups_, [&](const Group& one) { return one.variant == variant && one.cause == cause; });
  if (group == groups_.end()) group = groups_.insert(group, {variant, cause, reason, {}, {}});
  group->repeats.push_back(static_cast<std::uint64_t>(repeat));
  group->seeds.push_back(seed);
}

std::string MissingRuns::text(std::size_t of, bool by_seed) const {
  std::size_t runs = open_;
  for (const Group& group : groups_) runs += group.seeds.size();
  std::vector<std::string> parts;
  for (std::size_t i = 0; i < groups_.size() && i < kMostGroups; ++i) {
    const Group& group = groups_[i];
    const std::string where = by_seed ? "at seed" : "in repeat";
    const auto& numbers = by_seed ? group.seeds : group.repeats;
    parts.push_back(fmt::format("{} ended {}{} {} ({})", group.variant, where,
                                numbers.size() > 1 ? "s" : "", ranges_text(numbers), group.cause));
  }
  if (groups_.size() > kMostGroups)
    parts.push_back(fmt::format("{} more causes", groups_.size() - kMostGroups));
  if (open_ > 0) parts.push_back(fmt::format("{} {} not made", open_, open_ == 1 ? "was" : "were"));
  return fmt::format("{} of {} runs {} missing: {}", runs, of, runs == 1 ? "is" : "are",
                     join(parts, "; "));
}

Json MissingRuns::json(std::size_t of, bool by_seed) const {
  std::size_t runs = open_;
  Json groups = Json::array();
  for (const Group& group : groups_) {
    runs += group.seeds.size();
    groups.push_back({{"variant", group.variant},
                      {"cause", group.cause},
                      {"reason", group.reason},
                      {"repeats", group.repeats},
                      {"seeds", group.seeds}});
  }
  return {{"runs", runs},
          {"of", of},
          {"not_made", open_},
          {"text", text(of, by_seed)},
          {"groups", std::move(groups)}};
}

std::string missing_text(const Json& batch) {
  const auto missing = batch.find("missing");
  return missing == batch.end() ? "" : missing->at("text").get<std::string>();
}

std::string causes_of(const Json& batch, const std::string& variant) {
  const auto missing = batch.find("missing");
  if (missing == batch.end()) return "";
  std::vector<std::string> causes;
  for (const Json& group : missing->at("groups"))
    if (group.at("variant") == variant) causes.push_back(group.at("cause").get<std::string>());
  return join(causes, "; ");
}

std::string few_runs_text(const Json& batch, const Json& runs, std::int64_t affected) {
  std::int64_t done = done_among(runs);
  const std::int64_t all = std::ssize(runs);
  if (affected > 0 && affected == done)
    return fmt::format("{}{} run{}, affected", done, done < all ? fmt::format(" of {}", all) : "",
                       all == 1 ? "" : "s");
  done -= affected;
  if (done < all) return fmt::format("{} of {} runs", done, all);
  if (all == 0 || all >= batch.at("repeat").get<std::int64_t>()) return "";
  return fmt::format("{} run{}", all, all == 1 ? "" : "s");
}

std::int64_t done_among(const Json& runs) {
  return std::ranges::count_if(runs, [](const Json& run) { return run.at("status").is_string(); });
}

}  // namespace heddle::report
