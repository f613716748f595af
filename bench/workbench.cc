#include "bench/workbench.h"

#include <poll.h>
#include <unistd.h>

#include <cerrno>
#include <csignal>

#include "bench/failed.h"
#include "cli/base/exit_status.h"
#include "cli/base/signals.h"
#include "common/installed.h"

namespace heddle::bench {
namespace {

using Clock = std::chrono::steady_clock;

constexpr int kShownLines = 20;  ///< lines of a program's output that an error shows
constexpr std::size_t kMostOutput = 1 << 20;

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

}  // namespace heddle::bench
