// Reads the model of remaining times that a scenario can contain or name.

#include <filesystem>

#include "common/file.h"
#include "yaml/keys.h"
#include "yaml/sections.h"

namespace heddle {
namespace {

constexpr std::size_t kMostBytes = 16 << 20;

/// Returns the file's path. A path in a scenario file is relative to that file.
std::filesystem::path place_of(const std::string& file, const Field& field) {
  if (!field.node().from.empty()) return file;
  return std::filesystem::path(field.findings().filename).parent_path() / file;
}

}  // namespace

void read_remaining_model(const Section& section, const PolicySpec& policy, std::string& model) {
  const std::optional<std::string> given = section.text("remaining_model");
  if (!given) return;
  const Field field = *section.get("remaining_model");
  std::string text = *given;
  if (!text.starts_with('{')) {
    Result<std::string> file = read_named_file(place_of(text, field).string(), kMostBytes);
    if (!file)
      return field.error(file.error().text +
                         "; expected a file that heddle train wrote, or the text of such a file");
    text = *std::move(file);
  }
  const PolicyTable& policies = field.findings().policies;
  Result<std::string> read = policies.read_model(text);
  if (!read) return field.error(read.error().text);
  if (!policies.uses_model(policy))
    field.warn("has no effect: this policy does not predict with a model; expected " +
               std::string("executor_placement: reservation-aware with predictor: auto or fuzzy"));
  model = *std::move(read);
}

}  // namespace heddle
