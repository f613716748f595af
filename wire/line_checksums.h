#pragma once

#include <string>
#include <string_view>

#include "common/crc32c.h"

namespace heddle::wire {

/// Writes and checks the checksums of a journal's lines. The last field of each line is "crc":
/// eight hexadecimal digits, the CRC-32C of all bytes of the file before that field and its comma.
/// So if a line is changed, missing, repeated or moved, the next line after it reveals that.
///
/// Journals of earlier versions have no checksums. If such a journal is continued, the added lines
/// have checksums, which also cover the lines before.
class LineChecksums {
 public:
  enum class Verdict {
    kRight,
    kNone,     ///< neither this line nor an earlier one has a checksum
    kMissing,  ///< earlier lines have a checksum, this one has none
    kWrong,
  };

  /// Returns the lines with their checksums. REQUIRES: whole lines, each an object that is not
  /// empty.
  std::string seal(std::string_view lines);
  /// Checks the next line of a file, without its newline, and removes its checksum.
  Verdict open(std::string& line);

 private:
  Crc32c crc_;           ///< of the file so far
  bool sealed_ = false;  ///< a line had a checksum
};

/// Returns a sentence on what is wrong with a line. REQUIRES: kMissing or kWrong.
const char* describe(LineChecksums::Verdict verdict);

}  // namespace heddle::wire
