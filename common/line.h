#pragma once

#include <cstddef>
#include <istream>
#include <string>

namespace heddle {

/// Limit on a line of Heddle's own files. The longest line that Heddle writes names all jobs of a
/// run, with less than 100 bytes each.
inline constexpr std::size_t kLongestOwnLine = std::size_t{256} << 20;

enum class LineRead { kLine, kEnd, kTooLong };

/// Reads the next line, without its end, as std::getline() does. Reads at most `most` bytes, so
/// that a damaged or hostile file needs no more memory. After kTooLong, the rest of the line is
/// unread.
LineRead read_line(std::istream& in, std::string& line, std::size_t most = kLongestOwnLine);

}  // namespace heddle
