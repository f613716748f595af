#include "report/journal_reader.h"

#include <algorithm>
#include <cerrno>
#include <fstream>

#include "common/directory.h"
#include "common/file.h"
#include "common/line.h"
#include "common/result_files.h"
#include "common/zstd.h"
#include "wire/journal_format.h"

namespace heddle::report {
namespace {

/// A stream that owns its buffer.
class TextStream : public std::istream {
 public:
  explicit TextStream(std::unique_ptr<std::streambuf> text)
      : std::istream(text.get()), text_(std::move(text)) {}

 private:
  std::unique_ptr<std::streambuf> text_;
};

/// A file that counts the bytes that are read.
class CountedFile : public std::filebuf {
 public:
  explicit CountedFile(std::atomic<std::int64_t>* bytes) : bytes_(bytes) {}

 protected:
  int_type underflow() override {
    const int_type next = std::filebuf::underflow();
    if (bytes_ && next != traits_type::eof()) *bytes_ += egptr() - gptr();
    return next;
  }
  std::streamsize xsgetn(char* to, std::streamsize count) override {
    const std::streamsize buffered = egptr() - gptr();
    const std::streamsize got = std::filebuf::xsgetn(to, count);
    if (bytes_ && got > buffered) *bytes_ += got - buffered + (egptr() - gptr());
    return got;
  }

 private:
  std::atomic<std::int64_t>* bytes_;
};

std::optional<wire::Json> object(const std::string& line) {
  wire::Json json = wire::parse_json(line);
  if (!json.is_object()) return std::nullopt;
  return json;
}

}  // namespace

Result<std::unique_ptr<std::istream>> text_of(const std::string& path,
                                              std::atomic<std::int64_t>* bytes) {
  Result<Fd> opened = open_to_read(path);
  if (!opened) return std::move(opened).error();
  errno = 0;
  auto file = std::make_unique<CountedFile>(bytes);
  if (!file->open(proc_path_of(*opened), std::ios::in | std::ios::binary))
    return system_error("open " + path, errno);
  std::unique_ptr<std::streambuf> text = std::move(file);
  if (path.ends_with(kCompressedSuffix)) text = std::make_unique<ZstdReader>(std::move(text));
  return std::unique_ptr<std::istream>(std::make_unique<TextStream>(std::move(text)));
}

Result<JournalReader> JournalReader::open(const std::string& path,
                                          std::atomic<std::int64_t>* bytes) {
  Result<std::unique_ptr<std::istream>> text = text_of(path, bytes);
  if (!text) return std::move(text).error();
  return JournalReader(*std::move(text), path);
}

JournalReader::JournalReader(std::unique_ptr<std::istream> in, std::string name)
    : in_(std::move(in)), name_(std::move(name)) {}

std::string JournalReader::where() const { return name_ + ":" + std::to_string(line_); }

Result<void> JournalReader::check(Verdict verdict) const {
  if (verdict == Verdict::kCorrect || verdict == Verdict::kNone) return {};
  return aborted_error(where() + ": " + wire::text_of(verdict));
}

Result<void> JournalReader::look_at_version(const wire::Json& record) {
  if (line_ != 1 || record.value("type", wire::Json()) != "run") return {};
  if (Result<void> read = wire::check_journal_format(record); !read)
    return std::move(read).error().in(where());
  other_version_ = wire::other_version(record);
  if (record.value("format", wire::Json()) == wire::kCountedFormat && !keeps_counted_)
    singles_.emplace();
  return {};
}

Result<std::optional<JournalReader::Line>> JournalReader::read_line() {
  for (std::string text; !hole_;) {
    const LineRead read = heddle::read_line(*in_, text);
    if (read == LineRead::kEnd) {
      // The compressed bytes can end between two lines, too.
      const auto* compressed = dynamic_cast<const ZstdReader*>(in_->rdbuf());
      cut_ |= compressed && compressed->within();
      break;
    }
    ++line_;
    if (read == LineRead::kTooLong)
      return aborted_error(where() + ": a line of more than " +
                           std::to_string(kLongestOwnLine >> 20) + " MiB");
    if (text.find('\0') != std::string::npos) {
      hole_ = cut_ = true;
      break;
    }
    const Verdict verdict = checksums_.check_and_strip(text);
    if (!skips(text)) {
      empty_last_of(text);
      return std::optional(Line{std::move(text), verdict});
    }
    HEDDLE_TRY(check(verdict));
  }
  if (in_->bad())
    return aborted_error(name_ + ": cannot be read after line " + std::to_string(line_) +
                         ": the file or its disk is damaged");
  return std::optional<Line>();
}

bool JournalReader::skips(const std::string& line) const {
  return line.ends_with('}') &&
         std::any_of(skipped_.begin(), skipped_.end(),
                     [&](const std::string& beginning) { return line.starts_with(beginning); });
}

void JournalReader::empty_last_of(std::string& line) const {
  if (emptied_.empty() || !line.ends_with("]}")) return;
  const std::size_t at = line.find(emptied_);
  if (at != std::string::npos) line.replace(at + emptied_.size(), std::string::npos, "]}");
}

Result<std::optional<wire::Json>> JournalReader::next() {
  for (;;) {
    if (singles_)
      if (std::optional<wire::Json> single = singles_->next()) return single;
    Result<std::optional<wire::Json>> record = next_line();
    if (!record || !singles_) return record;
    if (!*record) {
      singles_->end();
      return singles_->next();
    }
    if (Result<void> taken = singles_->take(**std::move(record)); !taken)
      return std::move(taken).error().in(where());
  }
}

Result<std::optional<wire::Json>> JournalReader::next_line() {
  Result<std::optional<Line>> line = read_line();
  if (!line) return std::move(line).error();
  if (!*line) return std::optional<wire::Json>();
  // A truncated line has no checksum, and a changed line has a wrong one. It is not parsed, since
  // that takes many times as long as the checksum.
  if ((*line)->verdict == Verdict::kWrong) HEDDLE_TRY(check((*line)->verdict));
  std::optional<wire::Json> record = object((*line)->text);
  if (record) {
    HEDDLE_TRY(check((*line)->verdict));
    HEDDLE_TRY(look_at_version(*record));
    return record;
  }
  Error bad = aborted_error(where() + ": not a JSON object");
  Result<std::optional<Line>> after = read_line();
  if (!after) return bad;
  if (!*after) {
    cut_ = true;
    return std::optional<wire::Json>();
  }
  record = object((*after)->text);
  if (cut_ || !record || record->value("type", wire::Json()) != "host") return bad;
  cut_ = true;
  HEDDLE_TRY(check((*after)->verdict));
  return record;
}

Result<void> JournalReader::each(const std::function<Result<void>(const wire::Json&)>& take) {
  for (;;) {
    Result<std::optional<wire::Json>> record = next();
    if (!record) return std::move(record).error();
    if (!*record) return {};
    if (Result<void> taken = take(**record); !taken) return std::move(taken).error().in(where());
  }
}

Result<void> each_record(std::string_view lines,
                         const std::function<Result<void>(const wire::Json&)>& take) {
  while (!lines.empty()) {
    const std::size_t end = std::min(lines.find('\n'), lines.size());
    HEDDLE_TRY(take(wire::Json::parse(lines.substr(0, end))));
    lines.remove_prefix(std::min(end + 1, lines.size()));
  }
  return {};
}

}  // namespace heddle::report
