#include "bench/in_child.h"

#include <fcntl.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <csignal>
#include <cstdio>

#include "common/fd.h"
#include "common/file.h"

namespace heddle::bench {
namespace {

using wire::Json;

/// Returns {ok: …} or {error: …}.
Json outcome_of(const std::function<Result<Json>()>& measure) {
  try {
    Result<Json> measured = measure();
    return measured ? Json{{"ok", *measured}} : Json{{"error", measured.error().text}};
  } catch (const std::exception& error) {
    // An exception must not leave the forked child.
    return {{"error", std::string("internal error: ") + error.what()}};
  }
}

[[noreturn]] void be_child(pid_t parent, int out, const std::function<Result<Json>()>& measure) {
  ::prctl(PR_SET_PDEATHSIG, SIGKILL);
  if (::getppid() != parent) ::_exit(1);  // the parent died before the prctl
  if (!write_all(out, outcome_of(measure).dump(), "the outcome")) ::_exit(1);
  ::_exit(0);
}

std::string read_all(int in) {
  std::string text;
  char buffer[4096];
  for (;;) {
    ssize_t n = ::read(in, buffer, sizeof buffer);
    if (n < 0 && errno == EINTR) continue;
    if (n <= 0) return text;
    text.append(buffer, static_cast<std::size_t>(n));
  }
}

int wait_for(pid_t pid) {
  int status = 0;
  while (::waitpid(pid, &status, 0) < 0 && errno == EINTR) {
  }
  return status;
}

}  // namespace

Result<Json> in_child(const std::function<Result<Json>()>& measure) {
  int ends[2];
  if (::pipe2(ends, O_CLOEXEC) != 0) return system_error("make a pipe", errno);
  Fd in(ends[0]), out(ends[1]);
  // Unflushed output would be written twice.
  std::fflush(nullptr);
  const pid_t parent = ::getpid();
  const pid_t pid = ::fork();
  if (pid < 0) return system_error("start a process to measure in", errno);
  if (pid == 0) be_child(parent, out.get(), measure);
  out = Fd();
  const std::string text = read_all(in.get());
  const int status = wait_for(pid);
  if (WIFSIGNALED(status))
    return aborted_error("the process that measured was killed by signal " +
                         std::to_string(WTERMSIG(status)));
  Json said = Json::parse(text, nullptr, false);
  if (!said.is_object()) return aborted_error("the process that measured said nothing");
  if (said.contains("error")) return aborted_error(said.at("error").get<std::string>());
  return said.at("ok");
}

}  // namespace heddle::bench
