#include "cli/results/derive.h"

#include <fcntl.h>
#include <poll.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <csignal>
#include <cstdio>
#include <span>
#include <vector>

#include "cli/base/exit_status.h"
#include "cli/base/signals.h"
#include "common/directory.h"
#include "common/result_files.h"
#include "common/text.h"
#include "report/history.h"
#include "report/manifest.h"
#include "report/page/page.h"
#include "report/tables/sqlite.h"
#include "report/timeline/timeline.h"

namespace heddle::cli {
namespace {

/// A derived file and the function that writes it.
struct DerivedFile {
  const char* file;
  Result<void> (*write)(const report::RunHistory& history, const std::string& dir,
                        const std::string& path);
};
constexpr DerivedFile kDerived[] = {
    {kTablesFile, &report::write_sqlite},
    {kTimelineFile, &report::write_timeline},
    {kPageFile, &report::write_run_page},
};

constexpr int kLook_ms = 50;

/// Returns the files: all of them, or the last one.
std::span<const DerivedFile> derived(DerivedFiles files) {
  const std::span all(kDerived);
  return files == DerivedFiles::kAll ? all : all.last(1);
}

std::string names_of(std::span<const DerivedFile> files) {
  std::vector<std::string> names;
  for (const DerivedFile& one : files) names.emplace_back(one.file);
  return join(names);
}

Result<void> write_derived(const std::string& dir, const Scenario& scenario, DerivedFiles files) {
  Result<report::RunHistory> history = report::read_history(dir, scenario);
  if (!history) return std::move(history).error().in(names_of(derived(files)));
  std::vector<std::string> made, failed;
  for (const DerivedFile& one : derived(files))
    if (Result<void> written = one.write(*history, dir, dir + "/" + one.file); written)
      made.emplace_back(one.file);
    else
      failed.push_back(std::string(one.file) + " (" + written.error().text + ")");
  HEDDLE_TRY(report::note_files(dir, made));
  if (failed.empty()) return {};
  return aborted_error(join(failed));
}

/// Makes the derived files. Runs in the forked child. Writes the reason of a failure to `out`.
[[noreturn]] void derive_apart(const std::string& dir, const Scenario& scenario, DerivedFiles files,
                               int out) {
  ::prctl(PR_SET_PDEATHSIG, SIGKILL);
  std::string text;
  try {
    if (Result<void> written = write_derived(dir, scenario, files); !written)
      text = written.error().text;
  } catch (const std::exception& error) {
    text = std::string("internal error: ") + error.what();
  }
  const bool told = ::write(out, text.data(), text.size()) == static_cast<ssize_t>(text.size());
  ::_exit(text.empty() && told ? kExitDone : kExitAborted);
}

/// The child process that makes the derived files, and the child's error message.
class Apart {
 public:
  static Result<Apart> start(const std::string& dir, const Scenario& scenario, DerivedFiles files) {
    int ends[2];
    if (::pipe2(ends, O_CLOEXEC) != 0) return system_error("make a pipe", errno);
    Apart apart;
    apart.from_ = Fd(ends[0]);
    Fd to(ends[1]);
    std::fflush(nullptr);
    apart.pid_ = ::fork();
    if (apart.pid_ < 0) return system_error("make a process", errno);
    apart.files_ = files;
    if (apart.pid_ == 0) derive_apart(dir, scenario, files, to.get());
    return apart;
  }

  /// Waits for the child. If the user wants to stop, kills it and returns false.
  bool wait() {
    while (true) {
      if (asked_to_stop()) {
        ::kill(pid_, SIGKILL);
        (void)reap();
        return false;
      }
      pollfd ready{from_.get(), POLLIN, 0};
      if (::poll(&ready, 1, kLook_ms) <= 0) continue;
      char buffer[4096];
      const ssize_t n = ::read(from_.get(), buffer, sizeof buffer);
      if (n <= 0) break;
      said_.append(buffer, static_cast<std::size_t>(n));
    }
    if (const int status = reap(); said_.empty() && WIFSIGNALED(status))
      said_ = names_of(derived(files_)) + " (killed by signal " + std::to_string(WTERMSIG(status)) +
              ")";
    return true;
  }
  /// Returns the reason of a failure, or "".
  const std::string& said() const { return said_; }

 private:
  int reap() const {
    int status = 0;
    while (::waitpid(pid_, &status, 0) < 0 && errno == EINTR) {
    }
    return status;
  }

  pid_t pid_ = -1;
  DerivedFiles files_ = DerivedFiles::kAll;
  Fd from_;
  std::string said_;
};

void say_not_made(const std::string& what) {
  say("warning: not made: " + what +
      "; nothing is lost: heddle export and heddle report make them");
}

}  // namespace

void say_made_later(const std::string& dir, std::optional<DerivedFiles> made) {
  const std::span all(kDerived);
  const std::span left = made ? all.first(all.size() - derived(*made).size()) : all;
  say("not made yet: " + names_of(left) + "; heddle export " + dir +
      (made ? " makes them" : " and heddle report " + dir + " make them"));
}

int derive_at_end(const std::string& dir, const Scenario& scenario, DerivedFiles files, int status,
                  bool quiet) {
  const std::string names = names_of(derived(files));
  const bool interrupted = status == kExitInterrupted || asked_to_stop();
  if (!interrupted) {
    Result<Apart> apart = Apart::start(dir, scenario, files);
    if (!apart) {
      say_not_made(names + " (" + apart.error().text + ")");
      return status;
    }
    const bool ended = apart->wait();
    // If the child was killed while it was writing, a temporary file is left.
    if (Result<Directory> made = Directory::open(dir))
      for (const DerivedFile& one : kDerived) made->discard_all_for(one.file);
    if (ended) {
      if (!apart->said().empty()) say_not_made(apart->said());
      return status;
    }
  }
  if (!quiet) say_not_made(names + " (interrupted)");
  return came_to_its_end(status) ? kExitInterrupted : status;
}

}  // namespace heddle::cli
