#include "report/comparison/affected.h"

#include <fmt/core.h>

#include <algorithm>

#include "common/text.h"
#include "report/comparison/missing.h"

namespace heddle::report {
namespace {

using wire::Json;

/// Returns the variants of a batch.
Json variants_of(const Json& batch) {
  return batch.value(batch.contains("points") ? "points" : "policies", Json::array());
}

bool is_affected(const Json& run) { return run.value("disturbed", false); }

std::int64_t done_runs(const Json& variant) {
  return done_among(variant.value("runs", Json::array()));
}

std::string name_of(const Json& batch, const Json& variant) {
  if (variant.contains("name")) return variant.at("name").get<std::string>();
  std::vector<std::string> parts;
  const Json& over = batch.at("over");
  for (std::size_t i = 0; i < over.size(); ++i)
    parts.push_back(over[i].at("key").get<std::string>() + "=" +
                    variant.at("values").at(i).get<std::string>());
  return join(parts);
}

std::string counted(std::int64_t affected, std::int64_t done) {
  return fmt::format("{} of {} real run{} {} affected", affected, done, done == 1 ? "" : "s",
                     affected == 1 ? "is" : "are");
}

std::string note_of(const Json& batch, const Json& variant) {
  const std::int64_t affected = affected_runs(variant), done = done_runs(variant);
  std::vector<std::string> repeats;
  for (std::size_t i = 0; i < variant.at("runs").size(); ++i)
    if (is_affected(variant.at("runs")[i])) repeats.push_back(std::to_string(i + 1));
  const std::string which =
      affected == done ? ""
                       : (repeats.size() == 1 ? " (repeat " : " (repeats ") + join(repeats) + ")";
  return name_of(batch, variant) + ": " + counted(affected, done) + which +
         (affected < done ? "; figures and verdicts leave them out"
                          : "; do not use its figures; they get no verdict");
}

constexpr std::size_t kMostNames = 6;

/// Returns the sentence about the variants that have runs, of which none is affected; else "".
std::string unaffected_note(const Json& batch) {
  std::vector<std::string> names;
  for (const Json& variant : variants_of(batch))
    if (done_runs(variant) > 0 && affected_runs(variant) == 0)
      names.push_back(name_of(batch, variant));
  if (names.empty()) return "";
  return "No run of " +
         (names.size() > kMostNames ? fmt::format("the other {} variants", names.size())
                                    : join(names, " or ")) +
         " is affected.";
}

}  // namespace

bool is_affected(const Affected& affected, std::size_t repeat) {
  return repeat < affected.size() && affected[repeat];
}

Values without_affected(const Values& values, const Affected& affected) {
  Values kept = values;
  for (std::size_t i = 0; i < kept.size(); ++i)
    if (is_affected(affected, i)) kept[i].reset();
  return kept;
}

Values shown_values(const Values& values, const Affected& affected) {
  Values kept = without_affected(values, affected);
  return known(kept).empty() ? values : kept;
}

std::int64_t affected_runs(const Json& variant) {
  return std::ranges::count_if(variant.value("runs", Json::array()),
                               [](const Json& run) { return is_affected(run); });
}

std::string affected_heading(const Json& batch) {
  std::int64_t affected = 0, done = 0;
  for (const Json& variant : variants_of(batch)) {
    affected += affected_runs(variant);
    done += done_runs(variant);
  }
  return affected == 0 ? "" : counted(affected, done) + " by other programs";
}

std::vector<std::string> affected_notes(const Json& batch) {
  std::vector<std::string> notes;
  for (const Json& variant : variants_of(batch))
    if (affected_runs(variant) > 0) notes.push_back(note_of(batch, variant));
  if (notes.empty()) return notes;
  if (std::string others = unaffected_note(batch); !others.empty())
    notes.push_back(std::move(others));
  notes.push_back(
      "The same command with --rerun-affected N makes affected runs again, up to N times each. End "
      "the other programs first.");
  return notes;
}

}  // namespace heddle::report
