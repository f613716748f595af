#include "cli/run/line_writer.h"

#include <utility>

#include "common/zstd.h"
#include "wire/line_checksums.h"

namespace heddle::cli {
namespace {

constexpr std::size_t kEnough = 1 << 18;  ///< bytes that are passed to the thread together
constexpr std::size_t kMostWaiting = 16;  ///< such texts that wait for the thread

}  // namespace

LineWriter::LineWriter(std::unique_ptr<master::LineFile> file, Form form)
    : file_(std::move(file)), thread_([this, form] { write(*file_, form); }) {}

LineWriter::~LineWriter() { finish(); }

void LineWriter::append(std::string_view lines) {
  lines_ += lines;
  if (lines_.size() >= kEnough) pass_on();
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
  wire::LineChecksums checksums;
  std::optional<ZstdWriter> compressor;
  if (form.compressed) compressor.emplace();
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
    if (form.sealed) lines = checksums.add_checksums(lines);
    std::string_view bytes = lines;
    if (compressor) bytes = last ? compressor->finish() : compressor->add(lines);
    const Result<void> written = bytes.empty() ? Result<void>() : file.append(bytes);
    lock.lock();
    if (!written) failure_ = written.error();
  }
}

}  // namespace heddle::cli
