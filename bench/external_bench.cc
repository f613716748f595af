#include "bench/external_bench.h"

#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <cstring>
#include <fstream>
#include <numeric>
#include <zmq.hpp>

#include "bench/bench.h"
#include "bench/forks.h"
#include "bench/sim_scenario.h"
#include "bench/workbench.h"
#include "cli/base/policy_link.h"
#include "common/installed.h"
#include "core/policy/registry.h"
#include "external/link/link.h"
#include "external/link/program.h"
#include "sim/simulation.h"
#include "wire/values.h"

namespace heddle::bench {
namespace {

using wire::Json;
using Clock = std::chrono::steady_clock;

constexpr double kAimX = 1.5;
constexpr std::chrono::seconds kReplyPatience(60);
constexpr std::size_t kMostEchoes = 20'000;
constexpr const char* kPython = "/usr/bin/python3";

const BenchForm kExternalForm = {"external",
                                 {{"policy", "policy"}, {"tasks", "tasks"}},
                                 {{"requests", "requests"},
                                  {"request_bytes", "bytes"},
                                  {"round_trip_us/p50", "round trip p50 us", 0, Better::kLess},
                                  {"round_trip_us/p99", "p99", 0, Better::kLess},
                                  {"outside_us/p50", "outside p50 us", 0, Better::kLess},
                                  {"echo_us/p50", "echo p50 us", 0, Better::kNeither},
                                  {"echo_us/p99", "p99", 0, Better::kNeither},
                                  {"x", "x", 2, Better::kLess},
                                  {"seconds", "simulation s", 2, Better::kLess},
                                  {"own_seconds", "fifo s", 2, Better::kNeither}}};

/// Serves requests whose first eight bytes say how long the reply is.
constexpr const char* kPythonEcho = R"(
import os, struct, zmq
socket = zmq.Context().socket(zmq.REP)
socket.bind(os.environ["HEDDLE_POLICY_ENDPOINT"])
while True:
    socket.send(b"x" * struct.unpack("=Q", socket.recv()[:8])[0])
)";

/// Does the same in C++.
[[noreturn]] void serve_echo_at(const std::string& endpoint) {
  zmq::context_t context;
  zmq::socket_t socket(context, zmq::socket_type::rep);
  socket.bind(endpoint);
  for (zmq::message_t message;;) {
    if (!socket.recv(message)) continue;
    std::uint64_t size = 0;
    std::memcpy(&size, message.data(), sizeof size);
    socket.send(zmq::message_t(size), zmq::send_flags::none);
  }
}

double us_after(Clock::time_point begin) {
  return std::chrono::duration<double, std::micro>(Clock::now() - begin).count();
}

/// A policy to measure.
struct Subject {
  std::string name;
  PolicySpec policy;
  bool python = false;  ///< the echo is in Python, as the program is
  cli::PolicyOptions options = {};
};

ExternalSpec program_of(const std::string& path, std::vector<std::string> arguments = {}) {
  ExternalSpec spec;
  spec.program = path;
  spec.arguments = std::move(arguments);
  return spec;
}

/// Returns Heddle's own examples, which may run as root.
std::vector<Subject> examples(const PolicySpec& policy) {
  cli::PolicyOptions options;
  options.allow_root_commands = true;
  if (::geteuid() == 0) options.task_user = "root";
  std::vector<Subject> all = {{"fifo.py", policy, true, options},
                              {"heddle-example-fifo", policy, false, options}};
  all[0].policy.external = program_of(kPython, {data_path("python") + "/examples/fifo.py"});
  all[1].policy.external = program_of(program_path("heddle-example-fifo"));
  return all;
}

/// Returns whether the file begins with a line such as "#!/usr/bin/env python3".
bool is_python(const std::string& path) {
  std::ifstream file(path);
  std::string line;
  return std::getline(file, line) && line.starts_with("#!") &&
         line.find("python") != std::string::npos;
}

Subject subject_of(const std::string& text, const std::optional<std::string>& task_user,
                   Scenario scenario) {
  scenario.policy = naming("--policies", [&] { return need(parse_policy(text)); });
  const std::optional<ExternalSpec>& external = scenario.policy.external;
  if (!external || external->protocol != ExternalSpec::Protocol::kHeddle)
    throw Failed(usage_error("--policies " + text +
                             ": is no external policy in Heddle's protocol; expected exec:PATH or "
                             "external=ENDPOINT"));
  cli::PolicyOptions options;
  options.named = true;
  options.task_user = task_user;
  const bool python = is_python(external->program);
  need(cli::settle_policy(options, scenario));
  return {text, scenario.policy, python, options};
}

/// Sizes of the messages that a simulation exchanges with an external policy, in bytes.
struct Exchange {
  std::size_t request = 0, reply = 0;
};

/// The measurements of a program. Times are in microseconds.
struct Measured {
  double seconds = 0;  ///< of the whole simulation
  std::vector<Exchange> exchanges;
  std::vector<double> round_trip_us;
  std::vector<double> outside_us;  ///< without the program's own time; empty if it reports none
  std::vector<double> echo_us;     ///< the same bytes exchanged with a bare echo
};

/// Simulates with Heddle's own fifo. Returns the seconds.
double simulate_own(Scenario scenario) {
  scenario.policy = *parse_policy("fifo+reserve=false+reduce_early_start=1");
  const auto begin = Clock::now();
  sim::Simulation simulation(scenario, {}, nullptr, nullptr);
  while (simulation.go_on(1'000'000)) {
  }
  return us_after(begin) / 1e6;
}

Measured simulate(const Subject& subject, Scenario scenario) {
  scenario.policy = subject.policy;
  const auto link = need(cli::PolicyLink::start(subject.options, scenario));
  Measured measured;
  Clock::time_point begin = Clock::now();
  const auto ask = [&](const std::string& request) {
    const auto sent = Clock::now();
    Result<std::string> reply = link->ask(request);
    const double us = us_after(sent);
    if (!reply || request.find("\"type\":\"step\"") == std::string::npos) {
      if (measured.exchanges.empty()) begin = Clock::now();  // the start does not count
      return reply;
    }
    measured.exchanges.push_back({request.size(), reply->size()});
    measured.round_trip_us.push_back(us);
    const Json json = wire::parse_json(*reply);
    if (json.contains("took_us"))
      measured.outside_us.push_back(us - json.at("took_us").get<double>());
    return reply;
  };
  sim::Simulation simulation(
      scenario,
      {.ask = ask, .farewell = [&](const std::string& message) { link->farewell(message); }},
      nullptr, nullptr);
  while (simulation.go_on(1'000'000)) {
  }
  measured.seconds = us_after(begin) / 1e6;
  if (simulation.status() != RunStatus::kDone) throw Failed(simulation.reason());
  return measured;
}

/// Exchanges messages of the same sizes with an echo.
void measure_echo(bool python, Workbench& bench, Measured& measured) {
  Forks forks;
  std::optional<external::Program> program;
  std::string endpoint = "ipc://" + bench.new_path();
  if (python) {
    program.emplace(
        need(external::Program::start(program_of(kPython, {"-c", kPythonEcho}), std::nullopt, "")));
    endpoint = program->endpoint();
  } else {
    forks.start([&] { serve_echo_at(endpoint); });
  }
  const auto link = need(external::Link::connect(endpoint));
  for (std::size_t i = 0; i <= std::min(measured.exchanges.size(), kMostEchoes); ++i) {
    const auto& [size, reply] = measured.exchanges[i == 0 ? 0 : i - 1];
    std::string request(std::max<std::size_t>(size, 8), 'x');
    const std::uint64_t wanted = reply;
    std::memcpy(request.data(), &wanted, sizeof wanted);
    const auto sent = Clock::now();
    need(link->exchange(request, kReplyPatience, -1, [] { return std::optional<Error>(); }));
    if (i > 0) measured.echo_us.push_back(us_after(sent));  // the first connects
  }
}

/// Simulates with external policies, and exchanges messages of the same sizes with a bare echo.
class ExternalBench : public Bench {
 public:
  explicit ExternalBench(const ExternalBenchOptions& options)
      : Bench({.form = kExternalForm, .quick = "200 tasks on 20 nodes only"}),
        policies_(options.policies),
        task_user_(options.task_user) {
    quick_ = options.quick;
    json_ = options.json;
  }

 private:
  static constexpr int kMostNodes = 20'000, kMostTasks = 1'000'000;

  void add_own_options(Command word) override {
    add_texts(word, "--policies", policies_, "POLICY,...",
              "exec:PATH or external=ENDPOINT, separated by commas (default: fifo in Python and in "
              "C++)");
    word.add_option("--task-user", task_user_, "user of these programs (default: auto)")
        .type_name("USER");
    add_number(word, "--nodes", nodes_, 1, kMostNodes, "number of nodes");
    add_number(word, "--tasks", tasks_, 1, kMostTasks, "number of tasks");
  }

  Json measure() override {
    if (quick_) nodes_ = 20, tasks_ = 200;
    SimLoad load;
    load.nodes = nodes_;
    load.tasks_per_node = std::max(1, tasks_ / nodes_);
    load.policy = *parse_policy("external=ipc:///none+reduce_early_start=1");
    const Scenario scenario = sim_scenario(load);
    // All policies are checked before the first is measured.
    std::vector<Subject> subjects;
    if (policies_.empty()) subjects = examples(scenario.policy);
    for (const std::string& text : policies_)
      subjects.push_back(subject_of(text, task_user_, scenario));
    Workbench bench;
    return results(measure_each(
        subjects, [](const Subject& subject) { return subject.name; },
        [&](const Subject& subject) {
          // The C++ echo forks before any thread of ZeroMQ exists, so each subject has its own
          // child.
          Measured measured = simulate(subject, scenario);
          measure_echo(subject.python, bench, measured);
          return row(subject.name, load.nodes * load.tasks_per_node, simulate_own(scenario),
                     measured);
        }));
  }

  static Json row(const std::string& policy, int tasks, double own_seconds,
                  const Measured& measured) {
    std::size_t bytes = 0;
    for (const Exchange& each : measured.exchanges) bytes += each.request;
    const Json trips = wire::percentiles(measured.round_trip_us),
               outside = wire::percentiles(measured.outside_us),
               echo = wire::percentiles(measured.echo_us);
    const Json& compared = measured.outside_us.empty() ? trips : outside;
    return {{"policy", policy},
            {"tasks", tasks},
            {"requests", measured.exchanges.size()},
            {"request_bytes", bytes / std::max<std::size_t>(1, measured.exchanges.size())},
            {"round_trip_us", trips},
            {"outside_us", outside},
            {"echo_us", echo},
            {"x", wire::rounded(compared.at("p50").get<double>() / echo.at("p50").get<double>())},
            {"seconds", wire::rounded(measured.seconds)},
            {"own_seconds", wire::rounded(own_seconds)}};
  }

  static Json results(std::vector<Json> rows) {
    Json aims = Json::array();
    for (const Json& row : rows)
      aims.push_back(aim_at_most(row.at("policy").get<std::string>() +
                                     ": round trip without the policy's own time, divided by the "
                                     "echo's",
                                 row.at("x"), kAimX));
    return bench_results(kExternalForm, std::move(rows), std::move(aims));
  }

  std::vector<std::string> policies_;
  std::optional<std::string> task_user_;
  int nodes_ = 100, tasks_ = 10'000;
};

}  // namespace

int run_external_bench(const ExternalBenchOptions& options) { return ExternalBench(options).run(); }

std::unique_ptr<Bench> external_bench() {
  return std::make_unique<ExternalBench>(ExternalBenchOptions());
}

}  // namespace heddle::bench
