#pragma once

#include <functional>
#include <istream>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "common/result.h"
#include "wire/fields.h"
#include "wire/line_checksums.h"

namespace heddle::report {

/// Streams the records of a journal, one JSON object a line, and checks the checksum of each line
/// (wire/line_checksums.h); records are given without it. Files without checksums, such as
/// samples and journals of earlier versions, are read as well.
///
/// A run that was killed may leave a line cut off; it is the last one, or the last before the
/// `host` record that `heddle run` appends. Reading ends before such a line (its successor `host`
/// is still given), and before a line with a NUL byte, which a power failure leaves where data did
/// not reach the disk; then cut() is true. Any other line that is no object, or whose checksum is
/// wrong or missing, is an error.
class JournalReader {
 public:
  static Result<JournalReader> open(const std::string& path);
  /// `name` is for messages.
  JournalReader(std::unique_ptr<std::istream> in, std::string name);

  /// Passes over lines that begin with one of these as far as they are whole; only their checksums
  /// are checked.
  void skip(std::vector<std::string> beginnings) { skipped_ = std::move(beginnings); }
  /// The next record, or nullopt at the end. Errors (kAborted) name file and line.
  Result<std::optional<wire::Json>> next();
  /// Gives `take` all further records. Errors are next()'s, and those of `take` with where().
  Result<void> each(const std::function<Result<void>(const wire::Json&)>& take);
  /// "NAME:LINE" of the record that next() gave last.
  std::string where() const;
  /// True once a cut-off line was met.
  bool cut() const { return cut_; }

 private:
  using Verdict = wire::LineChecksums::Verdict;
  /// A line without its checksum, and what that said.
  struct Line {
    std::string text;
    Verdict verdict;
  };
  /// The next line that is not passed over; nullopt at the end, or before a hole.
  Result<std::optional<Line>> read_line();
  Result<void> check(Verdict verdict) const;
  bool skips(const std::string& line) const;

  std::unique_ptr<std::istream> in_;
  std::string name_;
  std::vector<std::string> skipped_;
  wire::LineChecksums checksums_;
  int line_ = 0;
  bool cut_ = false;
  bool hole_ = false;
};

}  // namespace heddle::report
