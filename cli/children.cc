#include "cli/children.h"

#include <fcntl.h>
#include <poll.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <csignal>
#include <cstring>

namespace heddle {
namespace {

/// In the child; only async-signal-safe calls.
[[noreturn]] void become(char* const* argv, pid_t parent, int inherited, int output, int report) {
  ::setpgid(0, 0);
  ::prctl(PR_SET_PDEATHSIG, SIGKILL);
  // Had the parent died in between, the signal would never come.
  if (::getppid() != parent) ::_exit(127);
  sigset_t none;
  sigemptyset(&none);
  ::sigprocmask(SIG_SETMASK, &none, nullptr);
  ::signal(SIGPIPE, SIG_DFL);
  int null = ::open("/dev/null", O_RDONLY | O_CLOEXEC);
  bool ready = null >= 0 && ::dup2(null, 0) == 0 && ::dup2(output, 1) == 1 &&
               ::dup2(output, 2) == 2 && ::fcntl(inherited, F_SETFD, 0) == 0;
  if (ready) ::execv(argv[0], argv);
  int error = errno;
  (void)!::write(report, &error, sizeof error);
  ::_exit(127);
}

Fd pidfd_of(pid_t pid) { return Fd(static_cast<int>(::syscall(SYS_pidfd_open, pid, 0))); }

}  // namespace

std::string describe(const ChildEnd& end) {
  if (!end.signal) return "exit status " + std::to_string(end.code);
  const char* name = ::strsignal(end.code);
  return "killed by signal " + std::to_string(end.code) +
         (name ? " (" + std::string(name) + ")" : "");
}

Result<Child> Child::spawn(const std::vector<std::string>& argv, int inherited) {
  Fd output(::memfd_create("heddle-output", MFD_CLOEXEC));
  if (!output) return system_error("make a memory file", errno);
  ::fcntl(output.get(), F_SETFL, O_APPEND);
  int ends[2];
  if (::pipe2(ends, O_CLOEXEC) < 0) return system_error("make a pipe", errno);
  Fd read_end(ends[0]), write_end(ends[1]);
  std::vector<char*> words;
  for (const std::string& word : argv) words.push_back(const_cast<char*>(word.c_str()));
  words.push_back(nullptr);
  pid_t parent = ::getpid();
  pid_t pid = ::fork();
  if (pid < 0) return system_error("start " + argv[0], errno);
  if (pid == 0) become(words.data(), parent, inherited, output.get(), write_end.get());
  write_end.reset();
  Child child(pid, pidfd_of(pid), std::move(output));
  int error = 0;
  ssize_t n = 0;
  do n = ::read(read_end.get(), &error, sizeof error);
  while (n < 0 && errno == EINTR);
  if (n == 0 && child.pidfd_) return child;
  if (n == 0) error = errno;
  child.signal(SIGKILL);
  ::waitpid(pid, nullptr, 0);
  Error failed = system_error("start " + argv[0], error);
  failed.kind = Error::Kind::kMachine;
  return failed;
}

bool Child::reap() {
  int status = 0;
  if (end_ || ::waitpid(pid_, &status, WNOHANG) != pid_) return false;
  end_ =
      WIFSIGNALED(status) ? ChildEnd{WTERMSIG(status), true} : ChildEnd{WEXITSTATUS(status), false};
  return true;
}

void Child::wait() {
  if (!running()) return;
  pollfd item{pidfd_.get(), POLLIN, 0};
  (void)::poll(&item, 1, 5000);
  reap();
}

void Child::signal(int number) const {
  // Not yet waited for, so the id is still its own.
  if (running()) ::kill(pid_, number);
}

std::string Child::last_words(int lines) const {
  constexpr off_t kMost = 16 << 10;
  off_t size = ::lseek(output_.get(), 0, SEEK_END);
  std::string text(static_cast<std::size_t>(std::clamp<off_t>(size, 0, kMost)), '\0');
  ssize_t n = ::pread(output_.get(), text.data(), text.size(), std::max<off_t>(0, size - kMost));
  text.resize(n > 0 ? static_cast<std::size_t>(n) : 0);
  while (!text.empty() && text.back() == '\n') text.pop_back();
  std::size_t begin = text.size();
  while (begin > 0 && (text[begin - 1] != '\n' || --lines > 0)) --begin;
  return text.substr(begin);
}

std::string words_of(const Child& child, int lines) {
  const std::string name = "heddle: ";
  std::string words = child.last_words(lines);
  for (std::size_t at = 0; (at = words.find(name, at)) != std::string::npos;)
    if (at == 0 || words[at - 1] == '\n')
      words.erase(at, name.size());
    else
      ++at;
  return words.empty() ? describe(*child.end()) : words;
}

void adopt_orphans() { ::prctl(PR_SET_CHILD_SUBREAPER, 1); }

void reap_orphans() {
  while (::waitpid(-1, nullptr, WNOHANG) > 0) {
  }
}

}  // namespace heddle
