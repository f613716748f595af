#pragma once

#include <istream>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "common/result.h"
#include "common/wire/fields.h"

namespace heddle {

/// Streams the records of a journal, one JSON object a line.
///
/// A run that was killed may leave a line cut off; it is the last one, or the last before the
/// `host` record that `heddle run` appends. Reading ends before such a line (its successor `host`
/// is still given), and cut() is true. Any other line that is no object is an error.
class JournalReader {
 public:
  static Result<JournalReader> open(const std::string& path);
  /// `name` is for messages.
  JournalReader(std::unique_ptr<std::istream> in, std::string name);

  /// Passes over lines that begin with one of these, unread as far as they are whole.
  void skip(std::vector<std::string> beginnings) { skipped_ = std::move(beginnings); }
  /// The next record, or nullopt at the end. Errors (kAborted) name file and line.
  Result<std::optional<wire::Json>> next();
  /// "NAME:LINE" of the record that next() gave last.
  std::string where() const;
  /// True once a cut-off line was met.
  bool cut() const { return cut_; }

 private:
  std::optional<std::string> read_line();
  bool skips(const std::string& line) const;

  std::unique_ptr<std::istream> in_;
  std::string name_;
  std::vector<std::string> skipped_;
  int line_ = 0;
  bool cut_ = false;
};

}  // namespace heddle
