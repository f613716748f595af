#pragma once

#include <sys/types.h>

#include <chrono>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

namespace heddle {

/// A temporary directory for one test, removed at the end.
class Scratch {
 public:
  Scratch();
  ~Scratch();
  std::string operator/(const std::string& name) const { return path_ + "/" + name; }
  /// Writes a file in the directory; returns its path.
  std::string file(const std::string& name, const std::string& text) const;

 private:
  std::string path_;
};

/// A program under test. Its output goes to files, and it is killed at the latest when the object
/// goes out of scope.
class Process {
 public:
  Process(std::vector<std::string> arguments, const Scratch& scratch);
  ~Process();
  pid_t pid() const { return pid_; }
  /// Returns the exit status (128+n if a signal ended it), or -1 if it has not ended within the
  /// limit.
  int wait(std::chrono::seconds limit = std::chrono::seconds(120));
  bool running();
  void signal(int number) const;
  std::string output() const;  ///< standard output so far
  std::string errors() const;  ///< standard error so far

 private:
  pid_t pid_ = -1;
  int status_ = -1;
  std::string out_, err_;
};

/// Returns the command line of this build's `heddle` with the arguments.
std::vector<std::string> heddle(std::vector<std::string> arguments);
/// Returns the path of a scenario of this checkout: scenario("quickstart").
std::string scenario(const std::string& name);

/// Returns living descendants of a process whose executable has the name ("heddle-worker"),
/// ascending.
std::vector<pid_t> descendants(pid_t root, const std::string& name);
/// Returns whether the process exists and is not a zombie.
bool alive(pid_t pid);
/// Kills a process that is certainly alive, as it is stopped first. Returns false if it had ended.
bool kill_living(pid_t pid);
/// Returns the control groups named heddle-RUN, in any hierarchy.
std::vector<std::string> groups_of(const std::string& run);
/// Returns the directory of a process's control group for the controller, or of its v2 group; "" if
/// the process is gone.
std::string group_of_pid(pid_t pid, const std::string& controller);

/// Polls until the condition holds; returns false if it does not within the limit.
template <class Condition>
bool eventually(Condition condition, std::chrono::milliseconds limit = std::chrono::seconds(20));

nlohmann::json read_json(const std::string& path);
/// Returns the complete lines of journal.jsonl.
std::vector<nlohmann::json> read_journal(const std::string& out);
/// Returns a journal's text without its checksums, as an earlier version would have written it;
/// such a journal can be edited.
std::string without_checksums(const std::string& journal);
/// Returns the run id of the results in `out`; "" while there is none.
std::string run_id(const std::string& out);
/// Returns "" if `heddle replay` of the results in `out` makes the engine decide the same again,
/// else the replay's output.
std::string replay_trouble(const std::string& out);

void sleep_for(std::chrono::milliseconds time);

template <class Condition>
bool eventually(Condition condition, std::chrono::milliseconds limit) {
  auto until = std::chrono::steady_clock::now() + limit;
  while (!condition()) {
    if (std::chrono::steady_clock::now() > until) return false;
    sleep_for(std::chrono::milliseconds(10));
  }
  return true;
}

}  // namespace heddle
