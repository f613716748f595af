// heddle-worker: plays one emulated node of a run. See docs/architecture.md.

#include <fcntl.h>
#include <linux/close_range.h>
#include <spdlog/sinks/basic_file_sink.h>
#include <spdlog/sinks/stdout_sinks.h>
#include <spdlog/spdlog.h>
#include <sys/prctl.h>
#include <unistd.h>

#include <CLI/CLI.hpp>
#include <cerrno>
#include <csignal>
#include <filesystem>
#include <random>
#include <utility>

#include "cgroup/home.h"
#include "common/directory.h"
#include "common/exit_status.h"
#include "common/fd.h"
#include "common/file.h"
#include "common/host_clock.h"
#include "common/log_format.h"
#include "common/signals.h"
#include "common/text.h"
#include "host/own_user.h"
#include "host/run_directory.h"
#include "net/key_files.h"
#include "worker/agent.h"
#include "worker/data/data_port.h"
#include "worker/isolation.h"
#include "worker/stand_alone.h"
#include "worker/syscall_filter.h"

namespace heddle::worker {
namespace {

struct Options {
  AgentOptions agent;
  std::string cgroup;
  std::string keys, key;
  std::string log;
  std::string scratch;
  bool die_with_parent = false;
  bool allow_commands = false;
  bool allow_root_commands = false;
  bool allow_unisolated_commands = false;
  std::optional<std::string> task_user;
  std::string command_logs;
  std::vector<std::string> covered;
  // Of one that is started by hand.
  std::string host, data_address;
  std::optional<int> patience;
  int count = 1;
  std::vector<std::string> command_line;

  std::optional<std::string> home() const {
    return cgroup.empty() ? std::nullopt : std::optional(cgroup);
  }
};

/// A worker that waits for a master this long, seconds, may be started before it.
constexpr int kHandPatience = 60;
constexpr int kMostPatience = 24 * 3600;
constexpr int kMostWorkers = 1000;

/// Nobody has started it for a run, found a home for it or removes what it leaves.
bool stand_alone(const AgentOptions& agent) { return agent.endpoint.starts_with("tcp://"); }

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

/// What tcp:// takes.
Result<void> take_keys(Options& options) {
  if (!options.agent.endpoint.starts_with("tcp://")) return {};
  const std::string dir = options.keys.empty() ? net::default_key_directory() : options.keys;
  Result<net::ClientKeys> keys = net::read_client_keys(dir, net::KeyRole::kWorker, options.key);
  if (!keys)
    return std::move(keys).error().in("--connect " + options.agent.endpoint + ": TCP needs keys");
  options.agent.curve = keys->curve;
  return {};
}

Result<void> check(const Options& options) {
  const AgentOptions& agent = options.agent;
  HEDDLE_TRY(net::check_endpoint("--connect", agent.endpoint, agent.curve.has_value()));
  // For its data service a worker makes keys by itself.
  if (!agent.data.empty()) HEDDLE_TRY(net::check_endpoint("--data", agent.data, true));
  if (!stand_alone(agent) && (options.count > 1 || !options.host.empty()))
    return usage_error("--count and --host need a master at tcp://");
  for (const auto& [name, value] : {std::pair{"--run", agent.run}, {"--node", agent.node}})
    if (!(value.empty() && stand_alone(agent)) && !valid_name(value))
      return usage_error(
          std::string(name) + " " + value +
          ": expected a name of up to 64 letters, digits, dots, dashes and underscores");
  return {};
}

Result<void> open_log(const std::string& path, const std::string& node) {
  try {
    Result<Fd> file = path.empty() ? Fd() : append_file(path);
    if (!file) return std::move(file).error().in("--log");
    auto logger = path.empty() ? spdlog::stderr_logger_st("worker")
                               : spdlog::basic_logger_st("worker", proc_path_of(*file));
    logger->set_formatter(printable_format("%Y-%m-%dT%H:%M:%S.%e %l " + node + ": %*"));
    logger->flush_on(spdlog::level::info);
    spdlog::set_default_logger(logger);
    return {};
  } catch (const spdlog::spdlog_ex& error) {
    return machine_error(std::string("--log: ") + error.what());
  }
}

/// The control socket's directory: the run's, which goes with it.
std::string run_directory(const AgentOptions& agent) {
  return std::filesystem::path(agent.endpoint.substr(std::string("ipc://").size())).parent_path();
}

/// A command may be of the same user as the worker. It sees neither the sockets and data of runs
/// nor keys nor the output of other commands.
std::vector<std::string> covered_directories(const Options& options) {
  std::vector<std::string> covered = host::base_directories();
  if (!stand_alone(options.agent)) covered.push_back(run_directory(options.agent));
  if (!options.scratch.empty()) covered.push_back(options.scratch);
  if (options.agent.curve)
    covered.push_back(options.keys.empty() ? net::default_key_directory() : options.keys);
  covered.push_back(options.command_logs);
  covered.insert(covered.end(), options.covered.begin(), options.covered.end());
  for (std::string& path : covered) path = std::filesystem::absolute(path);
  return covered;
}

/// Makes sure of namespaces for commands, as an ordinary user by entering a user namespace; false
/// if commands share ours, which is allowed then.
Result<bool> take_namespaces(bool may_share) {
  if (Result<void> there = check_namespaces(); !there) {
    if (!may_share) return std::move(there).error();
    spdlog::warn("{}", there.error().text);
    return false;
  }
  if (::geteuid() != 0) HEDDLE_TRY(enter_user_namespace());
  return true;
}

/// Who commands are run as. `own`: the lock of an id, if one is taken for that.
Result<host::TaskUser> take_user(const Options& options, std::optional<host::OwnUser>& own) {
  Result<std::optional<host::TaskUser>> user = host::find_task_user(
      host::task_user_question(options.task_user, options.allow_root_commands));
  if (!user) return std::move(user).error();
  if (*user) return **user;
  HEDDLE_TRY(put(host::OwnUser::take(std::random_device()()), own));
  return own->user();
}

/// What commands are held to.
struct Cage {
  std::optional<CommandCage> commands;  ///< none where they are not allowed
  std::optional<host::OwnUser> own;
};

Result<void> check_command_options(const Options& options) {
  const bool any = options.allow_root_commands || options.allow_unisolated_commands ||
                   options.task_user || !options.command_logs.empty() || !options.covered.empty();
  if (any && !options.allow_commands)
    return usage_error(
        "--task-user, --allow-root-commands, --allow-unisolated-commands, --command-logs and "
        "--cover need --allow-commands");
  if (options.allow_commands && options.command_logs.empty())
    return usage_error("--allow-commands needs --command-logs DIR");
  return {};
}

/// REQUIRES: one thread.
Result<Cage> open_cage(const Options& options) {
  Cage cage;
  if (!options.allow_commands) return cage;
  Result<host::TaskUser> user = take_user(options, cage.own);
  if (!user) return std::move(user).error();
  Result<Directory> logs_dir = Directory::open(options.command_logs);
  if (!logs_dir) return std::move(logs_dir).error().in("--command-logs " + options.command_logs);
  Result<Fd> logs = logs_dir->open_below(".", O_PATH | O_DIRECTORY);
  if (!logs) return std::move(logs).error();
  Result<Fd> filter = make_syscall_filter();
  if (!filter) return std::move(filter).error();
  Result<bool> own_namespaces = take_namespaces(options.allow_unisolated_commands);
  if (!own_namespaces) return std::move(own_namespaces).error();
  spdlog::info("commands run as user {}{}", user->uid,
               *own_namespaces ? "" : ", without namespaces of their own");
  cage.commands = CommandCage{*user, *std::move(logs), *std::move(filter), *own_namespaces,
                              covered_directories(options)};
  return cage;
}

Result<int> run_agent(cgroup::Driver& driver, const AgentOptions& options) {
  Result<std::unique_ptr<Agent>> agent = Agent::create(driver, options);
  if (!agent) return std::move(agent).error();
  return (*agent)->run();
}

/// For a master that may be on another host.
Result<int> work_by_hand(const Options& options, AgentOptions agent) {
  HEDDLE_TRY(put(host_facts(options.host), agent.host));
  agent.clock = host_clock();
  agent.join_patience = std::chrono::seconds(options.patience.value_or(kHandPatience));
  DataPort port;
  if (agent.data.empty()) {
    Result<std::string> address =
        options.data_address.empty() ? local_address_to(agent.endpoint) : options.data_address;
    if (!address) return std::move(address).error();
    HEDDLE_TRY(put(open_data_port(*address), port));
    agent.data = port.endpoint;
    agent.data_socket = port.socket.get();
  }
  Result<OwnPlace> place = OwnPlace::make(options.home());
  if (!place) return std::move(place).error();
  agent.place = [&](const std::string& run, const std::string& node) {
    return place->settle(run, node, options.scratch);
  };
  return run_agent(place->driver(), agent);
}

Result<int> work(Options options) {
  HEDDLE_TRY(check_command_options(options));
  if (stand_alone(options.agent) && options.count > 1)
    return start_workers(options.command_line, options.count, options.home());
  Result<Cage> cage = open_cage(options);
  if (!cage) return std::move(cage).error();
  if (cage->commands) options.agent.commands = &*cage->commands;
  if (stand_alone(options.agent)) return work_by_hand(options, options.agent);
  const std::string& below = options.scratch;
  Result<ScratchDir> scratch = ScratchDir::make(
      below.empty() ? run_directory(options.agent) : below, options.agent.run, options.agent.node);
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
  if (options.patience) options.agent.join_patience = std::chrono::seconds(*options.patience);
  Result<int> status = run_agent(*home->driver, options.agent);
  if (!given) cgroup::leave_home(*home);
  return status;
}

int run(Options options) {
  // What was inherited (a lock of `heddle run` that must live as long as we do) stays open here and
  // goes no further.
  ::close_range(3, ~0U, CLOSE_RANGE_CLOEXEC);
  // Before any thread is made, so that they come through the agent's descriptor alone.
  block_signals({SIGTERM, SIGINT, SIGHUP});
  Result<void> ready = take_keys(options);
  if (ready) ready = check(options);
  if (ready && options.die_with_parent) ready = bind_to_parent();
  if (ready && stand_alone(options.agent) && options.cgroup.empty())
    ready = enter_scope(options.command_line);
  const std::string name = options.agent.node.empty() ? host_name() : options.agent.node;
  if (ready) ready = open_log(options.log, name);
  Result<int> status = ready ? work(options) : Result<int>(ready.error());
  if (status) return *status;
  const Error& error = status.error();
  if (!options.log.empty()) spdlog::error("{}", error.text);
  std::fprintf(stderr, "heddle-worker: %s\n", printable(error.text).c_str());
  return exit_status(error);
}

}  // namespace
}  // namespace heddle::worker

int main(int argc, char** argv) {
  heddle::open_standard_descriptors();
  heddle::set_up_signals();
  using namespace heddle::worker;
  Options options;
  options.command_line.assign(argv, argv + argc);
  options.agent.task_program = beside_ourselves("heddle-task");
  CLI::App app("Plays one emulated node of a Heddle run.");
  app.set_version_flag("--version", HEDDLE_VERSION);
  app.add_option("--connect", options.agent.endpoint, "the master's endpoint")->required();
  app.add_option("--run", options.agent.run, "run id (default over tcp://: as the master says)");
  app.add_option("--node", options.agent.node,
                 "the scenario's name of the node (default over tcp://: one that fits this host)");
  app.add_option("--count", options.count, "so many workers, a process each")
      ->check(CLI::Range(1, kMostWorkers));
  app.add_option("--host", options.host, "what this host is called (default: its name)");
  app.add_option("--data-address", options.data_address,
                 "address of this host at which other workers reach its data service (default: "
                 "that of its connection to the master)");
  app.add_option("--patience", options.patience, "seconds to wait for the master")
      ->check(CLI::Range(1, kMostPatience));
  app.add_option("--cgroup", options.cgroup,
                 "where control groups may live, as the run's first process found it");
  app.add_option("--task", options.agent.task_program,
                 "heddle-task (default: beside this program)");
  app.add_option("--data", options.agent.data,
                 "endpoint of its data service (default: a socket beside the master's)");
  app.add_option("--scratch", options.scratch,
                 "where what tasks hand over is kept until the end of the run (default: beside the "
                 "master's socket)");
  app.add_option("--keys", options.keys,
                 "key directory for tcp:// (default: ~/.config/heddle/keys)");
  app.add_option("--key", options.key, "which of its workers' keys (default: the only one)");
  app.add_option("--log", options.log, "log file (default: standard error)");
  app.add_flag("--allow-commands", options.allow_commands, "run programs that scenarios name");
  app.add_option(
      "--task-user", options.task_user,
      "user they run as: a name, a number, or auto, the user who called sudo, else an id "
      "of the worker's own (default: auto)");
  app.add_flag("--allow-root-commands", options.allow_root_commands, "that user may be root");
  app.add_flag("--allow-unisolated-commands", options.allow_unisolated_commands,
               "they may run without namespaces of their own if this machine can't give any");
  app.add_option("--command-logs", options.command_logs,
                 "directory in which each gets a directory of its own");
  app.add_option("--cover", options.covered, "directory that they see empty; may be repeated")
      ->allow_extra_args(false);
  app.add_flag("--die-with-parent", options.die_with_parent, "get SIGKILL when the parent dies");
  try {
    app.parse(argc, argv);
  } catch (const CLI::ParseError& error) {
    return app.exit(error) == 0 ? 0 : 2;
  }
  return run(options);
}
