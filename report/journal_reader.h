#pragma once

#include <atomic>
#include <cstdint>
#include <functional>
#include <istream>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "common/result.h"
#include "report/single_records.h"
#include "wire/fields.h"
#include "wire/line_checksums.h"

namespace heddle::report {

/// Opens a file of lines. If the path ends with ".zst", the text is decompressed while it is read.
/// Adds the number of bytes of the file that are read to `bytes`, if it is not null.
Result<std::unique_ptr<std::istream>> text_of(const std::string& path,
                                              std::atomic<std::int64_t>* bytes = nullptr);

/// Streams the records of a journal, one JSON object per line, and checks the checksum of each line
/// (wire/line_checksums.h). Records are returned without the checksum. Files without checksums,
/// such as samples and journals of earlier versions, are read as well.
///
/// If a run is killed, its journal can have a truncated line. Only the last line can be truncated,
/// or the last line before the `host` record that `heddle run` appends. Reading ends before the
/// truncated line, but a `host` record after it is still returned. Reading also ends before a line
/// with a NUL byte. A power failure leaves such bytes where data did not reach the disk. In both
/// cases cut() is true. Any other line that is not an object, or whose checksum is wrong or
/// missing, is an error. A journal of a newer format is an error (kUsage).
///
/// A record that stands for several is returned as these (single_records.h).
class JournalReader {
 public:
  /// Opens the file as text_of() does.
  static Result<JournalReader> open(const std::string& path,
                                    std::atomic<std::int64_t>* bytes = nullptr);
  /// `name` is the name of the journal in messages.
  JournalReader(std::unique_ptr<std::istream> in, std::string name);

  /// Makes next() skip complete lines that begin with one of these texts. Only the checksums of
  /// these lines are checked.
  void skip(std::vector<std::string> beginnings) { skipped_ = std::move(beginnings); }
  /// Makes next() return an empty array for the last member of complete lines, if its key is `key`.
  /// The elements are not parsed.
  void empty_last(const std::string& key) { emptied_ = ",\"" + key + "\":["; }
  /// Makes next() return a record that stands for several as it is.
  void keep_counted() { keeps_counted_ = true; }
  /// Returns the next record, or nullopt at the end. Errors (kAborted) name file and line.
  Result<std::optional<wire::Json>> next();
  /// Passes all further records to `take`. Returns errors of next() unchanged. Adds where() to
  /// errors of `take`.
  Result<void> each(const std::function<Result<void>(const wire::Json&)>& take);
  /// Returns "NAME:LINE" of the record that next() returned last.
  std::string where() const;
  /// Returns a sentence if another version of Heddle has written the journal (other_version() of
  /// wire/journal_format.h). REQUIRES: the run record was returned.
  const std::string& other_version() const { return other_version_; }
  /// Returns true after a truncated line was found.
  bool cut() const { return cut_; }

 private:
  using Verdict = wire::LineChecksums::Verdict;
  /// A line without its checksum, and the verdict on the checksum.
  struct Line {
    std::string text;
    Verdict verdict;
  };
  /// Returns the next line that is not skipped, or nullopt at the end or before a line with a NUL
  /// byte.
  Result<std::optional<Line>> read_line();
  Result<void> check(Verdict verdict) const;
  /// Returns the record of the next line.
  Result<std::optional<wire::Json>> next_line();
  Result<void> look_at_version(const wire::Json& record);
  bool skips(const std::string& line) const;
  void empty_last_of(std::string& line) const;

  std::unique_ptr<std::istream> in_;
  std::string name_;
  std::string other_version_;
  std::vector<std::string> skipped_;
  std::string emptied_;  ///< the beginning of an array that is not parsed, or ""
  bool keeps_counted_ = false;
  wire::LineChecksums checksums_;
  std::optional<SingleRecords> singles_;  ///< of a journal with records that stand for several
  int line_ = 0;
  bool cut_ = false;
  bool hole_ = false;
};

/// Passes each record of complete lines that this process wrote to `take`, until an error.
Result<void> each_record(std::string_view lines,
                         const std::function<Result<void>(const wire::Json&)>& take);

}  // namespace heddle::report
