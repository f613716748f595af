#pragma once

#include "common/result.h"
#include "core/model/takagi_sugeno.h"

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

}  // namespace heddle
