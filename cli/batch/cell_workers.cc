#include "cli/batch/cell_workers.h"

#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstdint>
#include <cstdio>
#include <stdexcept>
#include <utility>

#include "host/child.h"

namespace heddle::cli {
namespace {

/// Precedes the text of an answer.
struct Head {
  std::uint64_t bytes = 0;
  std::optional<Error::Kind> failed;
};

bool read_all(int fd, void* to, std::size_t bytes) {
  for (auto* at = static_cast<char*>(to); bytes > 0;) {
    const ssize_t n = ::read(fd, at, bytes);
    if (n < 0 && errno == EINTR) continue;
    if (n <= 0) return false;
    at += n;
    bytes -= static_cast<std::size_t>(n);
  }
  return true;
}

bool send_all(int fd, const void* from, std::size_t bytes) {
  for (const auto* at = static_cast<const char*>(from); bytes > 0;) {
    const ssize_t n = ::send(fd, at, bytes, MSG_NOSIGNAL);
    if (n < 0 && errno == EINTR) continue;
    if (n <= 0) return false;
    at += n;
    bytes -= static_cast<std::size_t>(n);
  }
  return true;
}

}  // namespace

CellWorkers::CellWorkers(std::size_t count, Compute compute)
    : compute_(std::move(compute)), workers_(count) {}

CellWorkers::~CellWorkers() {
  for (Worker& worker : workers_)
    if (worker.socket) end(worker);
}

bool CellWorkers::has_idle() const {
  return std::ranges::any_of(workers_, [](const Worker& worker) { return !worker.cell; });
}

bool CellWorkers::has_busy() const {
  return std::ranges::any_of(workers_,
                             [](const Worker& worker) { return worker.cell.has_value(); });
}

Result<void> CellWorkers::give(std::size_t cell) {
  Worker& worker = *std::ranges::find_if(workers_, [](const Worker& one) { return !one.cell; });
  if (!worker.socket) HEDDLE_TRY(start(worker));
  // If the worker has died, wait() notices it.
  (void)send_all(worker.socket.get(), &cell, sizeof cell);
  worker.cell = cell;
  return {};
}

Result<void> CellWorkers::start(Worker& worker) {
  int ends[2];
  if (::socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, ends) != 0)
    return system_error("make a socket", errno);
  Fd ours(ends[0]), its(ends[1]);
  std::fflush(nullptr);
  const pid_t parent = ::getpid();
  worker.pid = ::fork();
  if (worker.pid < 0) return system_error("make a process", errno);
  if (worker.pid == 0) {
    ::prctl(PR_SET_PDEATHSIG, SIGKILL);
    if (::getppid() != parent) ::_exit(1);
    ::setpgid(0, 0);  // Ctrl-C is for the parent, which then ends this process
    // Otherwise this process would hold the sockets of the others, and not see their ends.
    for (Worker& other : workers_) other.socket.reset();
    ours.reset();
    work(its.get());
  }
  worker.socket = std::move(ours);
  return {};
}

void CellWorkers::work(int socket) const {
  for (std::size_t cell = 0; read_all(socket, &cell, sizeof cell);) {
    const Result<std::string> made = compute_(cell);
    const std::string& text = made ? *made : made.error().text;
    Head head{text.size(), {}};
    if (!made) head.failed = made.error().kind;
    if (!send_all(socket, &head, sizeof head) || !send_all(socket, text.data(), text.size())) break;
  }
  ::_exit(0);
}

/// Kills the worker and returns how it has ended.
std::string CellWorkers::end(Worker& worker) {
  ::kill(worker.pid, SIGKILL);
  int status = 0;
  while (::waitpid(worker.pid, &status, 0) < 0 && errno == EINTR) {
  }
  worker.socket.reset();
  const bool killed = WIFSIGNALED(status);
  return host::describe({killed ? WTERMSIG(status) : WEXITSTATUS(status), killed});
}

std::optional<Result<std::string>> CellWorkers::answer_of(Worker& worker) {
  Head head;
  if (!read_all(worker.socket.get(), &head, sizeof head)) return std::nullopt;
  std::string text(head.bytes, '\0');
  if (!read_all(worker.socket.get(), text.data(), text.size())) return std::nullopt;
  if (head.failed) return Result<std::string>(Error{*head.failed, std::move(text)});
  return Result<std::string>(std::move(text));
}

std::vector<CellWorkers::Answer> CellWorkers::wait(int signals) {
  std::vector<pollfd> items = {{signals, POLLIN, 0}};
  for (const Worker& worker : workers_)
    items.push_back({worker.cell ? worker.socket.get() : -1, POLLIN, 0});
  if (::poll(items.data(), items.size(), -1) < 0 && errno != EINTR)
    throw std::runtime_error("poll failed");
  std::vector<Answer> answers;
  for (std::size_t i = 0; i < workers_.size(); ++i) {
    Worker& worker = workers_[i];
    if (!worker.cell || items[i + 1].revents == 0) continue;
    std::optional<Result<std::string>> answer = answer_of(worker);
    if (!answer) answer = aborted_error("the simulation ended early: " + end(worker));
    answers.push_back({*std::exchange(worker.cell, std::nullopt), *std::move(answer)});
  }
  return answers;
}

}  // namespace heddle::cli
