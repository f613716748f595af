#include "cli/run/line_writer.h"

#include <utility>

#include "common/zstd.h"
#include "wire/line_checksums.h"

namespace heddle::cli {
namespace {

constexpr std::size_t kEnough = 1 << 18;  ///< bytes that are passed to the thread together
constexpr std::size_t kMostWaiting = 16;  ///< such texts that wait for the thread

/// Returns the bytes of a file for the text that is added to it.
class Shaper {
 public:
  virtual ~Shaper() = default;
  virtual std::string add(std::string lines) { return lines; }
  virtual std::string finish() { return {}; }
};

class Sealed : public Shaper {
 public:
  std::string add(std::string lines) override { return checksums_.add_checksums(lines); }

 private:
  wire::LineChecksums checksums_;
};

class Compressed : public Shaper {
 public:
  std::string add(std::string lines) override {
    // The last line gets a checksum, so it waits until it is known whether more lines follow.
    last_ += lines;
    const std::size_t begin = last_.rfind('\n', last_.size() - 2) + 1;
    const std::string_view before = std::string_view(last_).substr(0, begin);
    checksums_.skip(before);
    std::string bytes(compress_.add(before));
    last_.erase(0, begin);
    return bytes;
  }
  std::string finish() override {
    std::string bytes;
    if (!last_.empty()) bytes = compress_.add(checksums_.add_checksums(last_));
    return bytes += compress_.finish();
  }

 private:
  wire::LineChecksums checksums_;
  ZstdWriter compress_;
  std::string last_;
};

std::unique_ptr<Shaper> shaper(LineWriter::Form form) {
  if (form == LineWriter::Form::kJournal) return std::make_unique<Sealed>();
  if (form == LineWriter::Form::kCompressedJournal) return std::make_unique<Compressed>();
  return std::make_unique<Shaper>();
}

}  // namespace

LineWriter::LineWriter(std::unique_ptr<master::LineFile> file, Form form)
    : file_(std::move(file)), thread_([this, form] { write(*file_, form); }) {}

LineWriter::~LineWriter() { finish(); }

void LineWriter::append(std::string_view lines) {
  if (lines_.size() >= kEnough) pass_on();
  lines_ += lines;
}

void LineWriter::pass_on() {
  std::unique_lock lock(mutex_);
  changed_.wait(lock, [&] { return waiting_.size() < kMostWaiting; });
  waiting_.push_back(std::exchange(lines_, {}));
  changed_.notify_all();
}

void LineWriter::finish() {
  if (!thread_.joinable()) return;
  pass_on();
  {
    const std::lock_guard lock(mutex_);
    finished_ = true;
    changed_.notify_all();
  }
  thread_.join();
}

std::optional<Error> LineWriter::failure() const {
  const std::lock_guard lock(mutex_);
  return failure_;
}

void LineWriter::write(master::LineFile& file, Form form) {
  const std::unique_ptr<Shaper> shape = shaper(form);
  std::unique_lock lock(mutex_);
  for (bool last = false; !last;) {
    changed_.wait(lock, [&] { return finished_ || !waiting_.empty(); });
    last = waiting_.empty();
    std::string lines;
    if (!last) {
      lines = std::move(waiting_.front());
      waiting_.pop_front();
      changed_.notify_all();
    }
    if (failure_) continue;
    lock.unlock();
    const std::string bytes = last ? shape->finish() : shape->add(std::move(lines));
    Result<void> written = bytes.empty() ? Result<void>() : file.append(bytes);
    if (written && last) written = file.sync();
    lock.lock();
    if (!written) failure_ = written.error();
  }
}

}  // namespace heddle::cli
