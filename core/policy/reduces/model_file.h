#pragma once

#include "common/result.h"
#include "core/model/takagi_sugeno.h"
#include "core/scenario/scenario.h"

namespace heddle {

/// Version of the format that read_fuzzy_model() reads.
inline constexpr int kModelVersion = 1;

/// The model in a file's text (JSON; docs/policies.md, "Remaining times"). Error (kUsage): which
/// field is wrong and what was expected.
Result<FuzzyModel> read_fuzzy_model(std::string_view text);
/// As read_fuzzy_model() reads it, exactly; `trained` says of what it was made, and is an object.
std::string write_fuzzy_model(const FuzzyModel& model, const std::string& trained);

/// The model that Heddle comes with.
const FuzzyModel& default_fuzzy_model();

/// The same text without what only people want of it: in one line, and `trained` left out.
/// REQUIRES: read_fuzzy_model() reads it.
std::string one_line(std::string_view text);

/// The scenario's, or the one that Heddle comes with; in one line.
std::string model_text(const Scenario& scenario);

}  // namespace heddle
