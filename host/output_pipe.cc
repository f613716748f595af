#include "host/output_pipe.h"

#include <fcntl.h>
#include <poll.h>
#include <sys/eventfd.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <csignal>
#include <vector>

namespace heddle::host {
namespace {

constexpr std::size_t kBlock = 64 << 10;
/// Blocks that one call reads. A process that writes all the time must not keep the call from its
/// end. A pipe holds at most 16 of these blocks, unless root allows more.
constexpr int kMostBlocks = 17;

}  // namespace

void TextEnds::add(std::string_view text) {
  const std::size_t room = std::min(first_ - begin_.size(), text.size());
  begin_ += text.substr(0, room);
  end_ += text.substr(room);
  if (end_.size() <= 2 * last_) return;
  left_out_ += end_.size() - last_;
  end_.erase(0, end_.size() - last_);
}

std::string TextEnds::text() const {
  const std::size_t more = end_.size() > last_ ? end_.size() - last_ : 0;
  if (left_out_ + more == 0) return begin_ + end_;
  return begin_ + "\n[heddle: " + std::to_string(left_out_ + more) + " bytes are left out here]\n" +
         end_.substr(more);
}

Result<std::unique_ptr<OutputPipe>> OutputPipe::open(const std::optional<TaskUser>& user) {
  std::unique_ptr<OutputPipe> made(new OutputPipe);
  std::array<int, 2> ends{};
  if (::pipe2(ends.data(), O_CLOEXEC) < 0) return system_error("make a pipe", errno);
  made->read_ = Fd(ends[0]);
  made->write_ = Fd(ends[1]);
  made->stop_ = Fd(::eventfd(0, EFD_CLOEXEC));
  if (!made->stop_ || ::fcntl(ends[0], F_SETFL, O_NONBLOCK) < 0)
    return system_error("make a pipe", errno);
  // Best effort: without it, only /dev/stdout and /dev/stderr can't be opened.
  if (user && user->uid != ::geteuid()) (void)!::fchown(ends[1], user->uid, user->gid);
  // Other threads handle the signals.
  sigset_t all, before;
  sigfillset(&all);
  ::pthread_sigmask(SIG_SETMASK, &all, &before);
  made->thread_ = std::thread([pipe = made.get()] { pipe->run(); });
  ::pthread_sigmask(SIG_SETMASK, &before, nullptr);
  return made;
}

OutputPipe::~OutputPipe() {
  if (!thread_.joinable()) return;
  ::eventfd_write(stop_.get(), 1);
  thread_.join();
}

std::string OutputPipe::text() {
  std::lock_guard lock(mutex_);
  (void)read();
  return kept_.text();
}

void OutputPipe::run() {
  for (bool open = true;;) {
    std::array<pollfd, 2> items = {pollfd{stop_.get(), POLLIN, 0},
                                   pollfd{open ? read_.get() : -1, POLLIN, 0}};
    if (::poll(items.data(), items.size(), -1) < 0) continue;
    if (items[0].revents) return;
    std::lock_guard lock(mutex_);
    open = read();
  }
}

bool OutputPipe::read() {
  std::vector<char> block(kBlock);
  for (int i = 0; i < kMostBlocks; ++i) {
    const ssize_t n = ::read(read_.get(), block.data(), block.size());
    if (n <= 0) return n < 0 && (errno == EAGAIN || errno == EINTR);
    kept_.add({block.data(), static_cast<std::size_t>(n)});
  }
  return true;
}

}  // namespace heddle::host
