#include <unistd.h>

#include <chrono>
#include <cstring>
#include <fstream>
#include <zmq.hpp>

#include "bench/commands/commands.h"
#include "bench/commands/measuring.h"
#include "bench/external_bench.h"
#include "bench/forks.h"
#include "bench/sim_scenario.h"
#include "cli/base/policy_link.h"
#include "common/installed.h"
#include "core/policy/registry.h"
#include "external/link/link.h"
#include "external/link/program.h"
#include "sim/simulation.h"

namespace heddle::bench {
namespace {

using namespace std::chrono_literals;
using wire::Json;
using Clock = std::chrono::steady_clock;

constexpr auto kReplyPatience = 60s;
constexpr std::size_t kMostEchoes = 20'000;

/// Serves requests whose first eight bytes say how long the reply is.
constexpr const char* kPythonEcho = R"(
import os, struct, zmq
socket = zmq.Context().socket(zmq.REP)
socket.bind(os.environ["HEDDLE_POLICY_ENDPOINT"])
while True:
    socket.send(b"x" * struct.unpack("=Q", socket.recv()[:8])[0])
)";

double us_between(Clock::time_point from, Clock::time_point until) {
  return std::chrono::duration<double, std::micro>(until - from).count();
}

/// An echo in C++, in a process of its own.
[[noreturn]] void serve_echo_at(const std::string& endpoint) {
  zmq::context_t context;
  zmq::socket_t socket(context, zmq::socket_type::rep);
  socket.bind(endpoint);
  for (;;) {
    zmq::message_t message;
    if (!socket.recv(message)) continue;
    std::uint64_t size = 0;
    std::memcpy(&size, message.data(), sizeof size);
    socket.send(zmq::message_t(size), zmq::send_flags::none);
  }
}

struct Subject {
  std::string name;
  Scenario scenario;
  bool python = false;  ///< the echo is in Python, as the program is
  cli::PolicyOptions options{};
};

ExternalSpec program_of(const std::string& path, std::vector<std::string> arguments = {}) {
  ExternalSpec spec;
  spec.program = path;
  spec.arguments = std::move(arguments);
  return spec;
}

/// Heddle's own examples, which may run as root.
std::vector<Subject> examples(const Scenario& scenario) {
  const std::string python = data_path("python");
  std::vector<Subject> all = {{"fifo.py", scenario, true}, {"heddle-example-fifo", scenario}};
  all[0].scenario.policy.external = program_of("/usr/bin/python3", {python + "/examples/fifo.py"});
  all[1].scenario.policy.external = program_of(program_path("heddle-example-fifo"));
  for (Subject& each : all) {
    each.options.task_user = "root";
    each.options.allow_root_commands = true;
    if (::geteuid() != 0) each.options.task_user.reset();
  }
  return all;
}

/// Returns whether the file begins with a line such as "#!/usr/bin/env python3".
bool is_python(const std::string& path) {
  std::ifstream file(path);
  std::string line;
  return std::getline(file, line) && line.starts_with("#!") &&
         line.find("python") != std::string::npos;
}

Result<std::vector<Subject>> subjects(const ExternalBenchOptions& options,
                                      const Scenario& scenario) {
  if (options.policies.empty()) return examples(scenario);
  std::vector<Subject> all;
  for (const std::string& text : options.policies) {
    Result<PolicySpec> policy = parse_policy(text);
    if (!policy) return std::move(policy).error().in("--policies");
    if (!policy->external || policy->external->protocol != ExternalSpec::Protocol::kHeddle)
      return usage_error("--policies " + text +
                         ": is no external policy in Heddle's protocol; expected exec:PATH or "
                         "external=ENDPOINT");
    Subject subject{text, scenario, is_python(policy->external->program)};
    subject.scenario.policy = *std::move(policy);
    subject.options.named = true;
    subject.options.task_user = options.task_user;
    HEDDLE_TRY(cli::settle_policy(subject.options, subject.scenario));
    all.push_back(std::move(subject));
  }
  return all;
}

/// Simulates with Heddle's own fifo. Returns the seconds.
double simulate_own(Scenario scenario) {
  scenario.policy = *parse_policy("fifo+reserve=false+reduce_early_start=1");
  const auto begin = Clock::now();
  sim::Simulation simulation(scenario, {}, nullptr, nullptr);
  while (simulation.go_on(1'000'000)) {
  }
  return us_between(begin, Clock::now()) / 1e6;
}

Result<ExternalMeasured> simulate(const Subject& subject) {
  Result<std::unique_ptr<cli::PolicyLink>> link =
      cli::PolicyLink::start(subject.options, subject.scenario);
  if (!link) return std::move(link).error();
  ExternalMeasured measured;
  Clock::time_point begin = Clock::now();
  sim::Simulation simulation(
      subject.scenario,
      {.ask =
           [&](const std::string& request) {
             const auto sent = Clock::now();
             Result<std::string> reply = (*link)->ask(request);
             const double us = us_between(sent, Clock::now());
             if (!reply || request.find("\"type\":\"step\"") == std::string::npos) {
               begin =
                   measured.exchanges.empty() ? Clock::now() : begin;  // the start does not count
               return reply;
             }
             measured.exchanges.push_back({request.size(), reply->size()});
             measured.round_trip_us.push_back(us);
             const Json json = wire::parse_json(*reply);
             if (json.contains("took_us"))
               measured.outside_us.push_back(us - json.at("took_us").get<double>());
             return reply;
           },
       .farewell = [&](const std::string& message) { (*link)->farewell(message); }},
      nullptr, nullptr);
  while (simulation.go_on(1'000'000)) {
  }
  measured.seconds = us_between(begin, Clock::now()) / 1e6;
  if (simulation.status() != RunStatus::kDone) return aborted_error(simulation.reason());
  return measured;
}

/// Exchanges messages of the same sizes with an echo.
Result<void> measure_echo(bool python, ExternalMeasured& measured, Workbench& bench) {
  Forks forks;
  std::optional<external::Program> program;
  std::string endpoint = "ipc://" + bench.new_path();
  if (python) {
    Result<external::Program> started = external::Program::start(
        program_of("/usr/bin/python3", {"-c", kPythonEcho}), std::nullopt, "");
    if (!started) return std::move(started).error();
    program.emplace(*std::move(started));
    endpoint = program->endpoint();
  } else if (Result<pid_t> pid = forks.start([&] { serve_echo_at(endpoint); }); !pid) {
    return std::move(pid).error();
  }
  Result<std::unique_ptr<external::Link>> link = external::Link::connect(endpoint);
  if (!link) return std::move(link).error();
  const auto none = []() -> std::optional<Error> { return std::nullopt; };
  for (std::size_t i = 0; i <= std::min(measured.exchanges.size(), kMostEchoes); ++i) {
    const Exchange& each = measured.exchanges[i == 0 ? 0 : i - 1];
    std::string request(std::max<std::size_t>(each.request, 8), 'x');
    const std::uint64_t size = each.reply;
    std::memcpy(request.data(), &size, sizeof size);
    const auto sent = Clock::now();
    HEDDLE_TRY((*link)->exchange(request, kReplyPatience, -1, none));
    if (i > 0) measured.echo_us.push_back(us_between(sent, Clock::now()));  // the first connects
  }
  return {};
}

}  // namespace

int external_bench_command(const ExternalBenchOptions& options) {
  SimLoad load;
  load.nodes = options.quick ? 20 : options.nodes;
  load.tasks_per_node = std::max(1, (options.quick ? 200 : options.tasks) / load.nodes);
  load.policy = *parse_policy("external=ipc:///none+reduce_early_start=1");
  const int tasks = load.nodes * load.tasks_per_node;
  const Scenario scenario = sim_scenario(load);
  // All policies are checked before the first is measured.
  Result<std::vector<Subject>> all = subjects(options, scenario);
  if (!all) return cli::fail(all.error());
  Result<Workbench> bench = Workbench::set_up();
  if (!bench) return cli::fail(bench.error());
  const auto rows = measure_each(
      *all, [](const Subject& subject) { return subject.name; },
      [&](const Subject& subject) -> Result<Json> {
        // The C++ echo forks before any thread of ZeroMQ exists, so each subject has its own child.
        Result<ExternalMeasured> measured = simulate(subject);
        if (!measured) return std::move(measured).error();
        HEDDLE_TRY(measure_echo(subject.python, *measured, *bench));
        return external_row(subject.name, tasks, simulate_own(scenario), *measured);
      });
  return print_rows(rows, external_results, options.json, format_external_results);
}

}  // namespace heddle::bench
