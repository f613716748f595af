#include "wire/line_checksums.h"

#include <algorithm>
#include <cassert>
#include <optional>

#include "common/text.h"

namespace heddle::wire {
namespace {

constexpr std::string_view kBefore = ",\"crc\":\"", kBehind = "\"}";
constexpr std::size_t kDigits = 8;
constexpr std::size_t kField = kBefore.size() + kDigits + kBehind.size();

/// Returns the digits of the checksum that ends the line, if there is one.
std::optional<std::string_view> digits_of(std::string_view line) {
  if (line.size() < kField || !line.ends_with(kBehind)) return std::nullopt;
  const std::string_view field = line.substr(line.size() - kField);
  if (!field.starts_with(kBefore)) return std::nullopt;
  return field.substr(kBefore.size(), kDigits);
}

}  // namespace

std::string LineChecksums::add_checksums(std::string_view lines) {
  std::string sealed;
  sealed.reserve(lines.size() +
                 kField * static_cast<std::size_t>(std::count(lines.begin(), lines.end(), '\n')));
  while (!lines.empty()) {
    const std::size_t end = lines.find('\n');
    assert(end != std::string_view::npos && end > 2 && lines[end - 1] == '}');
    const std::string_view fields = lines.substr(0, end - 1);
    crc_.add(fields);
    sealed += fields;
    const std::size_t field = sealed.size();
    sealed.append(kBefore).append(hexadecimal(crc_.value(), kDigits)).append(kBehind) += '\n';
    crc_.add(std::string_view(sealed).substr(field));
    lines.remove_prefix(end + 1);
  }
  sealed_ = true;
  return sealed;
}

LineChecksums::Verdict LineChecksums::check_and_strip(std::string& line) {
  const std::optional<std::string_view> digits = digits_of(line);
  if (!digits) {
    crc_.add(line);
    crc_.add("\n");
    return sealed_ ? Verdict::kMissing : Verdict::kNone;
  }
  sealed_ = true;
  const std::size_t fields = line.size() - kField;
  crc_.add(std::string_view(line).substr(0, fields));
  const bool right = *digits == hexadecimal(crc_.value(), kDigits);
  crc_.add(std::string_view(line).substr(fields));
  crc_.add("\n");
  line.resize(fields);
  line += '}';
  return right ? Verdict::kCorrect : Verdict::kWrong;
}

const char* text_of(LineChecksums::Verdict verdict) {
  if (verdict == LineChecksums::Verdict::kMissing)
    return "the line has no checksum; expected \"crc\" as its last field, as in the lines before";
  return "the checksum does not match: the line was changed, or lines before it are missing";
}

}  // namespace heddle::wire
