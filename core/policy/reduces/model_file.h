#pragma once

#include "common/result.h"
#include "core/model/takagi_sugeno.h"
#include "core/scenario/scenario.h"

namespace heddle {

/// Version of the format that read_fuzzy_model() reads.
inline constexpr int kModelVersion = 1;

/// Reads the model from the text of a file (JSON; docs/reference/policies.md, "Remaining times").
/// Error (kUsage): a field is wrong. The message says which field, and what was expected.
Result<FuzzyModel> read_fuzzy_model(std::string_view text);
/// Returns the model as text. read_fuzzy_model() reads exactly the same model from it. `trained`: a
/// JSON object that says from which runs the model was made.
std::string write_fuzzy_model(const FuzzyModel& model, const std::string& trained);

/// Returns the model that is built into Heddle.
const FuzzyModel& default_fuzzy_model();

/// Returns the text in one line. Leaves out `trained`, which only human readers need. REQUIRES:
/// read_fuzzy_model() can read the text.
std::string one_line(std::string_view text);

/// Returns the text of the scenario's model in one line. If the scenario has none, returns the
/// built-in model.
std::string model_text(const Scenario& scenario);

}  // namespace heddle
