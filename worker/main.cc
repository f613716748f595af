// heddle-worker: plays one emulated node of a run. See docs/architecture.md.

#include <fcntl.h>
#include <linux/close_range.h>
#include <spdlog/sinks/basic_file_sink.h>
#include <spdlog/sinks/stdout_sinks.h>
#include <spdlog/spdlog.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <CLI/CLI.hpp>
#include <cerrno>
#include <csignal>
#include <filesystem>
#include <utility>

#include "cgroup/home.h"
#include "common/exit_status.h"
#include "common/fd.h"
#include "common/text.h"
#include "worker/agent.h"

namespace heddle::worker {
namespace {

struct Options {
  AgentOptions agent;
  std::string cgroup;
  std::string log;
  std::string scratch;
  bool die_with_parent = false;
  bool allow_commands = false;
  bool allow_root_commands = false;
  std::optional<std::string> task_user;
  std::string command_logs;
};

/// What was inherited (a lock of `heddle run` that must live as long as we do) stays open here and
/// goes no further.
void keep_descriptors_to_ourselves() { ::close_range(3, ~0U, CLOSE_RANGE_CLOEXEC); }

/// Blocked before any thread is made, so that they come through the agent's descriptor alone.
void block_signals() {
  sigset_t set;
  ::sigemptyset(&set);
  for (int signal : {SIGTERM, SIGINT, SIGHUP}) ::sigaddset(&set, signal);
  ::sigprocmask(SIG_BLOCK, &set, nullptr);
  ::signal(SIGPIPE, SIG_IGN);
}

Result<void> bind_to_parent() {
  pid_t parent = ::getppid();
  if (::prctl(PR_SET_PDEATHSIG, SIGKILL) < 0)
    return system_error("ask for the parent-death signal", errno);
  // Had it died in between, the signal would never come.
  if (::getppid() != parent) return aborted_error("the parent process is gone");
  return {};
}

std::string beside_ourselves(const char* name) {
  std::error_code error;
  std::filesystem::path self = std::filesystem::read_symlink("/proc/self/exe", error);
  return error ? name : (self.parent_path() / name).string();
}

Result<void> check(const Options& options) {
  const AgentOptions& agent = options.agent;
  if (agent.endpoint.starts_with("tcp://"))
    return usage_error("--connect " + agent.endpoint +
                       ": tcp needs keys, which are not built yet; give an ipc:// endpoint");
  if (!agent.endpoint.starts_with("ipc://"))
    return usage_error("--connect " + agent.endpoint + ": not an ipc:// endpoint");
  if (!agent.data.empty() && !agent.data.starts_with("ipc://"))
    return usage_error("--data " + agent.data + ": not an ipc:// endpoint");
  for (const auto& [name, value] : {std::pair{"--run", agent.run}, {"--node", agent.node}})
    if (!valid_name(value))
      return usage_error(std::string(name) + " " + value +
                         ": a name is up to 64 letters, digits, dots, dashes and underscores");
  return {};
}

Result<void> open_log(const std::string& path, const std::string& node) {
  try {
    auto logger =
        path.empty() ? spdlog::stderr_logger_st("worker") : spdlog::basic_logger_st("worker", path);
    logger->set_pattern("%Y-%m-%dT%H:%M:%S.%e %l " + node + ": %v");
    logger->flush_on(spdlog::level::info);
    spdlog::set_default_logger(logger);
    return {};
  } catch (const spdlog::spdlog_ex& error) {
    return machine_error(std::string("--log: ") + error.what());
  }
}

/// What commands are held to; nothing where they are not allowed.
Result<std::optional<CommandCage>> open_cage(const Options& options) {
  if (!options.allow_commands) {
    if (options.allow_root_commands || options.task_user || !options.command_logs.empty())
      return usage_error(
          "--task-user, --allow-root-commands and --command-logs go with --allow-commands");
    return std::optional<CommandCage>();
  }
  if (options.command_logs.empty())
    return usage_error("--allow-commands: give --command-logs as well");
  Result<TaskUser> user =
      find_task_user(task_user_question(options.task_user, options.allow_root_commands));
  if (!user) return std::move(user).error();
  Fd logs(::open(options.command_logs.c_str(), O_PATH | O_DIRECTORY | O_CLOEXEC));
  if (!logs) return system_error("--command-logs " + options.command_logs, errno);
  return std::optional<CommandCage>(CommandCage{*user, std::move(logs)});
}

/// The control socket's directory: the run's, which goes with it.
std::string run_directory(const AgentOptions& agent) {
  return std::filesystem::path(agent.endpoint.substr(std::string("ipc://").size())).parent_path();
}

/// A directory of this worker's own, empty; gone with the object.
class Scratch {
 public:
  static Result<Scratch> make(const std::string& below, const AgentOptions& agent) {
    Scratch scratch(below + "/heddle-" + agent.run + "-" + agent.node);
    scratch.remove();  // a former life's, if that was killed
    if (::mkdir(scratch.path_.c_str(), 0700) < 0)
      return system_error("--scratch: make " + scratch.path_, errno);
    return scratch;
  }
  Scratch(Scratch&& other) noexcept : path_(std::exchange(other.path_, "")) {}
  ~Scratch() { remove(); }

  const std::string& path() const { return path_; }

 private:
  explicit Scratch(std::string path) : path_(std::move(path)) {}
  void remove() {
    std::error_code ignored;  // nobody to tell at the end; at the beginning mkdir tells
    if (!path_.empty()) std::filesystem::remove_all(path_, ignored);
  }
  std::string path_;
};

Result<int> work(Options options) {
  Result<std::optional<CommandCage>> cage = open_cage(options);
  if (!cage) return std::move(cage).error();
  if (*cage) options.agent.commands = &**cage;
  const std::string& below = options.scratch;
  Result<Scratch> scratch =
      Scratch::make(below.empty() ? run_directory(options.agent) : below, options.agent);
  if (!scratch) return std::move(scratch).error();
  options.agent.scratch = scratch->path();
  // Short, for the path of a socket may have 107 bytes.
  if (options.agent.data.empty())
    options.agent.data =
        "ipc://" + run_directory(options.agent) + "/data-" + std::to_string(::getpid());
  bool given = !options.cgroup.empty();
  Result<cgroup::Home> home =
      given ? cgroup::open_home(options.cgroup) : cgroup::find_home(std::nullopt);
  if (!home) return std::move(home).error().in("a place for control groups");
  Result<int> status = [&]() -> Result<int> {
    Result<std::unique_ptr<Agent>> agent = Agent::create(*home->driver, options.agent);
    if (!agent) return std::move(agent).error();
    return (*agent)->run();
  }();
  if (!given) cgroup::leave_home(*home);
  return status;
}

int run(const Options& options) {
  keep_descriptors_to_ourselves();
  block_signals();
  Result<void> ready = check(options);
  if (ready && options.die_with_parent) ready = bind_to_parent();
  if (ready) ready = open_log(options.log, options.agent.node);
  Result<int> status = ready ? work(options) : Result<int>(ready.error());
  if (status) return *status;
  const Error& error = status.error();
  if (!options.log.empty()) spdlog::error("{}", error.text);
  std::fprintf(stderr, "heddle-worker: %s\n", error.text.c_str());
  return exit_status(error);
}

}  // namespace
}  // namespace heddle::worker

int main(int argc, char** argv) {
  heddle::open_standard_descriptors();
  using namespace heddle::worker;
  Options options;
  options.agent.task_program = beside_ourselves("heddle-task");
  CLI::App app("Plays one emulated node of a Heddle run.");
  app.set_version_flag("--version", HEDDLE_VERSION);
  app.add_option("--connect", options.agent.endpoint, "the master's endpoint")->required();
  app.add_option("--run", options.agent.run, "run id")->required();
  app.add_option("--node", options.agent.node, "the scenario's name of the node")->required();
  app.add_option("--cgroup", options.cgroup,
                 "where control groups may live, as the run's first process found it");
  app.add_option("--task", options.agent.task_program,
                 "heddle-task (default: beside this program)");
  app.add_option("--data", options.agent.data,
                 "endpoint of its data service (default: a socket beside the master's)");
  app.add_option("--scratch", options.scratch,
                 "where what tasks hand over is kept until the end of the run (default: beside the "
                 "master's socket)");
  app.add_option("--log", options.log, "log file (default: standard error)");
  app.add_flag("--allow-commands", options.allow_commands, "run programs that scenarios name");
  app.add_option("--task-user", options.task_user,
                 "user they run as, name or number (default: the caller of sudo, else nobody)");
  app.add_flag("--allow-root-commands", options.allow_root_commands, "that user may be root");
  app.add_option("--command-logs", options.command_logs,
                 "directory in which each gets a directory of its own");
  app.add_flag("--die-with-parent", options.die_with_parent, "get SIGKILL when the parent dies");
  try {
    app.parse(argc, argv);
  } catch (const CLI::ParseError& error) {
    return app.exit(error) == 0 ? 0 : 2;
  }
  return run(options);
}
