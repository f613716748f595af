#include <fmt/core.h>

#include <algorithm>
#include <ctime>
#include <iostream>

#include "cli/base/exit_status.h"
#include "cli/display/screen.h"
#include "cli/manage/manage.h"
#include "common/text.h"
#include "report/table.h"

namespace heddle::cli {
namespace {

using report::ResultEntry;

/// Longest cells, unless the user wants all. Scripts can use paths of the usual length.
constexpr int kLongestPath = 200, kLongestText = 80;
constexpr std::size_t kMostPolicies = 3;  ///< policies that a line of the table names

std::string date_text(std::int64_t written_s) {
  const std::time_t time = written_s;
  std::tm parts{};
  ::localtime_r(&time, &parts);
  char text[32];
  std::strftime(text, sizeof text, "%Y-%m-%d %H:%M", &parts);
  return text;
}

std::string policies_text(const std::vector<std::string>& policies) {
  if (policies.empty()) return "-";
  const std::size_t named = std::min(policies.size(), kMostPolicies);
  const std::string text = join({policies.begin(), policies.begin() + static_cast<long>(named)});
  return named == policies.size() ? text
                                  : text + fmt::format(" and {} more", policies.size() - named);
}

std::string known(const std::string& text) { return text.empty() ? "-" : text; }

std::string state_text(const ResultEntry& entry) {
  const bool doubted = !entry.verified && entry.state != report::ResultState::kRunning &&
                       entry.state != report::ResultState::kDamaged;
  const bool weighed = !entry.disturbance.empty() && entry.disturbance != "clean";
  return std::string(report::name_of(entry.state)) + (weighed ? ", " + entry.disturbance : "") +
         (doubted ? " (unverified)" : "");
}

std::string seconds_cell(std::optional<double> seconds) {
  return report::number_cell(seconds ? wire::Json(*seconds) : wire::Json(), "{:.1f}");
}

/// Checks that each directory can be opened.
Result<void> check_dirs(const std::vector<std::string>& dirs) {
  for (const std::string& dir : dirs)
    if (const Result<Directory> opened = Directory::open(dir); !opened)
      return usage_error(opened.error().text + "; expected a directory with results");
  return {};
}

}  // namespace

std::string size_text(std::int64_t bytes) {
  constexpr const char* kUnits[] = {"KiB", "MiB", "GiB", "TiB"};
  double amount = static_cast<double>(bytes) / 1024;
  std::size_t unit = 0;
  for (; amount >= 1024 && unit + 1 < std::size(kUnits); ++unit) amount /= 1024;
  return fmt::format("{:.1f} {}", amount, kUnits[unit]);
}

std::vector<ResultEntry> filtered(std::vector<ResultEntry> entries, const std::string& policy,
                                  const std::string& state) {
  std::erase_if(entries, [&](const ResultEntry& entry) {
    const bool of_policy =
        policy.empty() || std::ranges::any_of(entry.policies, [&](const std::string& one) {
          return one == policy || one.starts_with(policy + "+");
        });
    return !of_policy || (!state.empty() && report::name_of(entry.state) != state);
  });
  return entries;
}

std::string format_results(const std::vector<ResultEntry>& entries, int width, bool wide) {
  std::vector<std::vector<std::string>> rows;
  for (const ResultEntry& entry : entries)
    rows.push_back({entry.path, std::string(report::name_of(entry.kind)), known(entry.scenario),
                    policies_text(entry.policies), known(entry.mode), date_text(entry.written_s),
                    seconds_cell(entry.real_s), seconds_cell(entry.makespan_s), state_text(entry),
                    size_text(entry.bytes)});
  using enum report::Narrow;
  const int path = wide ? 0 : kLongestPath, text = wide ? 0 : kLongestText;
  return report::format_table({{"result", false, kShorten, path},
                               {"kind", false, kDrop},
                               {"scenario", false, kShorten, text},
                               {"policy", false, kShorten, text},
                               {"mode", false, kDrop, text},
                               {"date", false, kDrop},
                               {"real s", true, kDrop},
                               {"makespan s", true},
                               {"state", false, kKeep, text},
                               {"size", true, kDrop}},
                              rows, width);
}

Result<int> ls_command(const LsOptions& options) {
  HEDDLE_TRY(check_dirs(options.dirs));
  const bool named = !options.dirs.empty();
  const report::ResultList list = report::list_results(
      named ? options.dirs : std::vector<std::string>{kResultsDir},
      options.check ? report::Depth::kContents : report::Depth::kSmallContents);
  const std::vector<ResultEntry> entries = filtered(list.entries, options.policy, options.state);
  for (const std::string& problem : list.problems)
    if (named || !list.entries.empty()) say(problem);
  if (options.json) {
    wire::Json json = wire::Json::array();
    for (const ResultEntry& entry : entries) json.push_back(report::to_json(entry));
    std::cout << json.dump(2, ' ', false, wire::Json::error_handler_t::replace) << std::endl;
  } else if (entries.empty()) {
    say("no results in " + (named ? join(options.dirs) : std::string(kResultsDir)));
  } else {
    std::cout << format_results(entries, table_width(options.wide), options.wide) << std::flush;
  }
  return kExitDone;
}

}  // namespace heddle::cli
