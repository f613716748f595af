// heddle-master reads a resolved scenario, waits for a worker for each node, runs the scenario and
// writes the journal.

#include <fmt/core.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <unistd.h>

#include <algorithm>
#include <csignal>
#include <filesystem>
#include <iostream>
#include <limits>
#include <memory>
#include <utility>

#include "common/command_line/command_line.h"
#include "common/directory.h"
#include "common/exit_status.h"
#include "common/fd.h"
#include "common/file.h"
#include "common/host_clock.h"
#include "common/log/log.h"
#include "common/random_id.h"
#include "common/result_files.h"
#include "common/signals.h"
#include "common/text.h"
#include "core/policy/registry.h"
#include "core/resolve.h"
#include "core/scenario/commands.h"
#include "master/server.h"
#include "net/key_files.h"
#include "workloads/scenario_file.h"
#include "yaml/write.h"

namespace heddle::master {
namespace {

constexpr rlim_t kMostFiles = 65'536;

struct Arguments {
  std::string scenario, run, log, keys;
  std::string journal = "full", durability = "write";
  std::string policy;
  std::optional<pid_t> policy_pid;
  std::optional<int> patience;
  bool die_with_parent = false;
  std::optional<int> return_within;
  bool allow_commands = false;
  ServerOptions server;
};

void die_with(pid_t parent) {
  ::prctl(PR_SET_PDEATHSIG, SIGKILL);
  if (::getppid() != parent) ::raise(SIGKILL);
}

/// Raises the limit on open files, because each worker needs a connection. Each unauthenticated
/// peer also needs a connection during its handshake.
void raise_file_limit() {
  rlimit files{};
  if (::getrlimit(RLIMIT_NOFILE, &files) < 0) return;
  files.rlim_cur = std::max(files.rlim_cur, std::min(files.rlim_max, kMostFiles));
  ::setrlimit(RLIMIT_NOFILE, &files);
}

/// Reads the keys if an endpoint begins with tcp://.
Result<void> take_keys(const std::string& keys_option, ServerOptions& server) {
  for (const auto& [option, endpoint] :
       {std::pair{"--bind", server.bind}, {"--progress", server.progress}}) {
    if (!endpoint.starts_with("tcp://")) continue;
    const std::string dir = keys_option.empty() ? net::default_key_directory() : keys_option;
    Result<net::MasterKeys> keys = net::read_master_keys(dir);
    if (!keys)
      return std::move(keys).error().in(std::string(option) + " " + endpoint + ": TCP needs keys");
    server.curve = keys->curve;
    server.admitted = std::move(keys->admitted);
    return {};
  }
  return {};
}

/// Reads a scenario in which all scales are set. The file is either a scenario that `heddle run`
/// has resolved, or a scenario that itself sets all scales, because the workers' machines are not
/// known yet.
Result<CheckedScenario> read_resolved(const std::string& path, bool hosts) {
  Result<CheckedScenario> checked = workloads::read_scenario(path);
  if (!checked) return checked;
  const EmulationSpec& emulation = checked->scenario.emulation;
  if (hosts) {
    checked = resolve_stated(checked->scenario);
    if (!checked) return std::move(checked).error().in(path);
    for (const std::string& warning : checked->warnings) log_warning(warning);
  } else if (!emulation.core_fraction || !emulation.memory_scale || !emulation.time_scale) {
    return usage_error(path + ": emulation has factors left `auto`");
  }
  return checked;
}

/// Makes the results directory and writes the resolved scenario into it, unless they exist already.
Result<void> make_out(const std::string& out, const Scenario& scenario) {
  if (Result<Directory> made = Directory::make(out); !made)
    return std::move(made).error().in("--out " + out);
  std::error_code error;
  const std::string path = scenario_path(out);
  if (std::filesystem::exists(path, error)) return {};
  return replace_file(path, write_scenario(scenario));
}

Result<int> run(const Arguments& arguments) {
  if (!arguments.log.empty()) HEDDLE_TRY(log_to_file(arguments.log, "master"));
  set_log_pattern("[%Y-%m-%d %H:%M:%S.%e] [%n] [%^%l%$] %*");
  ServerOptions server = arguments.server;
  HEDDLE_TRY(take_keys(arguments.keys, server));
  const bool hosts = server.bind.starts_with("tcp://");
  if (arguments.durability == "fsync") server.durability = Durability::kFsync;
  raise_file_limit();
  Result<CheckedScenario> checked = read_resolved(arguments.scenario, hosts);
  if (!checked) return std::move(checked).error();
  const Scenario& scenario = checked->scenario;
  if (!arguments.allow_commands) HEDDLE_TRY(check_no_commands(arguments.scenario, scenario));
  using Seconds = std::chrono::duration<double>;
  LiveRun::Options options;
  options.run = arguments.run.empty() ? random_id() : arguments.run;
  options.clock = host_clock();
  if (arguments.patience) options.patience = std::chrono::seconds(*arguments.patience);
  if (hosts) {
    HEDDLE_TRY(make_out(server.out, scenario));
    log_info(fmt::format("run {}: waiting {} s for workers of {} nodes at {}", options.run,
                         std::chrono::duration_cast<std::chrono::seconds>(options.patience).count(),
                         scenario.cluster.nodes.size(), server.bind));
  }
  options.journal_heartbeats = arguments.journal == "full";
  options.realtime_offset_s = Seconds(std::chrono::system_clock::now().time_since_epoch()).count() -
                              Seconds(real::now().time_since_epoch()).count();
  if (arguments.return_within) {
    options.await_all = true;
    options.return_limit = std::chrono::seconds(*arguments.return_within);
  }
  options.stopwatch = [] { return real::now().time_since_epoch(); };
  server.nodes = scenario.cluster.nodes.size();
  // ZeroMQ starts threads with the first socket. A thread that has just been made would still take
  // these signals, and they would end the process.
  block_signals({SIGINT, SIGTERM});
  std::unique_ptr<PolicyClient> policy;
  if (scenario.policy.external) {
    const auto limit =
        std::chrono::duration_cast<real::Duration>(Seconds(value(scenario.policy, kPolicyTimeout)));
    if (arguments.policy.empty())
      return usage_error("the policy is external; expected --policy-endpoint");
    Result<std::unique_ptr<PolicyClient>> made =
        PolicyClient::connect(arguments.policy, arguments.policy_pid, limit);
    if (!made) return std::move(made).error();
    policy = *std::move(made);
    options.ask = [&policy](const std::string& request) { return policy->exchange(request); };
  }
  LiveRun live(scenario, options, real::now());
  Result<RunStatus> status = serve(live, server, policy.get());
  if (!status) return std::move(status).error();
  if (!live.end().trouble().empty()) std::cerr << "heddle-master: " << live.end().trouble() << "\n";
  return static_cast<int>(*status);
}

}  // namespace
}  // namespace heddle::master

int main(int argc, char** argv) {
  heddle::open_standard_descriptors();
  heddle::set_up_signals();
  heddle::block_signals({SIGUSR1});  // heddle run can send it as soon as the server runs
  pid_t parent = ::getppid();
  heddle::master::Arguments arguments;
  const heddle::CommandLine app("heddle-master",
                                "run a resolved scenario with the workers that connect");
  app.add_option("SCENARIO", arguments.scenario, "resolved scenario, a YAML file").required();
  app.add_option("--out", arguments.server.out, "directory for results")
      .type_name("DIR")
      .required();
  app.add_option("--bind", arguments.server.bind,
                 "accept workers at ENDPOINT, ipc://PATH or tcp://HOST:PORT")
      .type_name("ENDPOINT")
      .required();
  app.add_option("--progress", arguments.server.progress, "publish progress at ENDPOINT")
      .type_name("ENDPOINT");
  app.add_option("--policy-endpoint", arguments.policy,
                 "endpoint of the program of an external policy, ipc://PATH or tcp://HOST:PORT")
      .type_name("ENDPOINT");
  heddle::require_integer(app.add_option("--policy-pid", arguments.policy_pid,
                                         "process of this program; the run ends if it does"),
                          "PID", 1, std::numeric_limits<pid_t>::max());
  app.add_option("--run", arguments.run, "id of the run (default: a new one)").type_name("ID");
  heddle::require_choice(app.add_option("--journal", arguments.journal,
                                        "what to record: full, or decisions: all but heartbeats "
                                        "(default: full)"),
                         {"full", "decisions"});
  heddle::require_choice(
      app.add_option("--durability", arguments.durability,
                     "what the journal survives: write: the death of every process; fsync: also a "
                     "power failure, as each line is on the disk before its action is sent "
                     "(default: write)"),
      {"write", "fsync"});
  const heddle::CommandOption resume = app.add_flag(
      "--resume", arguments.server.resume, "resume the run whose journal is in the directory");
  heddle::require_integer(
      app.add_option("--return-within", arguments.return_within,
                     "with --resume: seconds to wait for the workers of all nodes (default: wait "
                     "for those that were alive as long as a node may be silent, at least 5; if "
                     "none was, for those of all nodes as long as --patience says)")
          .needs(resume),
      "SECONDS", 0, 86'400);
  app.add_option("--keys", arguments.keys,
                 "key directory for tcp:// (default: ~/.config/heddle/keys)")
      .type_name("DIR");
  heddle::require_integer(
      app.add_option("--patience", arguments.patience,
                     "seconds to wait for the next worker while some are missing "
                     "at the start, and for a lost worker to come back (default: 60)"),
      "SECONDS", 1, 24 * 3600);
  app.add_option("--log", arguments.log, "log file (default: standard error)").type_name("FILE");
  app.add_flag("--allow-commands", arguments.allow_commands,
               "let the scenario name programs; workers must allow it too");
  app.add_flag("--die-with-parent", arguments.die_with_parent,
               "end with SIGKILL when the parent dies");
  if (const std::optional<int> status = app.parse(argc, argv)) return *status;
  if (arguments.die_with_parent) heddle::master::die_with(parent);
  try {
    const heddle::Result<int> status = heddle::master::run(arguments);
    if (status) return *status;
    std::cerr << "heddle-master: " << heddle::printable(status.error().text) << "\n";
    return heddle::exit_status(status.error());
  } catch (const std::exception& error) {
    std::cerr << "heddle-master: internal error: " << error.what() << "\n";
    return 4;
  }
}
