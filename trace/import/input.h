#pragma once

#include <cstdint>
#include <functional>
#include <istream>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "common/result.h"

namespace heddle::trace {

/// Limit on the text of a compressed trace. A small file can expand to any size, and reading that
/// takes time.
inline constexpr std::int64_t kMostExpanded = 64LL << 30;
/// A compressed file whose text is longer than kFreeExpanded must not be longer than this many
/// times the file. Logs shrink to a tenth or a hundredth.
inline constexpr std::int64_t kMostRatio = 1000;
inline constexpr std::int64_t kFreeExpanded = 1LL << 30;
/// Limit on a line, and on a JSON object.
inline constexpr std::size_t kLongestLine = 64U << 20;
/// Number of bytes by which the format of a file is recognised.
inline constexpr std::size_t kHead = 64U << 10;

/// The exception that readers of traces throw. import_trace() catches it. The text says what is
/// wrong, without the place.
struct BadTrace {
  std::string text;
  bool placed = false;  ///< the text has the place nevertheless
};

/// A file of a trace, or a pipe. Files that are compressed with gzip or Zstandard are decompressed
/// while they are read.
class Input {
 public:
  /// Errors (kUsage) name the file. `most`: limit on the text of a compressed file.
  static Result<Input> open(const std::string& path, std::int64_t most = kMostExpanded);
  /// For text in memory. `name` is for messages.
  Input(std::string name, std::string text);

  const std::string& name() const { return name_; }
  /// Returns the first kHead bytes of the text. They stay unread. REQUIRES: nothing was read.
  std::string_view head();

  // These functions throw BadTrace for damaged or too long text.
  /// Returns the next line, without its end. Returns nullopt at the end of the file. The text is
  /// valid until the next call.
  std::optional<std::string_view> line();
  /// Returns the next object of a sequence of JSON objects, with or without commas and blanks
  /// between them, and with or without brackets around them. Returns nullopt at the end of the
  /// file. The text is valid until the next call.
  std::optional<std::string_view> object();
  /// Returns the next bytes of the text, as they are. Returns nullopt at the end of the file. They
  /// are valid until the next call.
  std::optional<std::string_view> block();
  /// Returns the rest of the text.
  std::string rest();

  /// Returns the number of the line that was read last, or in which the last object begins.
  std::int64_t line_number() const { return line_; }
  /// Returns "FILE:LINE".
  std::string where() const { return name_ + ":" + std::to_string(line_); }
  /// Calls `told` now and then while the file is read, with the share that was read, 0 to 1.
  void on_progress(std::function<void(double share)> told) { told_ = std::move(told); }

 private:
  Input() = default;
  /// Reads more text. Returns false at the end of the file.
  bool fill();

  std::string name_;
  std::size_t chunk_ = 0;  ///< number of bytes to read at once
  std::unique_ptr<std::streambuf> from_;
  std::string text_;         ///< what was read from the file
  std::size_t at_ = 0;       ///< beginning of the text that is not used yet
  std::int64_t line_ = 0;    ///< lines so far
  std::int64_t passed_ = 0;  ///< line ends before at_, while objects are read
  std::int64_t expanded_ = 0, most_ = 0;
  bool by_ratio_ = false;  ///< most_ follows from the size of the file
  bool compressed_ = false;
  std::function<bool()> cut_off_;  ///< whether compressed text ended early
  std::function<double()> share_;
  std::function<void(double)> told_;
};

/// Throws BadTrace for a whole file.
[[noreturn]] void refuse(const Input& file, const std::string& why);

}  // namespace heddle::trace
