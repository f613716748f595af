// heddle-master: reads a resolved scenario, waits for a worker per node, runs it, keeps the
// journal.

#include <spdlog/sinks/basic_file_sink.h>
#include <spdlog/spdlog.h>
#include <sys/prctl.h>
#include <unistd.h>

#include <CLI/CLI.hpp>
#include <csignal>
#include <iostream>

#include "common/exit_status.h"
#include "common/fd.h"
#include "core/scenario/reader.h"
#include "master/server.h"

namespace heddle {
namespace {

struct Arguments {
  std::string scenario, run, log;
  std::string journal = "full";
  bool die_with_parent = false;
  ServerOptions server;
};

int fail(const Error& error) {
  std::cerr << "heddle-master: " << error.text << "\n";
  return exit_status(error);
}

void die_with(pid_t parent) {
  ::prctl(PR_SET_PDEATHSIG, SIGKILL);
  if (::getppid() != parent) ::raise(SIGKILL);
}

int run(const Arguments& arguments) {
  if (!arguments.server.bind.starts_with("ipc://"))
    return fail(usage_error("--bind " + arguments.server.bind +
                            ": only ipc:// is built yet (TCP needs keys)"));
  Result<CheckedScenario> checked = read_scenario(arguments.scenario);
  if (!checked) return fail(checked.error());
  const Scenario& scenario = checked->scenario;
  if (!scenario.emulation.core_fraction || !scenario.emulation.memory_scale ||
      !scenario.emulation.time_scale)
    return fail(usage_error(arguments.scenario + ": emulation has factors left `auto`"));
  using Seconds = std::chrono::duration<double>;
  LiveRun::Options options;
  options.run = arguments.run;
  options.journal_heartbeats = arguments.journal == "full";
  options.realtime_offset_s = Seconds(std::chrono::system_clock::now().time_since_epoch()).count() -
                              Seconds(std::chrono::steady_clock::now().time_since_epoch()).count();
  LiveRun live(scenario, options, std::chrono::steady_clock::now());
  Result<RunStatus> status = serve(live, arguments.server);
  return status ? static_cast<int>(*status) : fail(status.error());
}

}  // namespace
}  // namespace heddle

int main(int argc, char** argv) {
  heddle::open_standard_descriptors();
  pid_t parent = ::getppid();
  heddle::Arguments arguments;
  CLI::App app("Runs a resolved scenario with the workers that connect.", "heddle-master");
  app.add_option("scenario", arguments.scenario, "resolved scenario")->required();
  app.add_option("--out", arguments.server.out, "directory of the results")->required();
  app.add_option("--bind", arguments.server.bind, "control endpoint, ipc://PATH")->required();
  app.add_option("--progress", arguments.server.progress, "endpoint of the progress messages");
  app.add_option("--run", arguments.run, "run id")->required();
  app.add_option("--journal", arguments.journal, "full, or decisions: without heartbeats")
      ->check(CLI::IsMember({"full", "decisions"}));
  app.add_option("--log", arguments.log, "log file; default standard error");
  app.add_flag("--die-with-parent", arguments.die_with_parent, "be killed when the parent dies");
  try {
    app.parse(argc, argv);
  } catch (const CLI::ParseError& error) {
    return app.exit(error) == 0 ? 0 : 2;
  }
  if (arguments.die_with_parent) heddle::die_with(parent);
  try {
    if (!arguments.log.empty())
      spdlog::set_default_logger(spdlog::basic_logger_mt("master", arguments.log));
    spdlog::flush_on(spdlog::level::info);
    return heddle::run(arguments);
  } catch (const std::exception& error) {
    std::cerr << "heddle-master: internal error: " << error.what() << "\n";
    return 4;
  }
}
