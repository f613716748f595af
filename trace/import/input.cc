#include "trace/import/input.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <exception>
#include <sstream>
#include <system_error>
#include <utility>
#include <vector>

#include "common/fd.h"
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
/// Reading throws std::system_error if it fails.
class Bytes : public std::streambuf {
 public:
  explicit Bytes(Fd file) : file_(std::move(file)), text_(kChunk) {}

  /// Returns how many bytes have been read.
  double had() const { return had_; }

  /// Returns the bytes that are read and not used yet. If there are none, reads more.
  std::string_view peek() {
    (void)sgetc();
    return {gptr(), egptr()};
  }

 protected:
  int_type underflow() override {
    ssize_t got = 0;
    do {
      got = ::read(file_.get(), text_.data(), text_.size());
    } while (got < 0 && errno == EINTR);
    if (got < 0) throw std::system_error(errno, std::generic_category());
    if (got == 0) return traits_type::eof();
    had_ += static_cast<double>(got);
    setg(text_.data(), text_.data(), text_.data() + got);
    return traits_type::to_int_type(text_[0]);
  }

 private:
  Fd file_;
  std::vector<char> text_;
  double had_ = 0;
};

Error unreadable(const std::string& path, int code) {
  return usage_error(path + ": can't be read: " + std::strerror(code));
}

/// Opens the file. Reads of a pipe wait for more. Those of any other file do not, because some have
/// no end, such as /dev/kmsg and /proc/kmsg.
Result<Fd> open_file(const std::string& path, struct stat& info) {
  if (::stat(path.c_str(), &info) != 0) return unreadable(path, errno);
  if (S_ISDIR(info.st_mode)) return usage_error(path + ": can't be read: it is a directory");
  const int wait = S_ISFIFO(info.st_mode) ? 0 : O_NONBLOCK;
  Fd file(::open(path.c_str(), O_RDONLY | O_CLOEXEC | wait));
  if (!file || ::fstat(file.get(), &info) != 0) return unreadable(path, errno);
  return file;
}

}  // namespace

Result<Input> Input::open(const std::string& path, std::int64_t most) {
  Input input;
  input.name_ = path;
  input.most_ = most;
  input.chunk_ = kChunk;
  struct stat info {};
  Result<Fd> file = open_file(path, info);
  if (!file) return std::move(file).error();
  auto bytes = std::make_unique<Bytes>(*std::move(file));
  if (const double size = static_cast<double>(info.st_size); size > 0) {
    const std::int64_t free = std::max(kFreeExpanded, kMostRatio * info.st_size);
    input.by_ratio_ = free < most;
    input.most_ = std::min(most, free);
    input.share_ = [raw = bytes.get(), size] { return std::min(1.0, raw->had() / size); };
  }
  try {
    (void)bytes->peek();
  } catch (const std::system_error& failed) {
    return unreadable(path, failed.code().value());
  }
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
  } catch (const std::system_error& failed) {
    throw BadTrace{std::string("can't be read: ") + std::strerror(failed.code().value())};
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

void refuse(const Input& file, const std::string& why) {
  throw BadTrace{file.name() + ": " + why, true};
}

}  // namespace heddle::trace
