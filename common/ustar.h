#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "common/result.h"

namespace heddle {

// Reads and writes regular files in tar archives (POSIX.1-1988, the format "ustar"). An archive is
// a sequence of blocks. Each file is a header, and then its contents, which are padded with zeros
// to whole blocks. Two blocks of zeros end the archive.
inline constexpr std::size_t kUstarBlock = 512;
/// Longest file that a header can describe.
inline constexpr std::int64_t kMostUstarBytes = (std::int64_t{1} << 33) - 1;

/// A regular file in an archive.
struct UstarFile {
  std::string name;  ///< path in the archive
  std::int64_t bytes = 0;
  std::int64_t time_s = 0;  ///< of the last change, in seconds since 1970 (UTC)
  bool executable = false;
  friend bool operator==(const UstarFile&, const UstarFile&) = default;
};

/// Returns whether a header has room for the name: 100 bytes, or 155 before and 100 after a slash.
bool fits_ustar(std::string_view name);
/// Returns the header of a file that belongs to user and group 0, without their names. REQUIRES:
/// fits_ustar() accepts the name, and no number is negative or larger than kMostUstarBytes.
std::string ustar_header(const UstarFile& file);
/// Returns the zeros that follow the contents of a file.
std::string ustar_padding(std::int64_t bytes);

/// Reads a header. Returns nullopt for a block of zeros, which ends the archive. Does not check the
/// name. Errors (kUsage): the block is no header of ustar, or that of something else than a regular
/// file, such as a link, a device or an extended header.
Result<std::optional<UstarFile>> read_ustar_header(std::string_view block);

}  // namespace heddle
