#include "report/comparison/text.h"

#include <fmt/core.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <map>
#include <set>
#include <span>
#include <vector>

#include "common/text.h"
#include "report/comparison/affected.h"
#include "report/comparison/comparison.h"
#include "report/comparison/fault_cost.h"
#include "report/comparison/latex.h"
#include "report/comparison/missing.h"
#include "report/comparison/pairs.h"
#include "report/comparison/words.h"
#include "report/table.h"

namespace heddle::report {
namespace {

using wire::Json;
using Rows = std::vector<std::vector<std::string>>;

struct Table {
  std::vector<Column> columns;
  Rows rows;
};

constexpr std::size_t kMostLeftOut = 8;
constexpr std::size_t kWidth = 100;
constexpr double kFewPercent = 0.02, kMany = 100, kMostExact = 1e12;
/// A percentage below this would be rounded to 0 with one decimal.
constexpr double kLeastPercent = 0.05;
/// Maximum number of workloads, and of users, that are shown. With more of them, the table would be
/// too long.
constexpr std::size_t kMostShown = 6;
/// Metrics that are shown for groups of jobs.
constexpr std::string_view kOfParts[] = {"mean_waiting_s", "mean_completion_s"};
/// Metrics of all jobs and of runs that are shown if they differ anywhere.
constexpr std::string_view kOfAll[] = {"mean_slowdown",
                                       "fairness",
                                       "user_fairness",
                                       "mean_bounded_slowdown",
                                       "p95_waiting_s",
                                       "p95_completion_s",
                                       "utilisation_cpu",
                                       "utilisation_memory",
                                       "failed_jobs",
                                       "oom_kills",
                                       "lost",
                                       "wasted_core_s",
                                       "locality",
                                       "crash_fraction",
                                       "preemptions",
                                       "walltime_kills",
                                       "reservation_wait_s",
                                       "suspensions",
                                       "prediction_nrmse",
                                       "cluster_cost",
                                       "allocated_cost",
                                       "wasted_cost"};
/// Metrics that are also shown for users.
constexpr std::string_view kOfUsers[] = {"mean_slowdown", "jobs_core_h", "jobs_cost"};
/// Metrics in a sweep's table besides the headlines.
constexpr std::string_view kOfSweeps[] = {"mean_slowdown",  "fairness",     "user_fairness",
                                          "crash_fraction", "cluster_cost", "allocated_cost",
                                          "utilisation_cpu"};

/// Maximum number of jobs for which the cost of faults is shown.
constexpr std::size_t kMostCosts = 10;

/// Returns the measured cost of a figure. An unknown cost is the lowest.
double cost_s(const Json& figure) {
  const Json& measured = figure.at("measured");
  return measured.is_object() ? measured.at("cost_s").get<double>()
                              : -std::numeric_limits<double>::infinity();
}

bool is_in(std::span<const std::string_view> keys, std::string_view key) {
  return std::find(keys.begin(), keys.end(), key) != keys.end();
}

std::string text_at(const Json& object, const char* key) {
  return object.at(key).get<std::string>();
}

/// Returns a list of a comparison. Returns an empty list if the file has no such list, because an
/// older version wrote it.
Json list(const Json& comparison, const char* key) { return comparison.value(key, Json::array()); }

/// Returns the number of decimals of a value, or of values that stand below each other. `most`: the
/// largest of them in size.
int decimals(std::string_view unit, double most, bool whole) {
  if (unit == "share") return most != 0 && most < kFewPercent ? 2 : 1;
  if (unit == "s" || unit == "core-s" || unit == "us" || unit == "ms") return 1;
  if (whole) return 0;
  return most < kMany ? 3 : 1;
}

bool is_whole(double number) {
  return number == std::round(number) && std::abs(number) < kMostExact;
}

/// Returns the value of a unit with this number of decimals.
std::string decimal_text(const Json& value, std::string_view unit, int digits) {
  if (!value.is_number()) return "-";
  const auto number = value.get<double>();
  return unit == "share" ? fmt::format("{:.{}f} %", number * 100, digits)
                         : fmt::format("{:.{}f}", number, digits);
}

/// Returns the number of decimals for all spreads that stand below each other.
int decimals_of(std::string_view unit, const std::vector<const Json*>& spreads) {
  double most = 0;
  bool whole = true;
  for (const Json* spread : spreads)
    for (const char* part : {"median", "low", "high"})
      if (const Json& value = spread->at(part); value.is_number()) {
        most = std::max(most, std::abs(value.get<double>()));
        whole = whole && is_whole(value.get<double>());
      }
  return decimals(unit, most, whole);
}

/// Returns "98.0-102.0" or "58.1-59.9 %".
std::string spread_text(const Json& values, const std::string& unit, int digits) {
  if (values.at("low").is_null()) return "";
  const std::string low = decimal_text(values.at("low"), unit, digits);
  return low.substr(0, low.find(' ')) + "-" + decimal_text(values.at("high"), unit, digits);
}

std::vector<std::string> difference_cells(const Json& against, const Json& metric) {
  const std::string unit = text_at(metric, "unit");
  const std::string verdict = verdict_text(against, metric.at("better"));
  if (against.at("difference").is_null()) return {"", "", verdict};
  const bool ratio = !against.at("relative").is_null();
  auto one = [&](const Json& value) {
    return ratio ? change_text(value) : metric_text(value, unit);
  };
  const Json& interval = against.at(ratio ? "relative_interval" : "interval");
  std::string range;
  if (!interval.is_null())
    range = one(interval.at(0)) + " to " + one(interval.at(1));
  else if (!against.at("interval").is_null())  // the relative interval is too wide to be useful
    range = "beyond " + change_text(kMostRelative);
  return {one(against.at(ratio ? "relative" : "difference")), range, verdict};
}

/// Returns for each policy what its rows say after its name: " (3 of 6 runs)", or "" if its figures
/// are those of a run for each repeat.
std::vector<std::string> row_notes(const Json& comparison) {
  std::vector<std::string> notes;
  for (const Json& policy : comparison.at("policies")) {
    const Json& runs = policy.at("runs");
    const std::string few = few_runs_text(comparison, runs, affected_runs(policy));
    notes.push_back(few.empty() ? "" : " (" + few + ")");
  }
  return notes;
}

/// Adds a row for each policy: the metric (only in the first row), the policy, and the cells.
void add_rows(const Json& metric, const std::vector<std::string>& notes, Rows& rows) {
  const std::string unit = text_at(metric, "unit");
  const Json& policies = metric.at("policies");
  std::vector<const Json*> spreads;
  for (const Json& policy : policies) spreads.push_back(&policy);
  const int digits = decimals_of(unit, spreads);
  for (std::size_t i = 0; i < policies.size(); ++i) {
    const Json& policy = policies[i];
    std::vector<std::string> row = {
        i == 0 ? metric_title(metric) : "", text_at(policy, "name") + notes.at(i),
        decimal_text(policy.at("median"), unit, digits), spread_text(policy, unit, digits)};
    if (i > 0)
      for (std::string& cell : difference_cells(metric.at("against")[i - 1], metric))
        row.push_back(std::move(cell));
    rows.push_back(std::move(row));
  }
}

bool is_chosen(const Json& metric) { return metric.value("chosen", false); }

bool one_value_throughout(const Json& metric) {
  const Json& first = metric.at("policies").at(0).at("low");
  return std::all_of(
      metric.at("policies").begin(), metric.at("policies").end(),
      [&](const Json& policy) { return policy.at("low") == first && policy.at("high") == first; });
}

/// Returns whether a metric is in the table. `few`: the kinds of groups of which there are few.
bool is_shown(const Json& metric, const std::set<std::string>& few) {
  if (metric.at("headline").get<bool>() || is_chosen(metric)) return true;
  const Json& kind = metric.at("group").at("kind");
  if (kind == "all") return is_in(kOfAll, text_at(metric, "key")) && !one_value_throughout(metric);
  if (!few.contains(kind.get<std::string>())) return false;
  const std::string key = text_at(metric, "key");
  return is_in(kOfParts, key) || (kind == "user" && is_in(kOfUsers, key));
}

/// Returns the kinds of groups that the table shows: all but workloads and users of which there are
/// many.
std::set<std::string> shown_kinds(const Json& comparison) {
  std::map<std::string, std::set<std::string>> names;
  for (const Json& metric : comparison.at("metrics"))
    names[text_at(metric.at("group"), "kind")].insert(text_at(metric.at("group"), "name"));
  std::set<std::string> kinds;
  for (const auto& [kind, of_kind] : names)
    if ((kind != "workload" && kind != "user") || of_kind.size() <= kMostShown) kinds.insert(kind);
  return kinds;
}

Table comparison_table(const Json& comparison) {
  Table table;
  table.columns = {
      {"metric"},
      {"policy", false, Narrow::kShorten},
      {"median", true},
      {"min-max", false, Narrow::kDrop},
      {"against " + text_at(comparison.at("policies").at(0), "name"), true, Narrow::kShorten},
      {fmt::format("{:.4g} % interval", comparison.at("level").get<double>() * 100)},
      {"verdict"}};
  const std::set<std::string> few = shown_kinds(comparison);
  const std::vector<std::string> notes = row_notes(comparison);
  for (const Json& metric : comparison.at("metrics"))
    if (is_shown(metric, few)) add_rows(metric, notes, table.rows);
  return table;
}

/// Makes the table narrower for terminals. Each metric has a separate line, and the lines of its
/// policies follow.
Table folded(const Table& table) {
  Table folded{{table.columns.begin() + 1, table.columns.end()}, {}};
  folded.columns.front().title = "";
  for (const auto& row : table.rows) {
    if (!row.front().empty()) folded.rows.push_back({row.front()});
    folded.rows.emplace_back(row.begin() + 1, row.end());
    folded.rows.back().front().insert(0, "  ");
  }
  return folded;
}

/// Returns the options in which the policies differ.
Table options_table(const Json& comparison) {
  Table table{{{"option"}}, {}};
  for (const Json& policy : comparison.at("policies"))
    table.columns.push_back({text_at(policy, "name"), false, Narrow::kShorten});
  for (const Json& option : list(comparison, "options")) {
    table.rows.push_back({text_at(option, "key")});
    for (const Json& value : option.at("values"))
      table.rows.back().push_back(value.is_null() ? "-" : value.get<std::string>());
  }
  return table;
}

/// Returns what faults cost, with a line for each figure. Jobs with a high cost come first, and the
/// others are left out.
Table fault_cost_table(const Json& costs) {
  Table table{{{"policy", false, Narrow::kShorten},
               {"figure"},
               {"without faults, s", true},
               {"with faults, s", true},
               {"cost", true}},
              {}};
  const bool predicted = std::ranges::any_of(costs, [](const Json& cost) {
    return std::ranges::any_of(
        cost.at("figures"), [](const Json& figure) { return figure.at("predicted").is_object(); });
  });
  if (predicted) {
    table.columns.push_back({"simulated cost", true});
    table.columns.push_back({"real minus simulated, s", true});
  }
  for (const Json& cost : costs) {
    std::vector<Json> figures;
    for (const Json& figure : cost.at("figures")) figures.push_back(figure);
    const auto jobs = std::ranges::find_if(
        figures, [](const Json& figure) { return figure.at("job").is_string(); });
    std::stable_sort(jobs, figures.end(),
                     [](const Json& a, const Json& b) { return cost_s(a) > cost_s(b); });
    const auto heads = static_cast<std::size_t>(jobs - figures.begin());
    figures.resize(std::min(figures.size(), heads + kMostCosts));
    for (const Json& figure : figures) {
      const Json& measured = figure.at("measured");
      const auto part = [&](const char* key) {
        return metric_text(measured.is_object() ? measured.at(key) : Json(), "s");
      };
      table.rows.push_back({&figure == &figures.front() ? text_at(cost, "policy") : "",
                            cost_title(figure), part("without"), part("with"),
                            cost_text(measured)});
      if (!predicted) continue;
      table.rows.back().push_back(cost_text(figure.at("predicted")));
      table.rows.back().push_back(number_cell(figure.at("error_s"), "{:+.1f}"));
    }
  }
  return table;
}

std::string failed_runs(const Json& policy) {
  std::string repeats;
  for (std::size_t i = 0; i < policy.at("runs").size(); ++i)
    if (policy.at("runs")[i].at("status") == "failed")
      repeats += (repeats.empty() ? "" : ", ") + std::to_string(i + 1);
  return repeats.empty() ? "" : text_at(policy, "name") + ": jobs failed in repeat " + repeats;
}

std::string left_out(const Json& jobs) {
  if (jobs.empty()) return "";
  std::string text = "left out of the times because not every policy completed them: ";
  for (std::size_t i = 0; i < std::min(jobs.size(), kMostLeftOut); ++i)
    text += fmt::format("{}{} (repeat {})", i == 0 ? "" : ", ",
                        jobs[i].at("job").get<std::string>(), jobs[i].at("repeat").get<int>());
  if (jobs.size() > kMostLeftOut) text += fmt::format(" and {} more", jobs.size() - kMostLeftOut);
  return text;
}

/// Returns what a batch says whose variants all do not depend on chance; else "".
std::string chance_note(const Json& variants) {
  const bool exact = std::ranges::all_of(
      variants, [](const Json& variant) { return variant.value("exact", false); });
  return exact ? "Nothing in these simulations depends on chance, so one repeat shows everything, "
                 "and differences are exact."
               : "";
}

std::string identical_repeats(const Json& names) {
  if (names.empty()) return "";
  return join(names.get<std::vector<std::string>>()) +
         ": all repeats are identical, so differences between these policies cannot be tested";
}

/// Returns how the differences are to be read; "" if the comparison has none with an interval.
std::string differences_note(const Json& comparison) {
  for (const Json& metric : comparison.at("metrics"))
    for (const Json& against : metric.at("against"))
      if (against.contains("relative_interval") && !against["relative_interval"].is_null())
        return "A difference is the geometric mean of the ratios of repeats with the same seed, so "
               "it can differ from the ratio of the medians.";
  return "";
}

/// Returns the notes on a comparison, one paragraph for each note. The figures are not among them.
/// `pairs`: what explains the tables of every two policies; "" if it stands elsewhere.
std::vector<std::string> notes_of(const Json& comparison, const std::string& pairs) {
  std::vector<std::string> notes;
  notes = affected_notes(comparison);
  for (const Json& policy : comparison.at("policies")) notes.push_back(failed_runs(policy));
  notes.push_back(left_out(list(comparison, "left_out")));
  notes.push_back(chance_note(comparison.at("policies")));
  if (notes.back().empty())
    notes.push_back(identical_repeats(list(comparison, "identical_repeats")));
  notes.push_back(differences_note(comparison));
  notes.push_back(comparison.value("slowdown", ""));
  notes.push_back(pairs);
  for (const Json& words : list(comparison, "in_words")) notes.push_back(words.get<std::string>());
  std::erase(notes, "");
  return notes;
}

bool in_sweep_table(const std::string& key, const Json& metric) {
  return metric.at("headline").get<bool>() || is_chosen(metric) || is_in(kOfSweeps, key);
}

/// Returns the metrics of a sweep's table by key, from the first point that has them.
std::vector<std::pair<std::string, Json>> sweep_columns(const Json& sweep) {
  std::vector<std::pair<std::string, Json>> columns;
  for (const Json& point : sweep.at("points"))
    for (const auto& [key, metric] : point.at("metrics").items()) {
      const bool there = std::any_of(columns.begin(), columns.end(),
                                     [&name = key](const auto& c) { return c.first == name; });
      if (!there && in_sweep_table(key, metric)) columns.emplace_back(key, metric);
    }
  return columns;
}

/// Wraps text into lines of at most kWidth characters, except for longer words.
std::string wrapped(const std::string& text) {
  std::string lines;
  std::size_t width = 0;
  for (std::size_t at = 0; at < text.size();) {
    const std::size_t end = std::min(text.find(' ', at), text.size());
    if (width > 0) {
      const bool fits = width + 1 + end - at <= kWidth;
      lines += fits ? ' ' : '\n';
      width = fits ? width + 1 : 0;
    }
    lines += text.substr(at, end - at);
    width += end - at;
    at = end + 1;
  }
  return lines + "\n";
}

std::string repeats_text(const Json& repeats) {
  return fmt::format("{} repeat{}", repeats.get<int>(), repeats == 1 ? "" : "s");
}

std::string heading(const Json& batch) {
  const std::string affected = affected_heading(batch);
  return text_at(batch, "scenario") + ", " + text_at(batch, "mode") + ", " +
         repeats_text(batch.at("repeat")) + (affected.empty() ? "" : "; " + affected);
}

/// Returns what the brackets of a sweep's table say; "" if it has none.
std::string brackets_note(const Json& sweep) {
  for (const Json& point : sweep.at("points"))
    for (const auto& [key, metric] : point.at("metrics").items())
      if (metric.at("low") != metric.at("high"))
        return "Values are medians of the repeats, with the least and the greatest in brackets.";
  return "";
}

/// Returns the notes on a sweep, one paragraph for each note.
std::vector<std::string> sweep_notes(const Json& sweep) {
  std::vector<std::string> notes = affected_notes(sweep);
  notes.push_back(brackets_note(sweep));
  notes.push_back(chance_note(sweep.at("points")));
  notes.push_back(sweep.value("slowdown", ""));
  std::erase(notes, "");
  return notes;
}

/// Returns the first paragraph of a batch of which runs are missing; else "".
std::string missing_paragraph(const Json& batch) {
  const std::string text = missing_text(batch);
  return text.empty() ? "" : text + "\n\n";
}

/// Returns the values of a metric in all points that have it.
std::vector<const Json*> spreads_of(const Json& sweep, const std::string& key) {
  std::vector<const Json*> spreads;
  for (const Json& point : sweep.at("points"))
    if (const auto it = point.at("metrics").find(key); it != point.at("metrics").end())
      spreads.push_back(&*it);
  return spreads;
}

/// Returns "12.3", or "12.3 [10.1-14.0]" if the repeats differ.
std::string sweep_cell(const Json& spread, const std::string& unit, int digits) {
  const std::string median = decimal_text(spread.at("median"), unit, digits);
  if (spread.at("low") == spread.at("high")) return median;
  return median + " [" + spread_text(spread, unit, digits) + "]";
}

Table sweep_table(const Json& sweep) {
  Table table;
  for (const Json& over : sweep.at("over"))
    table.columns.push_back({text_at(over, "key"), true, Narrow::kShorten});
  const bool missing = !missing_text(sweep).empty();
  if (missing) table.columns.push_back({"runs", true});
  const auto metrics = sweep_columns(sweep);
  std::vector<int> digits;
  for (const auto& [key, metric] : metrics) {
    const std::string unit = text_at(metric, "unit");
    digits.push_back(decimals_of(unit, spreads_of(sweep, key)));
    table.columns.push_back(
        {text_at(metric, "title") + (unit == "s" ? ", s" : ""), true, Narrow::kDrop});
  }
  for (const Json& point : sweep.at("points")) {
    auto row = point.at("values").get<std::vector<std::string>>();
    if (missing)
      row.push_back(fmt::format("{} of {}", done_among(point.at("runs")), point.at("runs").size()));
    for (std::size_t i = 0; i < metrics.size(); ++i) {
      const auto it = point.at("metrics").find(metrics[i].first);
      row.push_back(it == point.at("metrics").end()
                        ? "-"
                        : sweep_cell(*it, text_at(metrics[i].second, "unit"), digits[i]));
    }
    table.rows.push_back(std::move(row));
  }
  return table;
}

constexpr const char* kNeedsBooktabs = "needs \\usepackage{booktabs}";

/// Returns the head of a batch and its table, with the sentences about it as comments.
std::string latex_batch(const Json& batch, const Table& table,
                        const std::vector<std::string>& notes) {
  std::string text = latex_comment(missing_text(batch)) + latex_comment(heading(batch)) +
                     latex_comment(kNeedsBooktabs);
  if (!table.rows.empty()) text += latex_table(table.columns, table.rows);
  for (const std::string& note : notes) text += latex_comment(note);
  return text;
}

/// Returns a further table under a comment, or "" if it is empty.
std::string latex_part(const std::string& title, const Table& table) {
  return table.rows.empty() ? ""
                            : "\n" + latex_comment(title) + latex_table(table.columns, table.rows);
}

}  // namespace

std::string metric_title(const Json& metric) {
  const std::string unit = text_at(metric, "unit");
  const std::string name = text_at(metric.at("group"), "name");
  const std::string kind = text_at(metric.at("group"), "kind");
  std::string title = text_at(metric, "title");
  if (!name.empty()) title = (kind == "workload" ? name : kind + " " + name) + ": " + title;
  return unit.empty() || unit == "share" ? title : title + ", " + unit;
}

std::string metric_text(const Json& value, std::string_view unit) {
  if (!value.is_number()) return "-";
  const auto number = value.get<double>();
  return decimal_text(value, unit, decimals(unit, std::abs(number), is_whole(number)));
}

std::string change_text(const Json& relative) {
  if (!relative.is_number()) return "-";
  const double percent = relative.get<double>() * 100;
  const int digits = percent != 0 && std::abs(percent) < kLeastPercent ? 3 : 1;
  return fmt::format("{:+.{}f} %", percent, digits);
}

std::string format_comparison(const Json& comparison, int width) {
  const Table table = folded(comparison_table(comparison));
  std::string text = missing_paragraph(comparison) + heading(comparison) + "\n\n";
  text +=
      table.rows.empty() ? "nothing to compare\n" : format_table(table.columns, table.rows, width);
  for (const PairsTable& pairs : pairs_tables(comparison))
    text += "\nevery two policies: " + pairs.title + "\n" +
            format_table(pairs.columns, pairs.rows, width);
  if (const Table options = options_table(comparison); !options.rows.empty())
    text += "\noptions that differ\n" + format_table(options.columns, options.rows, width);
  if (const Json costs = list(comparison, "fault_costs"); !costs.empty()) {
    const Table cost = fault_cost_table(costs);
    text += "\ncost of the faults\n" + format_table(cost.columns, cost.rows, width);
  }
  for (const std::string& note : notes_of(comparison, pairs_note(comparison)))
    text += "\n" + wrapped(note);
  return text;
}

std::string markdown_comparison(const Json& comparison) {
  const Table table = comparison_table(comparison);
  std::string text = missing_paragraph(comparison) + "## " + heading(comparison) + "\n\n";
  text += table.rows.empty() ? "Nothing to compare.\n" : markdown_table(table.columns, table.rows);
  for (const PairsTable& pairs : pairs_tables(comparison))
    text +=
        "\nEvery two policies: " + pairs.title + "\n\n" + markdown_table(pairs.columns, pairs.rows);
  if (const Table options = options_table(comparison); !options.rows.empty())
    text += "\nOptions that differ:\n\n" + markdown_table(options.columns, options.rows);
  if (const Json costs = list(comparison, "fault_costs"); !costs.empty()) {
    const Table cost = fault_cost_table(costs);
    text += "\nCost of the faults:\n\n" + markdown_table(cost.columns, cost.rows);
  }
  for (const std::string& note : notes_of(comparison, pairs_note(comparison)))
    text += "\n" + note + "\n";
  return text;
}

std::string latex_comparison(const Json& comparison) {
  const Json costs = list(comparison, "fault_costs");
  std::string pairs;
  for (PairsTable& of_metric : pairs_tables(comparison)) {
    of_metric.columns.front().title = of_metric.title;
    pairs += latex_part("every two policies", {of_metric.columns, of_metric.rows});
  }
  // Readers of the paper need it to understand the brackets.
  if (!pairs.empty()) pairs += latex_note(pairs_note(comparison));
  return latex_batch(comparison, comparison_table(comparison), notes_of(comparison, "")) + pairs +
         latex_part("options that differ", options_table(comparison)) +
         latex_part("cost of the faults", costs.empty() ? Table() : fault_cost_table(costs));
}

std::string latex_sweep(const Json& sweep) {
  const std::string note = brackets_note(sweep);
  std::vector<std::string> comments = sweep_notes(sweep);
  std::erase(comments, note);
  return latex_batch(sweep, sweep_table(sweep), comments) + (note.empty() ? "" : latex_note(note));
}

std::string format_sweep(const Json& sweep, int width) {
  const Table table = sweep_table(sweep);
  std::string text = missing_paragraph(sweep) + heading(sweep) + "\n\n" +
                     format_table(table.columns, table.rows, width);
  for (const std::string& note : sweep_notes(sweep)) text += "\n" + wrapped(note);
  return text;
}

std::string markdown_sweep(const Json& sweep) {
  const Table table = sweep_table(sweep);
  std::string text = missing_paragraph(sweep) + "## " + heading(sweep) + "\n\n" +
                     markdown_table(table.columns, table.rows);
  for (const std::string& note : sweep_notes(sweep)) text += "\n" + note + "\n";
  return text;
}

}  // namespace heddle::report
