#pragma once

#include <sys/types.h>

#include <chrono>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

namespace heddle {

/// A directory of its own for one test, removed at the end.
class Scratch {
 public:
  Scratch();
  ~Scratch();
  std::string operator/(const std::string& name) const { return path_ + "/" + name; }
  /// Writes a file here; returns its path.
  std::string file(const std::string& name, const std::string& text) const;

 private:
  std::string path_;
};

/// A program under test: started with its output in files, waited for, killed at the latest when it
/// goes out of scope.
class Process {
 public:
  Process(std::vector<std::string> arguments, const Scratch& scratch);
  ~Process();
  pid_t pid() const { return pid_; }
  /// Exit status (128+n if a signal ended it), or -1 if it has not ended within the limit.
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

/// `heddle` of this build with the arguments.
std::vector<std::string> heddle(std::vector<std::string> arguments);
/// A scenario of this checkout: scenario("quickstart").
std::string scenario(const std::string& name);

/// Living descendants of a process whose executable has the name ("heddle-worker"), ascending.
std::vector<pid_t> descendants(pid_t root, const std::string& name);
/// The process is there and no zombie.
bool alive(pid_t pid);
/// Kills a process that is there for certain, as it is stopped first. False: it had ended before.
bool kill_living(pid_t pid);
/// Control groups named heddle-RUN, in any hierarchy.
std::vector<std::string> groups_of(const std::string& run);
/// Directories below a group of that run whose path ends in the suffix ("/n1/c0").
std::string group_of_pid(pid_t pid, const std::string& controller);

/// Polls until the condition holds; false if it has not within the limit.
template <class Condition>
bool eventually(Condition condition, std::chrono::milliseconds limit = std::chrono::seconds(20));

nlohmann::json read_json(const std::string& path);
/// Lines of journal.jsonl, whole ones.
std::vector<nlohmann::json> read_journal(const std::string& out);
/// The text of a journal without its checksums, as an earlier version would have written it; such a
/// one can be edited.
std::string without_checksums(const std::string& journal);
/// Run id of the results in `out`; "" while there is none.
std::string run_id(const std::string& out);
/// "" if `heddle replay` of the results in `out` makes the engine decide the same again, else what
/// it says.
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
