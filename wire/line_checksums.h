#pragma once

#include <string>
#include <string_view>

#include "common/crc32c.h"

namespace heddle::wire {

/// The checksums of a journal's lines, written and checked. The last field of each line is
/// "crc": eight hexadecimal digits, the CRC-32C of all bytes of the file before that field and its
/// comma. So a line that is changed, missing, doubled or moved shows at the first line behind it.
///
/// Journals of earlier versions have no checksums. Where such a journal is continued, the lines
/// that are added have them, and cover the lines before.
class LineChecksums {
 public:
  enum class Verdict {
    kRight,
    kNone,     ///< neither this line nor one before has a checksum
    kMissing,  ///< lines before have one
    kWrong,
  };

  /// Returns the lines with their checksums. REQUIRES: whole lines, each an object that is not
  /// empty.
  std::string seal(std::string_view lines);
  /// Checks the next line of a file, without its newline, and takes the checksum off.
  Verdict open(std::string& line);

 private:
  Crc32c crc_;           ///< of the file so far
  bool sealed_ = false;  ///< a line had a checksum
};

/// Says what is wrong with a line. REQUIRES: kMissing or kWrong.
const char* describe(LineChecksums::Verdict verdict);

}  // namespace heddle::wire
