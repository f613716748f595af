#pragma once

#include <cstdint>
#include <memory>
#include <mutex>
#include <string>
#include <string_view>
#include <thread>

#include "common/fd.h"
#include "common/result.h"
#include "host/task_user.h"

namespace heddle::host {

/// The beginning and the end of a text of any length. Pure.
class TextEnds {
 public:
  /// Keeps at most `first` bytes of the beginning and about `last` bytes of the end.
  TextEnds(std::size_t first, std::size_t last) : first_(first), last_(last) {}
  void add(std::string_view text);
  /// Returns the whole text, or its two ends with a line in between that says how many bytes were
  /// left out.
  std::string text() const;

 private:
  std::size_t first_, last_;
  std::string begin_, end_;
  std::uint64_t left_out_ = 0;  ///< bytes
};

/// A pipe for the output of a process that this process does not trust. A thread reads it, and
/// keeps the first 1 MiB and the last 3 MiB, so that the output needs no more memory than that.
class OutputPipe {
 public:
  /// `user`: as which the process runs, which can then open /dev/stdout; nullopt: as this user.
  static Result<std::unique_ptr<OutputPipe>> open(const std::optional<TaskUser>& user);
  ~OutputPipe();

  /// Returns the descriptor that the process writes to.
  int end() const { return write_.get(); }
  /// Closes that descriptor in this process.
  void started() { write_.reset(); }
  /// Returns what was kept, including what waits in the pipe now.
  std::string text();

 private:
  OutputPipe() = default;
  void run();
  /// Reads what is in the pipe. Returns false at the end of the pipe.
  bool read();

  Fd read_, write_, stop_;
  std::mutex mutex_;  ///< of the reading and of kept_
  TextEnds kept_{1 << 20, 3 << 20};
  std::thread thread_;
};

}  // namespace heddle::host
