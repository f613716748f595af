#include "bench/workbench.h"

#include <fcntl.h>
#include <poll.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <csignal>
#include <cstdio>
#include <ctime>
#include <exception>
#include <new>

#include "bench/failed.h"
#include "cli/base/exit_status.h"
#include "cli/base/signals.h"
#include "common/fd.h"
#include "common/file.h"
#include "common/installed.h"

namespace heddle::bench {
namespace {

using Clock = std::chrono::steady_clock;
using wire::Json;

constexpr int kShownLines = 20;  ///< lines of a program's output that an error shows
constexpr std::size_t kMostOutput = 1 << 20;

/// Returns {ok: …} or {error: …}.
Json outcome_of(const std::function<Json()>& measure) {
  try {
    return {{"ok", measure()}};
  } catch (const Failed& failed) {
    return {{"error", failed.error.text}};
  } catch (const std::exception& error) {
    return {{"error", std::string("internal error: ") + error.what()}};
  }
}

}  // namespace

Workbench::Workbench()
    : signals_(cli::take_signals()), scratch_(need(host::ScratchDirectory::create())) {
  if (!signals_) throw Failed(system_error("make a signal descriptor", errno));
}

void Workbench::pause(std::chrono::milliseconds length) const {
  pollfd item{signals(), POLLIN, 0};
  ::poll(&item, 1, static_cast<int>(length.count()));
  check_interrupt();
}

void Workbench::await(const std::function<bool()>& so, const std::function<bool()>& alive,
                      const Patience& patience) const {
  for (const auto end = Clock::now() + patience.limit; !so();) {
    pause(patience.look);
    if (!alive() && !so()) throw Failed("a process has ended before it could be measured");
    if (Clock::now() > end) throw Failed(patience.late);
  }
}

host::Child Workbench::run(const std::vector<std::string>& words, const std::string& what) const {
  host::Child child = need(host::Child::spawn(words, STDIN_FILENO));
  for (bool told = false; !child.reap();) {
    pollfd items[] = {{child.pidfd(), POLLIN, 0}, {signals(), POLLIN, 0}};
    if (::poll(items, told ? 1 : 2, -1) < 0 || told || items[1].revents == 0) continue;
    child.signal(SIGINT);
    told = true;
  }
  check_interrupt();
  const host::ChildEnd& end = *child.end();
  if (!end.signal && end.code == kExitMachine) throw Failed(machine_error(last_words(child)));
  if (end.signal || !cli::came_to_its_end(end.code)) throw Failed(what + ": " + last_words(child));
  return child;
}

wire::Json Workbench::script(const std::string& name,
                             const std::vector<std::string>& arguments) const {
  std::vector<std::string> words = {"/usr/bin/python3", data_path("bench/scripts/" + name)};
  words.insert(words.end(), arguments.begin(), arguments.end());
  const host::Child child = run(words, name);
  const std::string text = child.output(kMostOutput);
  const std::size_t last = text.find_last_of('\n', text.size() - 2);
  wire::Json said = wire::Json::parse(text.substr(last + 1), nullptr, false);
  if (child.end()->code != 0 || !said.is_object()) throw Failed(last_words(child));
  return said;
}

void check_interrupt() {
  if (cli::asked_to_stop()) throw Failed("interrupted");
}

std::string last_words(const host::Child& child) { return host::words_of(child, kShownLines); }

Ending::~Ending() {
  child_.signal(signal_);
  for (const auto end = Clock::now() + patience_; !ended() && Clock::now() < end;) {
    pollfd item{child_.pidfd(), POLLIN, 0};
    ::poll(&item, 1, 100);
  }
  child_.signal(SIGKILL);
  child_.wait();
}

double process_cpu_s(pid_t pid) {
  clockid_t clock;
  timespec used{};
  if (::clock_getcpuclockid(pid, &clock) != 0 || ::clock_gettime(clock, &used) != 0) return 0;
  return static_cast<double>(used.tv_sec) + static_cast<double>(used.tv_nsec) / 1e9;
}

double process_cpu_s(const std::vector<pid_t>& pids) {
  double sum = 0;
  for (pid_t pid : pids) sum += process_cpu_s(pid);
  return sum;
}

Forks::~Forks() {
  for (pid_t pid : pids_) ::kill(pid, SIGKILL);
  for (pid_t pid : pids_)
    while (::waitpid(pid, nullptr, 0) < 0 && errno == EINTR) {
    }
}

pid_t Forks::start(const std::function<void()>& body) {
  // Unflushed output would be written twice.
  std::fflush(nullptr);
  const pid_t parent = ::getpid();
  const pid_t pid = ::fork();
  if (pid < 0) throw Failed(system_error("start a process to measure with", errno));
  if (pid > 0) {
    pids_.push_back(pid);
    return pid;
  }
  ::prctl(PR_SET_PDEATHSIG, SIGKILL);
  if (::getppid() != parent) ::_exit(1);  // the parent died before the prctl
  try {
    body();
  } catch (const std::exception& error) {
    // An exception must not leave the forked child.
    std::fprintf(stderr, "heddle: internal error: %s\n", error.what());
    ::_exit(1);
  }
  ::_exit(0);
}

bool Forks::all_run() const {
  return std::all_of(pids_.begin(), pids_.end(), [](pid_t pid) {
    siginfo_t end{};
    return ::waitid(P_PID, static_cast<id_t>(pid), &end, WEXITED | WNOHANG | WNOWAIT) == 0 &&
           end.si_pid == 0;
  });
}

constexpr std::size_t kMostSaid = std::size_t{1} << 30;

Json in_child(const std::function<Json()>& measure) {
  int ends[2];
  if (::pipe2(ends, O_CLOEXEC) != 0) throw Failed(system_error("make a pipe", errno));
  Fd in(ends[0]), out(ends[1]);
  Forks child;
  const pid_t pid =
      child.start([&] { (void)write_all(out.get(), outcome_of(measure).dump(), "the outcome"); });
  out = Fd();
  const Result<std::string> text =
      read_named_file("/dev/fd/" + std::to_string(in.get()), kMostSaid);
  const Json said = Json::parse(text ? *text : "", nullptr, false);
  siginfo_t end{};
  while (::waitid(P_PID, static_cast<id_t>(pid), &end, WEXITED | WNOWAIT) < 0 && errno == EINTR) {
  }
  if (end.si_code == CLD_KILLED)
    throw Failed("the process that measured was killed by signal " + std::to_string(end.si_status));
  if (!said.is_object()) throw Failed("the process that measured said nothing");
  if (said.contains("error")) throw Failed(said.at("error").get<std::string>());
  return said.at("ok");
}

void* map_shared(std::size_t bytes) {
  void* memory = ::mmap(nullptr, bytes, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
  if (memory == MAP_FAILED) throw std::bad_alloc();
  return memory;
}

}  // namespace heddle::bench
