#pragma once

#include <string>
#include <string_view>

#include "common/crc32c.h"

namespace heddle::wire {

/// Writes and checks the checksums of a journal's lines. The last field of a line is "crc". It
/// has eight hexadecimal digits, the CRC-32C of all bytes of the file before the comma in front of
/// "crc". If a line is changed, missing, repeated or moved, the checksum of this line or of the
/// next line is wrong.
///
/// Journals of earlier versions have no checksums. If such a journal is continued, the added lines
/// have checksums. These also cover the earlier lines. A compressed journal has a checksum in its
/// last line only.
class LineChecksums {
 public:
  enum class Verdict {
    kCorrect,
    kNone,     ///< neither this line nor an earlier one has a checksum
    kMissing,  ///< an earlier line has a checksum, but this line has none
    kWrong,
  };

  /// Returns the lines with their checksums. REQUIRES: `lines` consists of whole lines, and each
  /// line is an object that is not empty.
  std::string add_checksums(std::string_view lines);
  /// Takes in lines that have no checksum. The checksums of later lines also cover them.
  void skip(std::string_view lines) { crc_.add(lines); }
  /// Checks the next line of a file and removes its checksum. `line` has no newline.
  Verdict check_and_strip(std::string& line);

 private:
  Crc32c crc_;           ///< checksum of the file so far
  bool sealed_ = false;  ///< whether any line had a checksum
};

/// Returns a sentence that says what is wrong with a line. REQUIRES: `verdict` is kMissing or
/// kWrong.
const char* text_of(LineChecksums::Verdict verdict);

}  // namespace heddle::wire
