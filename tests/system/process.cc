#include "tests/system/process.h"

#include <fcntl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <csignal>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <map>
#include <sstream>
#include <thread>

#include "common/file.h"
#include "tests/support/matchers.h"

namespace heddle {
namespace fs = std::filesystem;

std::string Scratch::file(const std::string& name, const std::string& text) const {
  std::string path = *this / name;
  std::ofstream(path) << text;
  return path;
}

Process::Process(std::vector<std::string> arguments, const Scratch& scratch) {
  static int count = 0;
  out_ = scratch / ("stdout" + std::to_string(count));
  err_ = scratch / ("stderr" + std::to_string(count));
  ++count;
  std::vector<char*> argv;
  for (std::string& argument : arguments) argv.push_back(argument.data());
  argv.push_back(nullptr);
  pid_ = ::fork();
  if (pid_ != 0) return;
  // The test's caller may ignore signals, as a shell does for background jobs; the program must
  // not.
  for (int signal : {SIGINT, SIGTERM, SIGHUP, SIGPIPE, SIGXFSZ}) ::signal(signal, SIG_DFL);
  int out = ::open(out_.c_str(), O_WRONLY | O_CREAT | O_TRUNC, 0644);
  int err = ::open(err_.c_str(), O_WRONLY | O_CREAT | O_TRUNC, 0644);
  ::dup2(::open("/dev/null", O_RDONLY), 0);
  ::dup2(out, 1);
  ::dup2(err, 2);
  ::execvp(argv[0], argv.data());
  ::_exit(127);
}

Process::~Process() {
  if (!running()) return;
  signal(SIGINT);
  if (wait(std::chrono::seconds(5)) >= 0) return;
  signal(SIGKILL);
  wait();
}

bool Process::running() {
  if (pid_ < 0 || status_ >= 0) return false;
  int status = 0;
  if (::waitpid(pid_, &status, WNOHANG) != pid_) return true;
  status_ = WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
  return false;
}

int Process::wait(std::chrono::seconds limit) {
  return eventually([&] { return !running(); }, limit) ? status_ : -1;
}

void Process::signal(int number) const { ::kill(pid_, number); }

// The files appear a moment after the process.
std::string Process::output() const { return read_file(out_) ? read_file(out_).value() : ""; }
std::string Process::errors() const { return read_file(err_) ? read_file(err_).value() : ""; }

std::vector<std::string> heddle(std::vector<std::string> arguments) {
  arguments.insert(arguments.begin(), std::string(HEDDLE_BIN) + "/heddle");
  return arguments;
}

Ended end_of(std::vector<std::string> command, const Scratch& scratch) {
  Process process(std::move(command), scratch);
  const int status = process.wait();
  return {status, process.output(), process.errors()};
}

Ended call(std::vector<std::string> arguments, const Scratch& scratch) {
  return end_of(heddle(std::move(arguments)), scratch);
}

void expect_parts(const std::string& text, const std::vector<std::string>& parts) {
  for (const std::string& part : parts) EXPECT_THAT(text, HasSubstr(part));
}

void expect_refused(const Ended& end, int status, const std::vector<std::string>& parts) {
  EXPECT_EQ(end.status, status) << end.errors;
  expect_parts(end.errors, parts);
}

std::string trouble_of(std::vector<std::string> arguments, const Scratch& scratch) {
  const Ended end = call(std::move(arguments), scratch);
  return end.status == 0 ? "" : std::to_string(end.status) + ": " + end.errors;
}

std::string simulated(const std::string& file, const Scratch& scratch,
                      const std::vector<std::string>& more, const std::string& out) {
  std::vector<std::string> words = {"simulate", file, "--quiet", "--out", scratch / out};
  words.insert(words.end(), more.begin(), more.end());
  const Ended end = call(words, scratch);
  EXPECT_TRUE(end.status == 0 || end.status == 1) << end.status << ": " << end.errors;
  return scratch / out;
}

std::string text_of(const std::string& path) {
  const Result<std::string> text = read_file(path);
  return text ? *text : "";
}

std::vector<std::string> names_in(const std::string& directory) {
  std::vector<std::string> names;
  for (const auto& entry : std::filesystem::directory_iterator(directory))
    names.push_back(entry.path().filename());
  return names;
}

std::string scenario(const std::string& name) {
  return std::string(HEDDLE_SOURCE) + "/scenarios/" + name + ".yaml";
}

namespace {

struct Stat {
  std::string name;
  char state = 'X';
  pid_t parent = 0;
};

Stat stat_of(pid_t pid) {
  auto text = read_file("/proc/" + std::to_string(pid) + "/stat");
  if (!text) return {};
  std::size_t open = text->find('('), close = text->rfind(')');
  if (open == std::string::npos || close == std::string::npos) return {};
  Stat stat;
  stat.name = text->substr(open + 1, close - open - 1);
  std::istringstream(text->substr(close + 1)) >> stat.state >> stat.parent;
  return stat;
}

}  // namespace

long cpu_ticks(pid_t pid) {
  const std::string stat = text_of("/proc/" + std::to_string(pid) + "/stat");
  std::istringstream fields(stat.substr(stat.rfind(')') + 1));
  std::string skipped;
  for (int i = 0; i < 11; ++i) fields >> skipped;
  long user = 0, system = 0;
  fields >> user >> system;
  return user + system;
}

bool alive(pid_t pid) {
  char state = stat_of(pid).state;
  return state != 'X' && state != 'Z';
}

bool kill_living(pid_t pid) {
  ::kill(pid, SIGSTOP);
  // A thread in the kernel, or a group without CPU, takes the signal a moment later.
  (void)eventually([&] { return !alive(pid) || stat_of(pid).state == 'T'; },
                   std::chrono::seconds(5));
  return alive(pid) && ::kill(pid, SIGKILL) == 0;
}

std::vector<pid_t> descendants(pid_t root, const std::string& name) {
  std::map<pid_t, Stat> all;
  for (const auto& entry : fs::directory_iterator("/proc")) {
    pid_t pid = std::atoi(entry.path().filename().c_str());
    if (pid > 0) all[pid] = stat_of(pid);
  }
  std::vector<pid_t> found;
  for (const auto& [pid, stat] : all) {
    if (stat.name != name || stat.state == 'Z') continue;
    pid_t up = stat.parent;
    while (up > 1 && up != root) up = all.contains(up) ? all[up].parent : 0;
    if (up == root) found.push_back(pid);
  }
  return found;
}

std::vector<std::string> groups_of(const std::string& run) {
  std::vector<std::string> found;
  std::error_code error;
  fs::recursive_directory_iterator it("/sys/fs/cgroup",
                                      fs::directory_options::skip_permission_denied, error);
  for (; it != fs::recursive_directory_iterator(); it.increment(error)) {
    if (error) break;
    if (it->path().filename() == "heddle-" + run) found.push_back(it->path());
  }
  return found;
}

std::string group_of_pid(pid_t pid, const std::string& controller) {
  auto text = read_file("/proc/" + std::to_string(pid) + "/cgroup");
  if (!text) return "";
  std::istringstream lines(*text);
  std::string unified;
  for (std::string line; std::getline(lines, line);) {
    std::size_t first = line.find(':'), second = line.find(':', first + 1);
    std::string names = "," + line.substr(first + 1, second - first - 1) + ",";
    if (names.find("," + controller + ",") != std::string::npos)
      return "/sys/fs/cgroup/" + controller + line.substr(second + 1);
    if (names == ",,") unified = "/sys/fs/cgroup" + line.substr(second + 1);
  }
  return unified;
}

nlohmann::json json_of(std::vector<std::string> arguments, const Scratch& scratch) {
  arguments.emplace_back("--json");
  const Ended end = call(std::move(arguments), scratch);
  EXPECT_EQ(end.status, 0) << end.errors;
  return nlohmann::json::parse(end.output, nullptr, false);
}

nlohmann::json read_json(const std::string& path) {
  auto text = read_file(path);
  return text ? nlohmann::json::parse(*text, nullptr, false) : nlohmann::json();
}

std::vector<nlohmann::json> read_journal(const std::string& out) {
  std::vector<nlohmann::json> lines;
  std::ifstream file(out + "/journal.jsonl");
  for (std::string line; std::getline(file, line);)
    if (!file.eof()) lines.push_back(nlohmann::json::parse(line));
  return lines;
}

std::string without_checksums(const std::string& journal) {
  std::string text;
  std::istringstream lines(journal);
  for (std::string line; std::getline(lines, line);) {
    const std::size_t field = line.rfind(",\"crc\":\"");
    text += field == std::string::npos ? line : line.substr(0, field) + "}";
    if (!lines.eof()) text += "\n";
  }
  return text;
}

void drop_lines(const std::string& path, const std::string& text) {
  std::istringstream lines(without_checksums(text_of(path)));
  std::ofstream out(path);
  for (std::string line; std::getline(lines, line);)
    if (line.find(text) == std::string::npos) out << line << "\n";
}

std::string run_id(const std::string& out) {
  std::ifstream file(out + "/journal.jsonl");
  std::string line;
  std::getline(file, line);
  auto json = nlohmann::json::parse(line, nullptr, false);
  return json.is_object() ? json.value("run", "") : "";
}

std::string replay_trouble(const std::string& out) {
  Scratch scratch;
  Process replay(heddle({"replay", out}), scratch);
  return replay.wait() == 0 ? "" : replay.output() + replay.errors();
}

void sleep_for(std::chrono::milliseconds time) { std::this_thread::sleep_for(time); }

}  // namespace heddle
