#pragma once

#include "common/result.h"
#include "core/model/takagi_sugeno.h"
#include "core/scenario/scenario.h"

namespace heddle {

/// Version of the format that read_fuzzy_model() reads.
inline constexpr int kModelVersion = 1;

/// Reads the model in a file's text (JSON; docs/reference/policies.md, "Remaining times"). Error
/// (kUsage): which field is wrong and what was expected.
Result<FuzzyModel> read_fuzzy_model(std::string_view text);
/// Writes the model so that read_fuzzy_model() reads it back exactly. `trained` is a JSON object
/// that says what the model was made of.
std::string write_fuzzy_model(const FuzzyModel& model, const std::string& trained);

/// Returns the model that Heddle ships with.
const FuzzyModel& default_fuzzy_model();

/// Returns the text in one line and without `trained`, which only people need. REQUIRES:
/// read_fuzzy_model() reads it.
std::string one_line(std::string_view text);

/// Returns the scenario's model, or the one that Heddle ships with, in one line.
std::string model_text(const Scenario& scenario);

}  // namespace heddle
