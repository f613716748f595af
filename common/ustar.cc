#include "common/ustar.h"

#include <algorithm>
#include <cassert>
#include <charconv>

#include "common/text.h"

namespace heddle {
namespace {

/// The place of a field in a header.
struct UstarField {
  std::size_t at, size;
};
constexpr UstarField kName{0, 100}, kMode{100, 8}, kUser{108, 8}, kGroup{116, 8}, kBytes{124, 12},
    kTime{136, 12}, kChecksum{148, 8}, kType{156, 1}, kMagic{257, 6}, kVersion{263, 2},
    kPrefix{345, 155};
constexpr char kRegular = '0', kOldRegular = '\0';
constexpr int kOctal = 8;
constexpr unsigned kAnyExecutable = 0111;

void put_text(std::string& block, const UstarField& field, std::string_view text) {
  assert(text.size() <= field.size);
  block.replace(field.at, text.size(), text);
}

/// Writes an octal number with leading zeros and a NUL at its end.
void put_number(std::string& block, const UstarField& field, std::int64_t number) {
  std::string text(field.size - 1, '0');
  for (std::size_t i = text.size(); i > 0; --i, number /= kOctal)
    text[i - 1] = static_cast<char>('0' + number % kOctal);
  assert(number == 0);
  put_text(block, field, text);
}

std::string_view text_in(std::string_view block, const UstarField& field) {
  const std::string_view text = block.substr(field.at, field.size);
  return text.substr(0, text.find('\0'));
}

/// Reads an octal number between blanks.
std::optional<std::int64_t> number_in(std::string_view block, const UstarField& field) {
  std::string_view text = text_in(block, field);
  while (text.starts_with(' ')) text.remove_prefix(1);
  while (text.ends_with(' ')) text.remove_suffix(1);
  std::int64_t number = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number, kOctal);
  if (error != std::errc() || end != text.data() + text.size() || number < 0) return std::nullopt;
  return number;
}

/// Returns the sum of all bytes, with blanks in place of the checksum.
std::int64_t checksum_of(std::string_view block) {
  std::int64_t sum = 0;
  for (std::size_t i = 0; i < block.size(); ++i) {
    const bool own = i >= kChecksum.at && i < kChecksum.at + kChecksum.size;
    sum += static_cast<unsigned char>(own ? ' ' : block[i]);
  }
  return sum;
}

/// Returns the place of the slash at which a long name is divided; 0: the name is not divided;
/// nullopt: the name does not fit.
std::optional<std::size_t> division_of(std::string_view name) {
  if (name.size() <= kName.size) return 0;
  const std::size_t slash = name.find('/', name.size() - kName.size - 1);
  if (slash == std::string_view::npos || slash == 0 || slash > kPrefix.size ||
      slash + 1 == name.size())
    return std::nullopt;
  return slash;
}

std::string what_is(char type) {
  switch (type) {
    case '1':
      return "a hard link";
    case '2':
      return "a symbolic link";
    case '3':
    case '4':
      return "a device";
    case '5':
      return "a directory";
    case '6':
      return "a pipe";
    default:
      return "an entry of type " +
             printable_line(type == '\0' ? std::string_view("0") : std::string_view(&type, 1));
  }
}

}  // namespace

bool fits_ustar(std::string_view name) { return division_of(name).has_value(); }

std::string ustar_header(const UstarFile& file) {
  const std::optional<std::size_t> division = division_of(file.name);
  assert(division && file.bytes <= kMostUstarBytes);
  std::string block(kUstarBlock, '\0');
  const std::string_view name = file.name;
  put_text(block, kName, *division == 0 ? name : name.substr(*division + 1));
  put_text(block, kPrefix, name.substr(0, *division));
  put_number(block, kMode, file.executable ? 0755 : 0644);
  put_number(block, kUser, 0);
  put_number(block, kGroup, 0);
  put_number(block, kBytes, file.bytes);
  put_number(block, kTime, file.time_s);
  put_text(block, kType, "0");
  put_text(block, kMagic, std::string_view("ustar\0", kMagic.size));
  put_text(block, kVersion, "00");
  // Six digits, a NUL and a blank.
  put_number(block, {kChecksum.at, kChecksum.size - 1}, checksum_of(block));
  block[kChecksum.at + kChecksum.size - 1] = ' ';
  return block;
}

std::string ustar_padding(std::int64_t bytes) {
  const std::size_t rest = static_cast<std::size_t>(bytes) % kUstarBlock;
  return std::string(rest == 0 ? 0 : kUstarBlock - rest, '\0');
}

Result<std::optional<UstarFile>> read_ustar_header(std::string_view block) {
  if (std::ranges::all_of(block, [](char c) { return c == '\0'; }))
    return std::optional<UstarFile>();
  if (block.size() != kUstarBlock || !block.substr(kMagic.at).starts_with("ustar") ||
      number_in(block, kChecksum) != checksum_of(block))
    return usage_error("a header is damaged; expected a tar archive of the format ustar");
  UstarFile file;
  const std::string_view prefix = text_in(block, kPrefix);
  file.name =
      (prefix.empty() ? "" : std::string(prefix) + "/") + std::string(text_in(block, kName));
  const char type = block[kType.at];
  if (type != kRegular && type != kOldRegular)
    return usage_error(printable_line(file.name) + ": is " + what_is(type) +
                       "; expected only regular files");
  const std::optional<std::int64_t> bytes = number_in(block, kBytes);
  if (!bytes)
    return usage_error(printable_line(file.name) + ": its size is damaged, or is 8 GiB or more");
  file.bytes = *bytes;
  file.time_s = number_in(block, kTime).value_or(0);
  file.executable =
      (static_cast<unsigned>(number_in(block, kMode).value_or(0)) & kAnyExecutable) != 0;
  return std::optional(std::move(file));
}

}  // namespace heddle
