#pragma once

#include <condition_variable>
#include <cstddef>
#include <deque>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <string_view>
#include <thread>

#include "common/result.h"
#include "master/journal.h"

namespace heddle::cli {

/// Writes lines to a file. A thread of its own makes checksums, compresses and writes, so that a
/// simulation goes on at the same time. Many lines are written with one system call, because no
/// reader waits for them.
class LineWriter {
 public:
  enum class Form {
    kPlain,
    kJournal,  ///< each line gets a checksum (wire/line_checksums.h)
    /// Compressed with Zstandard, which has a checksum of its own. Only the last line gets one:
    /// those of all lines would take more than half of the bytes.
    kCompressedJournal,
  };
  LineWriter(std::unique_ptr<master::LineFile> file, Form form);
  /// Writes what is left.
  ~LineWriter();
  LineWriter(const LineWriter&) = delete;
  LineWriter& operator=(const LineWriter&) = delete;

  /// Adds whole lines. Waits if the thread is far behind. The lines of the last call are not
  /// written before finish().
  void append(std::string_view lines);
  /// Waits until everything is written and synced. After that, no line is added.
  void finish();
  /// Returns why the file could not be written. The lines after a failure are lost.
  std::optional<Error> failure() const;

 private:
  void pass_on();
  void write(master::LineFile& file, Form form);

  std::unique_ptr<master::LineFile> file_;
  std::string lines_;  ///< not passed to the thread yet
  mutable std::mutex mutex_;
  std::condition_variable changed_;
  std::deque<std::string> waiting_;
  bool finished_ = false;
  std::optional<Error> failure_;
  std::thread thread_;
};

}  // namespace heddle::cli
