// heddle-worker: plays one emulated node of a run. See docs/explanation/architecture.md.

#include <fcntl.h>
#include <fmt/core.h>
#include <linux/close_range.h>
#include <sys/prctl.h>
#include <unistd.h>

#include <cerrno>
#include <csignal>
#include <filesystem>
#include <random>
#include <utility>

#include "cgroup/home.h"
#include "common/command_line/command_line.h"
#include "common/directory.h"
#include "common/exit_status.h"
#include "common/fd.h"
#include "common/file.h"
#include "common/host_clock.h"
#include "common/installed.h"
#include "common/log/log.h"
#include "common/signals.h"
#include "common/text.h"
#include "host/own_user.h"
#include "host/run_directory.h"
#include "net/key_files.h"
#include "worker/agent.h"
#include "worker/data/data_port.h"
#include "worker/freeze.h"
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
  // For a stand-alone worker.
  std::string host, data_address;
  std::optional<int> patience;
  int count = 1;
  std::vector<std::string> command_line;

  std::optional<std::string> home() const {
    return cgroup.empty() ? std::nullopt : std::optional(cgroup);
  }
};

/// Default time in seconds that a stand-alone worker waits for a master, which may start later.
constexpr int kHandPatience = 60;
constexpr int kMostPatience = 24 * 3600;
constexpr int kMostWorkers = 1000;

/// Returns whether the worker is stand-alone: nobody has started it for a run, found a home for it
/// or removes what it leaves.
bool stand_alone(const AgentOptions& agent) { return agent.endpoint.starts_with("tcp://"); }

Result<void> bind_to_parent() {
  pid_t parent = ::getppid();
  if (::prctl(PR_SET_PDEATHSIG, SIGKILL) < 0)
    return system_error("ask for the parent-death signal", errno);
  // If the parent died in between, the signal would never come.
  if (::getppid() != parent) return aborted_error("the parent process is gone");
  return {};
}

/// Reads the keys that tcp:// requires.
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
  // A worker makes the keys of its data service itself.
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
  if (path.empty())
    log_to_standard_error("worker");
  else
    HEDDLE_TRY(log_to_file(path, "worker"));
  set_log_pattern("%Y-%m-%dT%H:%M:%S.%e %l " + node + ": %*");
  return {};
}

/// Returns the control socket's directory, which is the run's and is removed with it.
std::string run_directory(const AgentOptions& agent) {
  return std::filesystem::path(agent.endpoint.substr(std::string("ipc://").size())).parent_path();
}

/// Returns the directories that commands see empty. A command may run as the worker's user, but
/// sees neither the sockets and data of runs, nor keys, nor the output of other commands.
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

/// Provides namespaces for commands, for an ordinary user by entering a user namespace. Returns
/// false if there are none and commands may share ours.
Result<bool> take_namespaces(bool may_share) {
  if (Result<void> there = check_namespaces(); !there) {
    if (!may_share) return std::move(there).error();
    log_warning(there.error().text);
    return false;
  }
  if (::geteuid() != 0) HEDDLE_TRY(enter_user_namespace());
  return true;
}

/// Returns the user that commands run as. `own`: gets the lock of an id if one is taken for them.
Result<host::TaskUser> take_user(const Options& options, std::optional<host::OwnUser>& own) {
  Result<std::optional<host::TaskUser>> user = host::find_task_user(
      host::task_user_question(options.task_user, options.allow_root_commands));
  if (!user) return std::move(user).error();
  if (*user) return **user;
  HEDDLE_TRY(put(host::OwnUser::take(std::random_device()()), own));
  return own->user();
}

/// Restrictions on commands.
struct Cage {
  std::optional<CommandCage> commands;  ///< none if commands are not allowed
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

/// Prepares the restrictions on commands. REQUIRES: one thread.
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
  log_info(fmt::format("commands run as user {}{}", user->uid,
                       *own_namespaces ? "" : ", without namespaces of their own"));
  cage.commands = CommandCage{*user, *std::move(logs), *std::move(filter), *own_namespaces,
                              covered_directories(options)};
  return cage;
}

Result<int> run_agent(cgroup::Driver& driver, const AgentOptions& options) {
  Result<std::unique_ptr<Agent>> agent = Agent::create(driver, options);
  if (!agent) return std::move(agent).error();
  return (*agent)->run();
}

/// Runs a stand-alone worker, whose master may be on another host.
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
  // Keep the path short: a socket's path may have at most 107 bytes.
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
  // Inherited descriptors, such as a lock of `heddle run` that must live as long as we do, stay
  // open here but are not passed on.
  ::close_range(3, ~0U, CLOSE_RANGE_CLOEXEC);
  // Block signals before any thread is made, so that they come through the agent's descriptor
  // alone.
  block_signals(kEndSignals);
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
  if (!options.log.empty()) log_error(error.text);
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
  options.agent.task_program = heddle::program_path("heddle-task");
  const heddle::CommandLine app("heddle-worker", "play one emulated node of a run, or several");
  app.add_option("--connect", options.agent.endpoint,
                 "endpoint of the master, ipc://PATH or tcp://HOST:PORT")
      .type_name("ENDPOINT")
      .required();
  app.add_option("--run", options.agent.run, "id of the run (default over tcp://: the master's)")
      .type_name("ID");
  app.add_option("--node", options.agent.node,
                 "name of the node in the scenario (default over tcp://: one that fits this host)")
      .type_name("NAME");
  heddle::require_integer(
      app.add_option("--count", options.count, "number of workers, a process each (default: 1)"),
      "N", 1, kMostWorkers);
  app.add_option("--host", options.host, "name of this host (default: its host name)")
      .type_name("NAME");
  app.add_option("--data-address", options.data_address,
                 "address at which other workers reach the data service of this host (default: "
                 "that of its connection to the master)")
      .type_name("ADDRESS");
  heddle::require_integer(
      app.add_option("--patience", options.patience,
                     "seconds to wait for the master (default: 30, or 60 over tcp://)"),
      "SECONDS", 1, kMostPatience);
  app.add_option("--cgroup", options.cgroup,
                 "create control groups below GROUP (default: where the first process of the run "
                 "found that it may)")
      .type_name("GROUP");
  app.add_option("--task", options.agent.task_program,
                 "path of heddle-task (default: beside this program)")
      .type_name("FILE");
  app.add_option("--data", options.agent.data,
                 "endpoint of the data service (default: a socket beside the master's)")
      .type_name("ENDPOINT");
  app.add_option("--scratch", options.scratch,
                 "directory for the output of tasks until the run ends (default: beside the "
                 "master's socket)")
      .type_name("DIR");
  app.add_option("--keys", options.keys,
                 "key directory for tcp:// (default: ~/.config/heddle/keys)")
      .type_name("DIR");
  app.add_option("--key", options.key, "key to use, one for workers (default: the only one)")
      .type_name("NAME");
  app.add_option("--log", options.log, "log file (default: standard error)").type_name("FILE");
  app.add_flag("--allow-commands", options.allow_commands, "run programs that the scenario names");
  app.add_option("--task-user", options.task_user,
                 "user of these programs: a name, a number, or auto: the user who called sudo, "
                 "else an id that belongs to the worker (default: auto)")
      .type_name("USER");
  app.add_flag("--allow-root-commands", options.allow_root_commands,
               "let these programs run as root if --task-user says so");
  app.add_flag("--allow-unisolated-commands", options.allow_unisolated_commands,
               "run these programs without namespaces of their own if this machine cannot make "
               "any");
  app.add_option("--command-logs", options.command_logs,
                 "directory for the output of these programs, a directory for each")
      .type_name("DIR");
  app.add_option("--cover", options.covered,
                 "directory that these programs see as empty; may be repeated")
      .allow_extra_args(false)
      .type_name("DIR");
  app.add_flag("--die-with-parent", options.die_with_parent,
               "end with SIGKILL when the parent dies");
  if (const std::optional<int> status = app.parse(argc, argv)) return *status;
  return run(options);
}
