#include "wire/journal_format.h"

#include <string>

namespace heddle::wire {
namespace {

/// Returns the version of Heddle in a run record.
std::string writer(const Json& run_record) {
  const auto version = run_record.find("heddle_version");
  const bool known = version != run_record.end() && version->is_string();
  return "Heddle " + (known ? version->get<std::string>() : "of an unknown version");
}

constexpr const char* kThis = "Heddle " HEDDLE_VERSION;

}  // namespace

Result<void> check_journal_format(const Json& run_record) {
  const auto format = run_record.find("format");
  if (format == run_record.end()) return {};
  if (!format->is_number_integer())
    return aborted_error("format: expected a whole number, got " + format->dump());
  if (*format <= kCountedFormat) return {};
  return usage_error("the journal has format " + format->dump() + " and was written by " +
                     writer(run_record) + "; this is " + kThis + ", which reads formats up to " +
                     std::to_string(kCountedFormat) + "; expected a newer version of Heddle");
}

std::string other_version(const Json& run_record) {
  if (writer(run_record) == kThis) return "";
  return writer(run_record) + " wrote the journal, and this is " + kThis +
         ", whose policies can decide differently";
}

}  // namespace heddle::wire
