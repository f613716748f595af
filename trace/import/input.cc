#include "trace/import/input.h"

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <exception>
#include <filesystem>
#include <fstream>
#include <sstream>
#include <utility>
#include <vector>

#include "common/gzip.h"
#include "common/zstd.h"
#include "trace/import/lz4_blocks.h"

namespace heddle::trace {
namespace {

/// Number of bytes that are read from a file at once.
constexpr std::size_t kChunk = 1 << 20;
/// Limit on a file that is read at once.
constexpr std::size_t kMostRest = 512U << 20;
constexpr std::string_view kGzip("\x1f\x8b", 2);
constexpr std::string_view kZstd("\x28\xb5\x2f\xfd", 4);
constexpr std::string_view kSnappy("\x82SNAPPY\0", 8), kLzf("ZV", 2);
constexpr std::string_view kByteOrderMark("\xEF\xBB\xBF", 3);

/// The bytes of a file. Unlike std::filebuf, it can show the first bytes of a pipe and keep them.
class Bytes : public std::streambuf {
 public:
  explicit Bytes(std::unique_ptr<std::filebuf> file) : file_(std::move(file)), text_(kChunk) {}

  /// Returns the bytes that are read and not used yet. If there are none, reads more.
  std::string_view peek() {
    (void)sgetc();
    return {gptr(), egptr()};
  }

 protected:
  int_type underflow() override {
    const std::streamsize got = file_->sgetn(text_.data(), std::ssize(text_));
    if (got <= 0) return traits_type::eof();
    setg(text_.data(), text_.data(), text_.data() + got);
    return traits_type::to_int_type(text_[0]);
  }

 private:
  std::unique_ptr<std::filebuf> file_;
  std::vector<char> text_;
};

}  // namespace

Result<Input> Input::open(const std::string& path, std::int64_t most) {
  Input input;
  input.name_ = path;
  input.most_ = most;
  input.chunk_ = kChunk;
  std::error_code error;
  if (std::filesystem::is_directory(path, error))
    return usage_error(path + ": can't be read: it is a directory");
  auto file = std::make_unique<std::filebuf>();
  errno = 0;
  if (!file->open(path, std::ios::in | std::ios::binary))
    return usage_error(path + ": can't be read: " + std::strerror(errno));
  const double size = static_cast<double>(std::filesystem::file_size(path, error));
  if (!error && size > 0) {
    const std::int64_t free = std::max(kFreeExpanded, kMostRatio * static_cast<std::int64_t>(size));
    input.by_ratio_ = free < most;
    input.most_ = std::min(most, free);
  }
  std::filebuf* raw = file.get();
  if (!error && size > 0)
    input.share_ = [raw, size] {
      const auto at = raw->pubseekoff(0, std::ios::cur, std::ios::in);
      return std::min(1.0, static_cast<double>(at) / size);
    };
  auto bytes = std::make_unique<Bytes>(std::move(file));
  const bool gzip = bytes->peek().starts_with(kGzip), zstd = bytes->peek().starts_with(kZstd);
  const bool lz4 = bytes->peek().starts_with(kLz4Block);
  for (const auto& [magic, codec] : {std::pair(kSnappy, "Snappy"), {kLzf, "LZF"}})
    if (bytes->peek().starts_with(magic))
      return usage_error(path + ": is compressed with " + codec +
                         ", which Heddle does not read; expected a plain file, gzip, Zstandard or "
                         "LZ4. Spark writes these if spark.eventLog.compression.codec is zstd or "
                         "lz4, or if spark.eventLog.compress is false");
  input.compressed_ = gzip || zstd || lz4;
  if (lz4) {
    input.from_ = std::make_unique<Lz4BlockReader>(std::move(bytes));
  } else if (gzip) {
    input.from_ = std::make_unique<GzipReader>(std::move(bytes));
  } else if (zstd) {
    auto reader = std::make_unique<ZstdReader>(std::move(bytes));
    input.cut_off_ = [raw = reader.get()] { return raw->within(); };
    input.from_ = std::move(reader);
  } else {
    input.from_ = std::move(bytes);
  }
  return input;
}

Input::Input(std::string name, std::string text)
    : name_(std::move(name)),
      chunk_(std::min(kChunk, text.size() + 1)),
      from_(std::make_unique<std::stringbuf>(std::move(text))) {}

bool Input::fill() {
  if (at_ > 0) {
    text_.erase(0, at_);
    at_ = 0;
  }
  const std::size_t had = text_.size();
  if (had > kLongestLine)
    throw BadTrace{"a line or object of more than " + std::to_string(kLongestLine >> 20) + " MiB"};
  text_.resize(had + chunk_);
  std::streamsize got = 0;
  try {
    got = from_->sgetn(text_.data() + had, static_cast<std::streamsize>(chunk_));
  } catch (const std::exception& damaged) {
    throw BadTrace{std::string("can't be decompressed: ") + damaged.what()};
  }
  text_.resize(had + static_cast<std::size_t>(got));
  if (got == 0 && cut_off_ && cut_off_())
    throw BadTrace{"can't be decompressed: the compressed text is cut off"};
  if (expanded_ == 0 && text_.starts_with(kByteOrderMark)) at_ = kByteOrderMark.size();
  expanded_ += got;
  if (compressed_ && expanded_ > most_)
    throw BadTrace{"expands to more than " + std::to_string(most_ >> 30) + " GiB" +
                   (by_ratio_ ? " and to more than " + std::to_string(kMostRatio) +
                                    " times its size; expected a file without compression"
                              : "")};
  if (told_ && share_) told_(share_());
  return got > 0;
}

std::string_view Input::head() {
  while (text_.size() - at_ < kHead && fill()) {
  }
  return std::string_view(text_).substr(at_, kHead);
}

std::optional<std::string_view> Input::line() {
  std::size_t end = std::string::npos;
  for (std::size_t from = at_;;) {
    end = text_.find('\n', from);
    if (end != std::string::npos) break;
    from = text_.size() - at_;
    if (!fill()) break;
    from += at_;
  }
  if (at_ == text_.size()) return std::nullopt;
  const bool last = end == std::string::npos;
  std::string_view line(text_.data() + at_, (last ? text_.size() : end) - at_);
  at_ = last ? text_.size() : end + 1;
  ++line_;
  if (line.ends_with('\r')) line.remove_suffix(1);
  return line;
}

std::optional<std::string_view> Input::object() {
  // Finds the beginning.
  for (;;) {
    while (at_ < text_.size() && text_[at_] != '{') {
      const char c = text_[at_];
      if (c == '\n') ++passed_;
      if (std::strchr(" \t\r\n,[]", c) == nullptr || c == '\0') {
        line_ = passed_ + 1;
        throw BadTrace{std::string("expected a JSON object, got \"") + c + "\""};
      }
      ++at_;
    }
    if (at_ < text_.size()) break;
    if (!fill()) return std::nullopt;
  }
  line_ = passed_ + 1;
  // Finds the end.
  int depth = 0;
  bool quoted = false, escaped = false;
  for (std::size_t i = 0;; ++i) {
    if (at_ + i == text_.size() && !fill()) throw BadTrace{"the last object is cut off"};
    const char c = text_[at_ + i];
    if (c == '\n') ++passed_;
    if (quoted) {
      if (escaped)
        escaped = false;
      else if (c == '\\')
        escaped = true;
      else if (c == '"')
        quoted = false;
    } else if (c == '"') {
      quoted = true;
    } else if (c == '{') {
      ++depth;
    } else if (c == '}' && --depth == 0) {
      const std::string_view object(text_.data() + at_, i + 1);
      at_ += i + 1;
      return object;
    }
  }
}

std::optional<std::string_view> Input::block() {
  if (at_ == text_.size() && !fill()) return std::nullopt;
  return std::string_view(text_).substr(std::exchange(at_, text_.size()));
}

std::string Input::rest() {
  std::string all;
  while (const auto more = block()) {
    all += *more;
    if (all.size() > kMostRest)
      throw BadTrace{"more than " + std::to_string(kMostRest >> 20) + " MiB of JSON"};
  }
  return all;
}

}  // namespace heddle::trace
