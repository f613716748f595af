#include "cli/archive/verdicts.h"

#include <fmt/core.h>

#include <algorithm>

#include "common/exit_status.h"
#include "report/statistics.h"
#include "report/table.h"

namespace heddle::cli {
namespace {

using report::FigureVerdict;
using report::Reproduced;
using wire::Json;

/// Number of figures that differ that are shown of a part.
constexpr std::size_t kShownFigures = 12;
/// A longer reason is shortened in the table. The JSON has all of it.
constexpr int kLongestReason = 160;

Json values_json(const std::vector<std::optional<double>>& values) {
  Json json = Json::array();
  for (const std::optional<double>& value : values) json.push_back(value ? Json(*value) : Json());
  return json;
}

/// Returns the median, or null.
Json median_json(const std::vector<std::optional<double>>& values) {
  std::vector<double> known;
  for (const std::optional<double>& value : values)
    if (value) known.push_back(*value);
  const std::optional<report::Spread> spread = report::spread_of(std::move(known));
  return spread ? Json(spread->median) : Json();
}

Json to_json(const FigureVerdict& figure) {
  return {{"series", figure.archived.series},
          {"key", figure.archived.key},
          {"title", figure.archived.title},
          {"unit", figure.archived.unit},
          {"archived", values_json(figure.archived.values)},
          {"range", figure.range ? Json({figure.range->least, figure.range->most}) : Json()},
          {"here", values_json(figure.here)},
          {"verdict", name_of(figure.verdict)}};
}

bool is_as_archived(Reproduced verdict) {
  return verdict == Reproduced::kEqual || verdict == Reproduced::kInRange;
}

std::string detail_of(const PartOutcome& part) {
  if (!part.verdict.reason.empty()) return part.verdict.reason;
  const auto wrong = std::ranges::count_if(part.verdict.figures, [](const FigureVerdict& figure) {
    return !is_as_archived(figure.verdict);
  });
  const std::string all = fmt::format("{} figures", part.verdict.figures.size());
  return wrong == 0 ? all : fmt::format("{} of {} differ", wrong, all);
}

/// Adds the lines of a part's figures that are shown.
void add_rows(const PartOutcome& part, std::vector<std::vector<std::string>>& rows) {
  std::size_t shown = 0;
  for (const FigureVerdict& figure : part.verdict.figures) {
    if (part.part->simulated && (is_as_archived(figure.verdict) || ++shown > kShownFigures))
      continue;
    const double factor = figure.archived.unit == "share" ? 100 : 1;
    const auto number = [&](const Json& value) {
      return report::number_cell(value, "{:.4g}", factor);
    };
    rows.push_back(
        {part.part->directory, figure.archived.series.empty() ? "-" : figure.archived.series,
         figure.archived.title + (figure.archived.unit.empty() ? "" : ", ") +
             (figure.archived.unit == "share" ? "%" : figure.archived.unit),
         number(median_json(figure.archived.values)),
         figure.range ? number(figure.range->least) + " to " + number(figure.range->most) : "-",
         number(median_json(figure.here)), std::string(name_of(figure.verdict))});
  }
}

}  // namespace

int status_of(Reproduced verdict) {
  switch (verdict) {
    case Reproduced::kEqual:
    case Reproduced::kInRange:
      return kExitDone;
    case Reproduced::kDiffers:
      return kExitJobFailed;
    case Reproduced::kAffected:
      return kExitMachine;
    case Reproduced::kNotMade:
      return kExitJobFailed;
  }
  return kExitAborted;
}

int status_of(const Reproduction& reproduction) {
  for (const int status : {kExitAborted, kExitMachine, kExitJobFailed})
    if (std::ranges::find(reproduction.parts, status, &PartOutcome::status) !=
        reproduction.parts.end())
      return status;
  return kExitDone;
}

Json to_json(const Reproduction& reproduction) {
  Json parts = Json::array();
  for (const PartOutcome& part : reproduction.parts) {
    Json figures = Json::array();
    for (const FigureVerdict& figure : part.verdict.figures) figures.push_back(to_json(figure));
    parts.push_back({{"result", part.result->name},
                     {"directory", part.part->directory},
                     {"kind", report::name_of(part.part->kind)},
                     {"archived", part.part->simulated ? "simulated" : "real"},
                     {"here", part.simulated ? "simulated" : "real"},
                     {"verdict", name_of(part.verdict.verdict)},
                     {"reason", part.verdict.reason.empty() ? Json() : Json(part.verdict.reason)},
                     {"results", part.dir},
                     {"figures", std::move(figures)}});
  }
  return {{"archive", reproduction.file},
          {"heddle_version", {{"archived", reproduction.version}, {"here", HEDDLE_VERSION}}},
          {"reproduced", status_of(reproduction) == kExitDone},
          {"parts", std::move(parts)}};
}

std::string format_reproduction(const Reproduction& reproduction, int width) {
  using enum report::Narrow;
  std::vector<std::vector<std::string>> rows, figures;
  for (const PartOutcome& part : reproduction.parts) {
    const std::string archived = part.part->simulated ? "simulated" : "real";
    rows.push_back(
        {part.part->directory, std::string(report::name_of(part.part->kind)),
         part.simulated == part.part->simulated ? archived : archived + ", simulated here",
         std::string(name_of(part.verdict.verdict)), detail_of(part)});
    add_rows(part, figures);
  }
  std::string text = report::format_table({{"result", false, kShorten},
                                           {"kind", false, kDrop},
                                           {"mode"},
                                           {"verdict"},
                                           {"", false, kWrap, kLongestReason}},
                                          rows, width);
  if (!figures.empty())
    text += "\n" + report::format_table({{"result", false, kShorten},
                                         {"policy or point", false, kShorten},
                                         {"figure", false, kShorten},
                                         {"archived", true},
                                         {"expected", true},
                                         {"here", true},
                                         {"verdict"}},
                                        figures, width);
  if (status_of(reproduction) != kExitDone && reproduction.version != HEDDLE_VERSION)
    text += "\nthe archive was made by Heddle " + reproduction.version + ", and this is " +
            HEDDLE_VERSION + "\n";
  text += status_of(reproduction) == kExitDone ? "\nreproduced\n" : "\nnot reproduced\n";
  return text;
}

}  // namespace heddle::cli
