#pragma once

#include <sys/types.h>

#include <chrono>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "tests/support/temporary_directory.h"

namespace heddle {

/// A temporary directory for one test.
class Scratch : public tests::TemporaryDirectory {
 public:
  /// Writes a file in the directory. Returns its path.
  std::string file(const std::string& name, const std::string& text) const;
};

/// A program under test. Its output is written to files. If the program still runs when this object
/// is destroyed, the destructor kills it.
class Process {
 public:
  Process(std::vector<std::string> arguments, const Scratch& scratch);
  ~Process();
  pid_t pid() const { return pid_; }
  /// Waits for the end of the program. Returns its exit status, or 128 + n if signal n ended it.
  /// Returns -1 if it has not ended within the limit.
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

/// Returns the command line that runs the `heddle` of this build with the arguments.
std::vector<std::string> heddle(std::vector<std::string> arguments);
/// How a program ended.
struct Ended {
  int status;  ///< as Process::wait returns it
  std::string output, errors;
};
/// Runs the command and waits for its end.
Ended end_of(std::vector<std::string> command, const Scratch& scratch);
/// Runs `heddle` with the arguments and waits for its end.
Ended call(std::vector<std::string> arguments, const Scratch& scratch);
/// Checks that the text has each of the parts.
void expect_parts(const std::string& text, const std::vector<std::string>& parts);
/// Checks the exit status and the parts of the messages on standard error.
void expect_refused(const Ended& end, int status, const std::vector<std::string>& parts);
/// Runs `heddle` with the arguments. Returns "" if its exit status is 0, else "STATUS: errors".
std::string trouble_of(std::vector<std::string> arguments, const Scratch& scratch);
/// Simulates the scenario of a file, with more options. Checks that the exit status is 0, or 1
/// because jobs failed. Returns the directory of the results, which is `out` in the scratch
/// directory.
std::string simulated(const std::string& file, const Scratch& scratch,
                      const std::vector<std::string>& more = {}, const std::string& out = "out");
/// Returns the contents of the file, or "" if it cannot be read.
std::string text_of(const std::string& path);
/// Returns the names of the files and directories in a directory.
std::vector<std::string> names_in(const std::string& directory);
/// Returns the path of a scenario of this checkout. An example is scenario("quickstart").
std::string scenario(const std::string& name);

/// Returns the living descendants of process `root` whose executable has this name, such as
/// "heddle-worker". The process ids are ascending.
std::vector<pid_t> descendants(pid_t root, const std::string& name);
/// Returns the CPU time of the process in clock ticks; 0 if it is gone.
long cpu_ticks(pid_t pid);
/// Returns whether the process exists and is not a zombie.
bool alive(pid_t pid);
/// Kills a process that is certainly alive, because it is stopped first. Returns false if the
/// process had already ended.
bool kill_living(pid_t pid);
/// Returns the control groups named heddle-RUN of all hierarchies.
std::vector<std::string> groups_of(const std::string& run);
/// Returns the directory of the process's control group. If the controller has a v1 hierarchy, this
/// is the group in it, else the v2 group. Returns "" if the process is gone.
std::string group_of_pid(pid_t pid, const std::string& controller);

/// Polls until the condition is true. Returns false if it is not true within the limit.
template <class Condition>
bool eventually(Condition condition, std::chrono::milliseconds limit = std::chrono::seconds(20));

/// Runs `heddle` with the arguments and --json. Checks that its exit status is 0; returns its
/// output.
nlohmann::json json_of(std::vector<std::string> arguments, const Scratch& scratch);
nlohmann::json read_json(const std::string& path);
/// Returns the complete lines of journal.jsonl.
std::vector<nlohmann::json> read_journal(const std::string& out);
/// Returns a journal's text without its checksums. A journal without checksums is also valid, and a
/// test can edit it.
std::string without_checksums(const std::string& journal);
/// Removes from the journal the checksums, and every line that has the text.
void drop_lines(const std::string& path, const std::string& text);
/// Returns the run id of the results in `out`, or "" while there is no id.
std::string run_id(const std::string& out);
/// Returns "" if `heddle replay` of the results in `out` makes the same decisions again, else the
/// output of `heddle replay`.
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
