#include "report/comparison/whatif_text.h"

#include <fmt/core.h>

#include <algorithm>
#include <map>
#include <set>
#include <utility>
#include <vector>

#include "common/text.h"
#include "report/comparison/job_changes.h"
#include "report/comparison/text.h"
#include "report/table.h"

namespace heddle::report {
namespace {

using wire::Json;

struct TableOfLog {
  std::vector<Column> columns;
  std::vector<std::vector<std::string>> rows;
};

std::string word_at(const Json& object, const char* key) {
  return object.at(key).get<std::string>();
}

/// Shares of cores above this are more than rounding.
constexpr double kFullCluster = 1.001;

/// A group of jobs, by kind and name.
using NamedGroup = std::pair<std::string, std::string>;
NamedGroup group_of(const Json& entry) {
  return {word_at(entry.at("group"), "kind"), word_at(entry.at("group"), "name")};
}
std::string title_of(const NamedGroup& group) {
  return group.first == "all" ? "all jobs" : group.first + " " + group.second;
}

/// The groups that the tables show, and how many of each kind they leave out.
struct Shown {
  std::set<NamedGroup> groups;
  std::map<std::string, std::size_t> left_out;
};
Shown shown_groups(const Json& calibration) {
  std::map<std::string, std::vector<std::pair<std::int64_t, NamedGroup>>> by_kind;
  for (const Json& entry : calibration.at("groups")) {
    const NamedGroup group = group_of(entry);
    by_kind[group.first].emplace_back(-entry.at("jobs").get<std::int64_t>(), group);
  }
  Shown shown;
  for (auto& [kind, groups] : by_kind) {
    std::ranges::sort(groups);
    for (std::size_t i = 0; i < groups.size(); ++i)
      if (i < kMostGroupsShown)
        shown.groups.insert(groups[i].second);
      else
        ++shown.left_out[kind];
  }
  return shown;
}

std::string in_seconds(const Json& value) { return metric_text(value, "s"); }
std::string signed_seconds(const Json& value) { return number_cell(value, "{:+.1f}"); }
std::string whole_number(const Json& value) { return std::to_string(value.get<std::int64_t>()); }

/// Returns text such as "-3.0 to +12.5"; "" for null.
std::string range_text(const Json& range) {
  if (range.is_null()) return "";
  return signed_seconds(range.at("least_s")) + " to " + signed_seconds(range.at("most_s"));
}

/// Returns text such as "wins; 3 jobs lost".
std::string verdict_text(const Json& impact) {
  const auto lost = impact.value("not_completed", std::int64_t{0});
  return word_at(impact, "verdict") +
         (lost > 0 ? "; " + std::to_string(lost) + (lost == 1 ? " job lost" : " jobs lost") : "");
}

/// Returns text such as "3 killed, 1 cancelled".
std::string ends_text(const Json& ends) {
  std::vector<std::string> parts;
  for (const auto& [word, count] : ends.items())
    parts.push_back(std::to_string(count.get<std::int64_t>()) + " " + word);
  return join(parts);
}

TableOfLog calibration_table(const Json& calibration, const Shown& shown) {
  TableOfLog table{{{"", false, Narrow::kShorten},
                    {"jobs", true},
                    {"log: mean wait, s", true},
                    {"median, s", true},
                    {"simulated: mean wait, s", true},
                    {"median, s", true},
                    {"error, s", true},
                    {"range, s", true},
                    {"error", true},
                    {"K-S distance", true}},
                   {}};
  for (const Json& entry : calibration.at("groups")) {
    if (!shown.groups.contains(group_of(entry))) continue;
    const Json &log = entry.at("log"), &simulated = entry.at("simulated");
    table.rows.push_back(
        {title_of(group_of(entry)), whole_number(entry.at("jobs")), in_seconds(log.at("mean_s")),
         in_seconds(log.at("median_s")), in_seconds(simulated.at("mean_s")),
         in_seconds(simulated.at("median_s")), signed_seconds(entry.at("error_s")),
         range_text(entry.value("error_range", Json())), change_text(entry.at("error")),
         number_cell(entry.at("ks_distance"), "{:.3f}")});
  }
  return table;
}

/// Returns the waits of each shown group in the log, calibrated, and in each variant.
TableOfLog impact_table(const Json& answer, const Shown& shown) {
  const Json& calibration = answer.at("calibration");
  TableOfLog table{{{"", false, Narrow::kShorten},
                    {"mean wait, s", true},
                    {"difference, s", true},
                    {"change", true},
                    {"range of the difference, s", true},
                    {"gain", true},
                    {"lose", true},
                    {"verdict"}},
                   {}};
  for (const Json& entry : calibration.at("groups")) {
    const NamedGroup group = group_of(entry);
    if (!shown.groups.contains(group)) continue;
    table.rows.push_back({title_of(group)});
    table.rows.push_back({"  log", in_seconds(entry.at("log").at("mean_s"))});
    table.rows.push_back({"  simulated", in_seconds(entry.at("simulated").at("mean_s")),
                          signed_seconds(entry.at("error_s")), change_text(entry.at("error")),
                          range_text(entry.value("error_range", Json()))});
    for (const Json& variant : answer.at("variants"))
      for (const Json& impact : variant.at("impacts"))
        if (group_of(impact) == group)
          table.rows.push_back({"  " + word_at(variant, "name"), in_seconds(impact.at("mean_s")),
                                signed_seconds(impact.at("difference_s")),
                                change_text(impact.at("change")),
                                range_text(impact.value("difference_range", Json())),
                                whole_number(impact.at("gain")), whole_number(impact.at("lose")),
                                verdict_text(impact)});
  }
  return table;
}

/// Returns the figures of whole simulations.
TableOfLog totals_table(const Json& answer) {
  TableOfLog table{{{"", false, Narrow::kShorten},
                    {"makespan, s", true},
                    {"cores allocated", true},
                    {"node-hours", true}},
                   {}};
  const bool priced = answer.contains("price");
  if (priced) table.columns.push_back({"cost at " + word_at(answer, "price"), true});
  table.columns.push_back({"never started", true});
  table.columns.push_back({"not completed", true});
  table.rows.push_back(
      {"log", in_seconds(answer.at("log").at("makespan_s")),
       metric_text(answer.at("calibration").at("utilisation").at("log").at("mean"), "share")});
  const auto add = [&](const std::string& name, const Json& totals, const Json& not_started) {
    table.rows.push_back({name, in_seconds(totals.at("makespan_s")),
                          metric_text(totals.at("utilisation"), "share"),
                          number_cell(totals.at("node_h"), "{:.2f}")});
    if (priced) table.rows.back().push_back(number_cell(totals.at("cost"), "{:.2f}"));
    table.rows.back().push_back(whole_number(not_started));
    table.rows.back().push_back(whole_number(totals.value("not_completed", Json(0))));
  };
  add("simulated", answer.at("calibrated"), answer.at("calibration").at("not_started"));
  for (const Json& variant : answer.at("variants"))
    add(word_at(variant, "name"), variant, variant.at("not_started"));
  return table;
}

/// Returns a text with its noun, such as "2 variants".
std::string with_noun(std::size_t count, const std::string& noun) {
  return std::to_string(count) + " " + noun + (count == 1 ? "" : "s");
}

/// Returns the first words of a list, and how many there are more.
std::string first_of(const std::vector<std::string>& words, std::size_t most) {
  if (words.size() <= most) return join(words);
  return join(std::vector(words.begin(), words.begin() + static_cast<std::ptrdiff_t>(most))) +
         " and " + std::to_string(words.size() - most) + " more";
}

std::string log_heading(const Json& answer) {
  const Json& log = answer.at("log");
  const auto files = log.at("files").get<std::vector<std::string>>();
  std::string text =
      join(files) + ": " + with_noun(log.at("jobs").get<std::size_t>(), "job") + " that started";
  if (const auto others = log.at("without_start").get<std::size_t>(); others > 0)
    text += ", and " + with_noun(others, "job") + " whose start the log does not have";
  if (log.at("begin").is_string())
    text += "; time 0, the first submission, is " + word_at(log, "begin");
  text += "\n";
  if (const std::string renamed = log.value("renamed_nodes", ""); !renamed.empty())
    text += "nodes of the log have other names here: " + renamed + "\n";
  return text;
}

/// Returns the rules that were tried, and how far each is from the log.
TableOfLog tried_table(const Json& tried) {
  TableOfLog table{{{"rules"}, {"error of users' mean waits, s", true}}, {}};
  for (const Json& one : tried)
    table.rows.push_back({word_at(one, "rules"), in_seconds(one.at("user_error_s"))});
  return table;
}

std::string usage_text(const Json& calibration) {
  const Json& utilisation = calibration.at("utilisation");
  const auto part = [&](const char* key) {
    const Json& usage = utilisation.at(key);
    return metric_text(usage.at("mean"), "share") + " (median " +
           metric_text(usage.at("median"), "share") + ")";
  };
  std::string text;
  if (const double peak = utilisation.at("log").at("peak").get<double>(); peak > kFullCluster)
    text = fmt::format(
        "The jobs of the log held up to {:.0f} % of the cores at the same time, so the cluster had "
        "more cores; expected --nodes, --cores, or a list of its nodes.\n",
        peak * 100);
  return text + "cores in use: log " + part("log") + ", simulated " + part("simulated") +
         number_cell(utilisation.at("ks_distance"),
                     "; K-S distance of the shares over time {:.3f}") +
         "\n";
}

std::string unshown_text(const Shown& shown) {
  std::string text;
  for (const auto& [kind, left_out] : shown.left_out)
    text += "not shown: " + with_noun(left_out, kind) + " with fewer jobs; --csv prints all\n";
  return text;
}

/// Returns which jobs complete in the calibrated simulation and not in the variant, or "".
std::string lost_jobs_text(const Json& variant) {
  constexpr std::size_t kMost = 5;
  const auto lost = variant.value("lost_jobs", Json::array()).get<std::vector<std::string>>();
  if (lost.empty()) return "";
  return word_at(variant, "name") + ": " + with_noun(lost.size(), "job") +
         (lost.size() == 1 ? " is lost, which completes" : " are lost, which complete") +
         " with the rules of the log and not here (" +
         ends_text(variant.value("ends", Json::object())) + "): " + first_of(lost, kMost) + ".\n";
}

/// Returns the groups that win, those that lose, and those that lose jobs.
std::string verdicts_text(const Json& variant, const Shown& shown) {
  constexpr std::size_t kMost = 8;
  std::vector<std::string> wins, loses, lost;
  for (const Json& impact : variant.at("impacts")) {
    if (!shown.groups.contains(group_of(impact))) continue;
    const std::string title = title_of(group_of(impact));
    if (impact.at("verdict") == "wins") wins.push_back(title);
    if (impact.at("verdict") == "loses") loses.push_back(title);
    if (impact.value("not_completed", 0) > 0) lost.push_back(title);
  }
  const auto words = [](const std::vector<std::string>& groups) {
    return groups.empty() ? "none" : first_of(groups, kMost);
  };
  return word_at(variant, "name") + ": wins: " + words(wins) + "; loses: " + words(loses) +
         (lost.empty() ? "" : "; loses jobs: " + words(lost)) + ".\n";
}

/// Returns which jobs win and lose in each variant.
std::string changes_text(const Json& answer, const Shown& shown) {
  std::string text;
  for (const Json& variant : answer.at("variants")) {
    if (variant.at("impacts").empty()) continue;
    text += verdicts_text(variant, shown);
    const std::string line =
        job_changes_text(word_at(variant, "name"), "simulated", variant.at("impacts").at(0));
    if (!line.empty()) text += line + "\n";
    text += lost_jobs_text(variant);
  }
  return text;
}

/// Explains the columns of the calibration.
std::string legend(const Json& answer) {
  const auto pairs = answer.at("calibrated").value("perturbed", std::size_t{0});
  std::string text = "users: mean waits are off by " +
                     in_seconds(answer.at("calibration").at("user_error_s")) + " s on average\n";
  text +=
      "error: the simulated mean minus that of the log; K-S distance: of all waits, 0 if they "
      "are alike, 1 if not at all\n";
  if (pairs > 0)
    text += fmt::format(
        "means and range: of {} in which times move by less than a second, which the log can't "
        "tell\n",
        with_noun(pairs, "simulation"));
  return text;
}

/// Says how many jobs do not complete in the calibrated simulation, or "".
std::string baseline_text(const Json& calibrated) {
  const auto open = calibrated.value("not_completed", std::size_t{0});
  if (open == 0) return "";
  return "simulated: " + with_noun(open, "job") + " of the log " + (open == 1 ? "does" : "do") +
         " not complete (" + ends_text(calibrated.value("ends", Json::object())) + ")\n";
}

constexpr const char* kVerdictNote =
    "The difference of `simulated` is against the log: the error of the calibration. Those of "
    "variants are against\n`simulated`. Within the error: a difference is at most the error for "
    "these jobs in one of the\nsimulations, so it says nothing.\nGain and lose: jobs that complete "
    "more than 5 % sooner and "
    "later. Lost: jobs that no longer complete, "
    "in three of four simulations.\n";

/// Says what the ranges are, if there are some.
std::string range_note(const Json& answer) {
  const auto pairs = answer.at("calibrated").value("perturbed", std::size_t{0});
  if (pairs == 0)
    return "One simulation of each counts (--perturb 0), so any difference can be chance.\n";
  std::vector<std::string> alone;
  for (const Json& variant : answer.at("variants"))
    if (variant.value("perturbed", std::size_t{0}) == 0)
      alone.push_back(variant.at("name").get<std::string>());
  return fmt::format(
             "Values are means of {} in which submissions and ends move by less than a second, "
             "which the log can't\ntell, and ranges are of these. By chance: some differences have "
             "the other sign. Only jobs that start in both count.\n",
             with_noun(pairs, "simulation")) +
         (alone.empty()
              ? ""
              : "One simulation only, so any difference can be chance: " + join(alone) + ".\n");
}

/// Returns the answer as paragraphs and tables, which `print` formats.
std::string text_of_whatif(const Json& answer, auto print) {
  const Json& calibration = answer.at("calibration");
  const Shown shown = shown_groups(calibration);
  const std::string rules = word_at(calibration, "rules"),
                    policy = calibration.value("policy", rules);
  std::string text =
      log_heading(answer) + "rules: " + rules + (policy == rules ? "" : ", " + policy) + "\n\n";
  if (const Json& tried = answer.at("tried"); tried.size() > 1)
    text += print(tried_table(tried)) + "\n";
  text += print(calibration_table(calibration, shown)) + "\n" + legend(answer) +
          usage_text(calibration) + unshown_text(shown) + baseline_text(answer.at("calibrated")) +
          "\n";
  if (!answer.at("variants").empty())
    text += print(impact_table(answer, shown)) + "\n" + kVerdictNote + range_note(answer) +
            changes_text(answer, shown) + "\n";
  return text + print(totals_table(answer));
}

std::string csv_value(const Json& value) {
  if (value.is_null()) return "";
  return value.is_string() ? csv_text(value.get<std::string>()) : value.dump();
}

std::string csv_of_whatif(const Json& answer) {
  std::string text =
      "variant,group_kind,group_name,jobs,log_mean_s,log_median_s,calibrated_mean_s,"
      "calibrated_median_s,calibration_error_s,calibration_error,ks_distance,mean_s,difference_s,"
      "change,gain,lose,not_completed,least_difference_s,most_difference_s,worst_job,worst_s,"
      "verdict\n";
  const Json& calibration = answer.at("calibration");
  const auto add = [&](const Json& name, const Json& entry, const Json& impact) {
    const Json worst = impact.value("worst", Json());
    const auto of_worst = [&](const char* key) { return worst.is_null() ? Json() : worst.at(key); };
    std::vector<std::string> fields = {csv_value(name),
                                       csv_value(entry.at("group").at("kind")),
                                       csv_value(entry.at("group").at("name")),
                                       csv_value(impact.value("jobs", entry.at("jobs"))),
                                       csv_value(entry.at("log").at("mean_s")),
                                       csv_value(entry.at("log").at("median_s")),
                                       csv_value(entry.at("simulated").at("mean_s")),
                                       csv_value(entry.at("simulated").at("median_s")),
                                       csv_value(entry.at("error_s")),
                                       csv_value(entry.at("error")),
                                       csv_value(entry.at("ks_distance"))};
    for (const char* key : {"mean_s", "difference_s", "change", "gain", "lose", "not_completed"})
      fields.push_back(csv_value(impact.value(key, Json())));
    const Json range = impact.value("difference_range", Json());
    for (const char* key : {"least_s", "most_s"})
      fields.push_back(range.is_null() ? "" : csv_value(range.at(key)));
    fields.insert(fields.end(), {csv_value(of_worst("job")), csv_value(of_worst("by_s")),
                                 csv_value(impact.value("verdict", Json()))});
    text += join(fields, ",") + "\n";
  };
  for (const Json& entry : calibration.at("groups"))
    add(calibration.at("rules"), entry, {{"mean_s", entry.at("simulated").at("mean_s")}});
  for (const Json& variant : answer.at("variants"))
    for (const Json& impact : variant.at("impacts"))
      for (const Json& entry : calibration.at("groups"))
        if (entry.at("group") == impact.at("group")) add(variant.at("name"), entry, impact);
  return text;
}

}  // namespace

std::string format_whatif(const Json& answer, BatchFormat format, int width) {
  if (format == BatchFormat::kJson) return answer.dump(2) + "\n";
  if (format == BatchFormat::kCsv) return csv_of_whatif(answer);
  if (format == BatchFormat::kMarkdown)
    return text_of_whatif(
        answer, [](const TableOfLog& table) { return markdown_table(table.columns, table.rows); });
  return text_of_whatif(answer, [width](const TableOfLog& table) {
    return format_table(table.columns, table.rows, width);
  });
}

}  // namespace heddle::report
