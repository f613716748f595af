#include "report/table.h"

#include <algorithm>
#include <map>
#include <set>
#include <utility>

#include "common/number.h"
#include "common/text.h"
#include "report/disturbance.h"

namespace heddle::report {
namespace {

using wire::Json;

std::size_t width_of(const std::string& text) {
  return static_cast<std::size_t>(
      std::count_if(text.begin(), text.end(), [](char c) { return (c & 0xC0) != 0x80; }));
}

/// Returns the characters of a text in UTF-8.
std::u32string characters_of(const std::string& text) {
  std::u32string all;
  for (const char c : text) {
    const auto byte = static_cast<unsigned char>(c);
    if ((byte & 0xC0) == 0x80 && !all.empty())
      all.back() = (all.back() << 8) | byte;  // the bytes of a character, one after the other
    else
      all.push_back(byte);
  }
  return all;
}

std::string utf8_of(const std::u32string& characters) {
  std::string text;
  for (const char32_t character : characters)
    for (int shift = 24; shift >= 0; shift -= 8)
      if (const auto byte = static_cast<char>(character >> shift & 0xFF); byte != 0) text += byte;
  return text;
}

/// A table that is laid out: its cells, and the columns that are shown.
class Grid {
 public:
  Grid(const std::vector<Column>& columns, const std::vector<std::vector<std::string>>& rows)
      : columns_(columns), rows_(rows) {
    for (auto& row : rows_)
      for (std::string& cell : row) cell = printable_line(cell);
    for (std::size_t i = 0; i < columns_.size(); ++i) shown_.push_back(i);
    measure(true);
  }

  /// Returns the text. REQUIRES: called once.
  std::string text(std::size_t most) {
    for (std::size_t i = 0; i < columns_.size(); ++i)
      if (const auto longest = static_cast<std::size_t>(columns_[i].most);
          longest > 0 && widths_[i] > longest)
        shorten(i, widths_[i] - longest);
    if (most > 0 && width() > most) narrow(most);
    std::vector<std::string> titles;
    for (const Column& column : columns_) titles.push_back(column.title);
    std::string text = lines_of(titles);
    for (const auto& row : rows_) text += lines_of(row);
    return text + note();
  }

 private:
  /// Fewest characters of a column that is wrapped or shortened.
  static constexpr std::size_t kLeastWrapped = 30, kLeastShortened = 12;

  /// Returns whether the row is a heading of the rows below it. A heading can be wider than its
  /// column.
  bool is_heading(const std::vector<std::string>& row) const {
    return row.size() == 1 && columns_.size() > 1;
  }

  void measure(bool headings) {
    widths_.clear();
    for (const Column& column : columns_) widths_.push_back(width_of(column.title));
    for (const auto& row : rows_)
      for (std::size_t i = 0; i < row.size() && (headings || !is_heading(row)); ++i)
        widths_[i] = std::max(widths_[i], width_of(row[i]));
  }

  std::size_t width() const {
    std::size_t sum = 2 * (shown_.size() - 1);
    for (const std::size_t i : shown_) sum += widths_[i];
    return sum;
  }

  void narrow(std::size_t most) {
    measure(false);
    for (const std::size_t i : shown_)
      if (columns_[i].narrow == Narrow::kWrap && width() > most)
        widths_[i] -= std::min(width() - most, widths_[i] - std::min(widths_[i], kLeastWrapped));
    for (std::size_t i = columns_.size(); i-- > 0;)
      if (columns_[i].narrow == Narrow::kDrop && width() > most) {
        left_out_.insert(left_out_.begin(), columns_[i].title);
        std::erase(shown_, i);
      }
    for (const std::size_t i : shown_)
      if (columns_[i].narrow == Narrow::kShorten && width() > most) shorten(i, width() - most);
  }

  void shorten(std::size_t column, std::size_t by) {
    if (widths_[column] <= kLeastShortened) return;
    const std::size_t most =
        std::max(kLeastShortened, widths_[column] - std::min(by, widths_[column]));
    std::vector<std::string*> cells = {&columns_[column].title};
    for (auto& row : rows_)
      if (column < row.size() && !is_heading(row)) cells.push_back(&row[column]);
    std::vector<std::string> texts;
    for (const std::string* cell : cells) texts.push_back(*cell);
    texts = shortened(texts, static_cast<int>(most));
    for (std::size_t i = 0; i < cells.size(); ++i) *cells[i] = texts[i];
    shortened_ = true;
    widths_[column] = most;
  }

  /// Returns the lines of a row, more than one if a cell is wrapped.
  std::string lines_of(const std::vector<std::string>& cells) const {
    std::string text;
    std::vector<std::string> left = cells;
    for (bool more = true; more;) {
      more = false;
      std::string line;
      for (const std::size_t i : shown_) {
        if (i >= left.size()) break;
        std::string part = left[i];
        left[i].clear();
        if (columns_[i].narrow == Narrow::kWrap && width_of(part) > widths_[i]) {
          std::size_t end = part.rfind(' ', widths_[i]);
          if (end == std::string::npos || end == 0) end = part.find(' ');
          if (end != std::string::npos) {
            left[i] = part.substr(end + 1);
            part.resize(end);
            more = true;
          }
        }
        const std::string pad(widths_[i] - std::min(widths_[i], width_of(part)), ' ');
        if (i != shown_.front()) line += "  ";
        line += columns_[i].right ? pad + part : part + pad;
      }
      line.erase(line.find_last_not_of(' ') + 1);
      text += line + "\n";
    }
    return text;
  }

  std::string note() const {
    if (left_out_.empty() && !shortened_) return "";
    std::string text = left_out_.empty() ? "" : "left out: " + join(left_out_);
    if (shortened_) text += std::string(text.empty() ? "" : "; ") + "long names are shortened";
    return text + " (--wide shows all)\n";
  }

  std::vector<Column> columns_;
  std::vector<std::vector<std::string>> rows_;
  std::vector<std::size_t> shown_, widths_;
  std::vector<std::string> left_out_;
  bool shortened_ = false;
};

std::string seconds_text(const Json& value) { return number_cell(value, "{:.1f}"); }

std::string percent(const Json& value) { return number_cell(value, "{:.0f} %", 100); }

std::string count(const Json& value) {
  return value.is_number() ? std::to_string(value.get<std::int64_t>()) : "-";
}

/// Most jobs that are listed. The log of a site has tens of thousands.
constexpr std::size_t kMostListed = 200;

/// Returns a line that says how many of the jobs are not listed, or "" if all are.
std::string not_listed(std::size_t jobs, const char* what) {
  if (jobs <= kMostListed) return "";
  return fmt::format("... and {} other {}; summary.json has all\n", jobs - kMostListed, what);
}

/// Returns a line for each job that failed or was killed, and a line if the run did not end
/// normally.
std::string trouble(const Json& summary) {
  std::string text;
  std::size_t troubled = 0;
  for (const Json& job : summary.at("jobs"))
    if (job.at("reason").is_string() && ++troubled <= kMostListed)
      text += fmt::format("{} {}: {}\n", job.at("name").get<std::string>(),
                          job.at("state").get<std::string>(),
                          printable_line(job.at("reason").get<std::string>()));
  text += not_listed(troubled, "jobs that failed or were killed");
  const Json& status = summary.at("status");
  const Json& reason = summary.at("reason");
  if (status == "aborted" || status == "interrupted")
    text +=
        status.get<std::string>() +
        (reason == status || !reason.is_string() ? ""
                                                 : ": " + printable(reason.get<std::string>())) +
        "\n";
  return text;
}

/// Returns a member of an object, or null if there is none or `json` is no object.
Json known(const Json& json, const char* key) {
  return json.is_object() ? json.value(key, Json()) : Json();
}

/// Returns a line that the cluster was shared among users, or "" if the scenario chose whether it
/// is.
std::string users_line(const Json& policy) {
  if (!known(policy, "queues_by_user").is_boolean()) return "";
  return "each user had a queue, because jobs of several users are in one queue (user_queues)\n";
}

/// Returns a line about the decisions of an external policy, or "" if Heddle decided.
std::string policy_line(const Json& overhead) {
  if (!overhead.contains("policy_requests")) return "";
  const Json& us = overhead.at("policy_round_trip_us");
  const auto ms = [&](const char* key) { return number_cell(us.at(key), "{:.1f} ms", 1e-3); };
  std::string line = fmt::format(
      "external policy: {} requests, {} in the median, {} at the 99th percentile (real)",
      count(overhead.at("policy_requests")), ms("p50"), ms("p99"));
  if (const Json& refused = overhead.at("policy_refused"); refused.is_number() && refused > 0)
    line += fmt::format("; {} actions were refused, the journal has the reasons",
                        refused.get<std::int64_t>());
  return line + "\n";
}

std::string fidelity_line(const Json& fidelity) {
  auto error = [](const Json& value) { return number_cell(value, "{:.2f} %", 100); };
  return fmt::format("against ideal task times: {} off in the median, {} at the 99th percentile\n",
                     error(fidelity.at("median_error")), error(fidelity.at("p99_error")));
}

/// Returns lines about the tasks that also wait, read or write, as far as they were measured.
std::string data_lines(const Json& fidelity) {
  const auto line = [&](const char* key, const char* whose) -> std::string {
    const auto errors = fidelity.find(key);
    if (errors == fidelity.end() || !errors->is_object()) return "";
    auto error = [&](const char* of) { return number_cell(errors->at(of), "{:.2f} %", 100); };
    return fmt::format("{}: {} off in the median, {} at the 99th percentile\n", whose,
                       error("median_error"), error("p99_error"));
  };
  return line("work", "work of tasks that wait or move data, against its ideal times") +
         line("transfers", "transfers of data, against fair shares of disks and networks");
}

std::string memory_line(const Json& memory) {
  auto error = [](const Json& value) { return number_cell(value, "{:.1f} %", 100); };
  auto lag = [](const Json& value) { return number_cell(value, "{:.0f} ms"); };
  std::string text = fmt::format(
      "memory against its profiles: {} of the request off in the median, {} at the 99th "
      "percentile; "
      "there after {} and {} (real)\n",
      error(memory.at("median_error")), error(memory.at("p99_error")),
      lag(memory.at("lag_ms").at("p50")), lag(memory.at("lag_ms").at("p99")));
  if (const Json& missed = memory.at("short"); missed.is_number() && missed > 0)
    text += fmt::format("{} completed task{} never reached {} memory peak\n", count(missed),
                        missed == 1 ? "" : "s", missed == 1 ? "its" : "their");
  return text;
}

/// Returns a count that is above 0 with a noun, such as "1 job" or "3 jobs". Returns "" otherwise.
std::string counted(const Json& value, const char* one, const char* many) {
  if (!value.is_number() || value <= 0) return "";
  return count(value) + " " + (value == 1 ? one : many);
}

std::string wasted_line(const Json& wasted) {
  const std::string attempts = counted(known(wasted, "attempts"), "attempt", "attempts");
  if (attempts.empty()) return "";
  if (known(wasted, "core_s").is_null() && known(wasted, "held_core_s").is_number())
    return fmt::format(
        "wasted: {} that did not complete held {:.1f} core-s; what they used is not known, because "
        "their workers were lost\n",
        attempts, known(wasted, "held_core_s").get<double>());
  std::string line = fmt::format("wasted: {} that did not complete used {} core-s and {} GiB-s",
                                 attempts, number_cell(known(wasted, "core_s"), "{:.1f}"),
                                 number_cell(known(wasted, "byte_s"), "{:.1f}", 1.0 / (1 << 30)));
  const std::string lost = counted(known(wasted, "unmeasured"), "attempt", "attempts");
  if (!lost.empty()) line += "; without " + lost + " whose worker was lost";
  return line + "\n";
}

/// Returns a line about money, or "" if no price was given.
std::string cost_line(const Json& summary) {
  const Json cost = known(summary, "cost"), hours = known(summary, "hours");
  if (!cost.is_object()) return "";
  const auto part = [&](const char* what, const char* money, const char* of) {
    return fmt::format("{} {} ({} h)", what, number_cell(known(cost, money), "{:.4g}"),
                       number_cell(known(hours, of), "{:.4g}"));
  };
  const std::string at = "cost at " + known(cost, "price").get<std::string>() + ": ";
  if (!cost.contains("allocated")) return at + part("cluster", "cluster", "node_h") + "\n";
  return at + part("cluster", "cluster", "core_h") + "; " +
         part("allocated", "allocated", "allocated_core_h") + "; " +
         part("used", "used", "used_core_h") + "; " + part("wasted", "wasted", "wasted_core_h") +
         "\n";
}

/// Returns a line that counts failures, or "" if nothing failed.
std::string failures_line(const Json& summary) {
  std::int64_t failed = 0, killed = 0, cancelled = 0;
  for (const Json& job : summary.at("jobs")) {
    failed += job.at("state") == "failed";
    killed += job.at("state") == "killed";
    cancelled += job.at("state") == "cancelled";
  }
  std::vector<std::string> parts = {
      counted(failed, "job", "jobs"), counted(killed, "killed job", "killed jobs"),
      counted(cancelled, "cancelled job", "cancelled jobs"),
      counted(known(summary, "failed_attempts"), "attempt of a task", "attempts of tasks"),
      counted(known(summary, "lost"), "lost container", "lost containers")};
  std::erase(parts, "");
  return parts.empty() ? "" : "failed: " + join(parts) + "\n";
}

/// Returns a line for each reason for which nodes were lost, with the nodes.
std::string lost_nodes_lines(const Json& losses) {
  std::map<std::string, std::set<std::string>> nodes;
  if (losses.is_array())
    for (const Json& loss : losses)
      nodes[loss.at("reason").get<std::string>() +
            (loss.contains("given_up_s") ? "; did not come back" : "")]
          .insert(loss.at("node"));
  std::string lines;
  for (const auto& [reason, names] : nodes)
    lines += fmt::format("lost: {} {}: {}\n", names.size() == 1 ? "node" : "nodes",
                         join({names.begin(), names.end()}), reason);
  return lines;
}

/// Returns a line about containers that were killed for lack of memory, or "" if there are none.
std::string memory_kills_line(const Json& kills) {
  std::vector<std::string> parts;
  for (const auto& [key, limit] :
       {std::pair("container", "the limit of their container"),
        std::pair("node", "the limit of their node"), std::pair("other", "another limit")}) {
    const Json value = known(kills, key);
    if (value.is_number() && value > 0) parts.push_back(count(value) + " for " + limit);
  }
  return parts.empty() ? "" : "memory kills: " + join(parts) + "\n";
}

std::string prediction_line(const Json& prediction) {
  auto share = [](const Json& value) { return number_cell(value, "{:.1f} %", 100); };
  const Json& naive = prediction.at("naive_nrmse");
  const auto predictor = prediction.at("predictor").get<std::string>();
  return fmt::format("remaining times of reduces ({}): NRMSE {} of {} predictions{}\n", predictor,
                     share(prediction.at("nrmse")), count(prediction.at("predictions")),
                     predictor == "naive" ? "" : "; naively " + share(naive));
}

/// Returns whether a spreadsheet would take the text for a formula. Formulas can run programs
/// (OWASP, CSV injection). Numbers are not formulas.
bool runs_in_a_spreadsheet(std::string_view text) {
  if (text.empty() || std::string_view("=+-@\t\r\n").find(text[0]) == std::string_view::npos)
    return false;
  const std::string_view digits = text.substr(1);
  const bool is_number =
      (text[0] == '+' || text[0] == '-') && read_number<double>(digits) && digits[0] != '-';
  return !is_number;
}

/// Returns a text as a cell of a Markdown table. Markdown would take "<" as the beginning of HTML.
std::string markdown_cell(const std::string& text) {
  std::string cell;
  for (char c : blanked(text)) {
    if (c == '|')
      cell += "\\|";
    else if (c == '<')
      cell += "&lt;";
    else
      cell += c;
  }
  return cell;
}

}  // namespace

std::vector<std::string> shortened(const std::vector<std::string>& texts, int width) {
  std::vector<std::u32string> wide;
  for (const std::string& text : texts) wide.push_back(characters_of(text));
  const auto most = static_cast<std::size_t>(std::max(width, 3));
  const auto at = [&](std::size_t tail) {
    std::vector<std::string> all;
    for (const std::u32string& text : wide)
      all.push_back(text.size() <= most ? utf8_of(text)
                                        : utf8_of(text.substr(0, most - 1 - tail)) + "…" +
                                              utf8_of(text.substr(text.size() - tail)));
    return all;
  };
  const auto distinct = [](const std::vector<std::string>& all) {
    return std::set<std::string>(all.begin(), all.end()).size();
  };
  const std::size_t wanted = distinct(texts);
  std::vector<std::string> best = at(most / 2);
  for (std::size_t tail = most / 2 + 1; tail + 1 < most && distinct(best) < wanted; ++tail)
    if (std::vector<std::string> other = at(tail); distinct(other) > distinct(best))
      best = std::move(other);
  return best;
}

std::string format_table(const std::vector<Column>& columns,
                         const std::vector<std::vector<std::string>>& rows, int width) {
  return Grid(columns, rows).text(static_cast<std::size_t>(width));
}

std::string markdown_table(const std::vector<Column>& columns,
                           const std::vector<std::vector<std::string>>& rows) {
  std::string text = "|", rule = "|";
  for (const Column& column : columns) {
    text += " " + markdown_cell(column.title) + " |";
    rule += column.right ? "---:|" : "---|";
  }
  text += "\n" + rule + "\n";
  for (const auto& row : rows) {
    text += "|";
    for (std::size_t i = 0; i < columns.size(); ++i)
      text += " " + (i < row.size() ? markdown_cell(row[i]) : "") + " |";
    text += "\n";
  }
  return text;
}

std::string number_cell(const Json& value, fmt::format_string<const double&> format,
                        double factor) {
  if (!value.is_number()) return "-";
  const double number = value.get<double>() * factor;
  return fmt::format(format, number);
}

std::string csv_text(std::string_view text) {
  const bool runs = runs_in_a_spreadsheet(text);
  if (!text.empty() && !runs && text.find_first_of("\",;\t\r\n") == std::string_view::npos)
    return std::string(text);
  std::string inside = runs ? "'" : "";
  for (const char c : text) inside += c == '"' ? std::string("\"\"") : std::string(1, c);
  return '"' + inside + '"';
}

std::string format_summary(const Json& summary) {
  std::vector<std::vector<std::string>> rows;
  const Json& jobs = summary.at("jobs");
  for (const Json& job : jobs) {
    if (rows.size() == kMostListed) break;
    rows.push_back({job.at("name").get<std::string>(), job.at("state").get<std::string>(),
                    seconds_text(job.at("waiting_s")), seconds_text(job.at("completion_s")),
                    count(job.at("tasks")), count(job.at("attempts")), count(job.at("oom_kills"))});
  }
  std::string text = disturbance_text(summary);
  if (!text.empty()) text += "\n\n";
  text += format_table({{"job"},
                        {"state"},
                        {"waiting s", true},
                        {"completion s", true},
                        {"tasks", true},
                        {"attempts", true},
                        {"oom kills", true}},
                       rows);
  text += not_listed(jobs.size(), "jobs");
  if (std::string lines = trouble(summary); !lines.empty()) text += "\n" + lines;
  const Json& used = summary.at("utilisation");
  const Json& held = summary.at("allocation");
  text += fmt::format("\nmakespan {} s, mean waiting {} s, mean completion {} s\n",
                      seconds_text(summary.at("makespan_s")),
                      seconds_text(summary.at("mean_waiting_s")),
                      seconds_text(summary.at("mean_completion_s")));
  text += fmt::format("CPU {} used, {} allocated; memory {} used, {} allocated",
                      percent(used.at("cpu")), percent(held.at("cpu")), percent(used.at("memory")),
                      percent(held.at("memory")));
  for (const auto& [resource, share] : held.items())
    if (!used.contains(resource))
      text += fmt::format("; {} {} allocated", resource, percent(share));
  text += "\n";
  text += users_line(known(summary, "policy"));
  text += failures_line(summary) + lost_nodes_lines(known(summary, "lost_nodes")) +
          memory_kills_line(known(summary, "oom_kills"));
  text += wasted_line(known(summary, "wasted")) + cost_line(summary);
  if (summary.at("fidelity").at("median_error").is_number())
    text += fidelity_line(summary.at("fidelity"));
  if (auto told = summary.find("prediction"); told != summary.end() && told->is_object())
    text += prediction_line(*told);
  const Json& fidelity = summary.at("fidelity");
  text += data_lines(fidelity);
  if (auto memory = fidelity.find("memory"); memory != fidelity.end() && memory->is_object())
    text += memory_line(*memory);
  if (auto overhead = summary.find("overhead"); overhead != summary.end())
    text += policy_line(*overhead);
  return text;
}

}  // namespace heddle::report
