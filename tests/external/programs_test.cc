// Tests external policies in Python, with real programs and sockets.

#include <unistd.h>

#include <algorithm>
#include <csignal>
#include <random>
#include <zmq.hpp>

#include "core/policy/registry.h"
#include "core/resolve.h"
#include "external/link/link.h"
#include "external/link/program.h"
#include "host/sha256.h"
#include "tests/external/asked.h"
#include "tests/sim/random_scenario.h"
#include "tests/support/matchers.h"
#include "tests/support/scenario_texts.h"
#include "tests/support/temporary_directory.h"

namespace heddle::external::programs_test {

using namespace std::chrono_literals;
using wire::Json;

constexpr char kPython[] = "/usr/bin/python3";  // the one that has python3-zmq
const std::string kTree = HEDDLE_SOURCE_DIR;

Program started(const std::string& program, std::vector<std::string> arguments,
                const std::string& path = "") {
  ExternalSpec spec;
  spec.program = program;
  spec.arguments = std::move(arguments);
  Result<Program> started = Program::start(spec, std::nullopt, path);
  return started ? *std::move(started) : throw std::runtime_error(started.error().text);
}

/// A program that answers the requests of simulations, one simulation after the other.
class Running {
 public:
  explicit Running(const std::string& script)
      : program_(start(script)), link_(Link::connect(program_.endpoint()).value()) {}

  std::string ask(const Json& request) {
    const Result<std::string> reply =
        link_->exchange(request.dump(), 20s, program_.pidfd(), [this] { return program_.ended(); });
    return reply ? *reply : throw std::runtime_error(reply.error().text);
  }
  Program& program() { return program_; }

 private:
  static Program start(const std::string& script) {
    return started(kPython, {script}, kTree + "/python");
  }
  Program program_;
  std::unique_ptr<Link> link_;
};

/// Returns the launches of a simulation, without their reasons and steps.
std::vector<Json> decisions(const std::vector<Json>& journal) {
  std::vector<Json> launches;
  for (Json line : journal)
    if (line["type"] == "launch") {
      for (const char* key : {"reason", "step", "crc", "now"}) line.erase(key);
      launches.push_back(std::move(line));
    }
  return launches;
}

Asked simulate_own(const Scenario& scenario) {
  return simulate(scenario, [](const Json&) { return std::string(); });
}

/// Returns options that both a scheduler and a copy of it have, drawn from the seed. Seed 1 draws
/// none: both have their defaults.
std::string options_for(std::uint64_t seed) {
  if (seed == 1) return "";
  std::mt19937_64 random(seed);
  const auto one_of = [&](std::vector<std::string> words) {
    return "+" + words[std::uniform_int_distribution<std::size_t>(0, words.size() - 1)(random)];
  };
  return one_of({"reserve=true", "reserve=false"}) +
         one_of({"reduce_early_start=0", "reduce_early_start=0.3", "reduce_early_start=1"}) +
         one_of({"reduce_ramp_limit=0", "reduce_ramp_limit=0.5", "reduce_ramp_limit=1"}) +
         one_of({"max_am_share=0.1", "max_am_share=0.5"}) +
         one_of({"delay=none", "delay=both", "delay=mapreduce"}) + "+node_delay=3+rack_delay=2" +
         one_of({"node_order=heartbeat", "node_order=most-free"});
}

struct Copy {
  std::string scheduler, script;
  std::string terms = "";  ///< options of the scheduler that other schedulers do not have
};

class Copies : public testing::TestWithParam<Copy> {};

// Each launch is the same: task, node, time and size. The built-in scheduler decides in the step of
// a heartbeat, and the copy right after it.
TEST_P(Copies, DecideAsTheBuiltInSchedulers) {
  constexpr std::uint64_t kScenarios = 40;
  Running running(kTree + "/python/examples/" + GetParam().script);
  std::size_t launches = 0;
  for (std::uint64_t seed = 1; seed <= kScenarios && !HasFailure(); ++seed) {
    SCOPED_TRACE("seed " + std::to_string(seed));
    Scenario scenario = sim::random_scenario(seed, GetParam().scheduler);
    for (QueueSpec& queue : scenario.queues) queue.parent.clear();
    const std::string options = options_for(seed);
    SCOPED_TRACE(options);
    scenario.policy = *parse_policy(GetParam().scheduler + GetParam().terms + options);
    const std::vector<Json> own = decisions(simulate_own(scenario).journal);
    scenario.policy = *parse_policy("external=ipc:///none" + options);
    const Asked asked =
        simulate(scenario, [&](const Json& request) { return running.ask(request); });
    const std::vector<Json> copied = decisions(asked.journal);
    for (std::size_t i = 0; i < std::min(own.size(), copied.size()); ++i)
      ASSERT_EQ(own[i], copied[i]) << "launch " << i;
    ASSERT_EQ(own.size(), copied.size()) << asked.reason;
    launches += own.size();
  }
  EXPECT_GT(launches, 500U);
}

INSTANTIATE_TEST_SUITE_P(Python, Copies,
                         testing::Values(Copy{"fifo", "fifo.py"},
                                         Copy{"drf", "drf.py",
                                              "+reservable_nodes=1+user_queues=false"}));

/// Returns rigid jobs on single-core nodes, drawn from the seed. The tasks of a job take different
/// times.
Scenario rigid_jobs(std::uint64_t seed) {
  std::mt19937_64 random(seed);
  const auto draw = [&](int least, int most) {
    return std::uniform_int_distribution<int>(least, most)(random);
  };
  std::string text =
      "heddle: 1\nname: rigid\nsimulation: {ideal: true}\npolicy: easy+backfill=count\n"
      "cluster: {dispatch: immediate, nodes: [{name: n, count: 8, cores: 1, memory: 1GiB}]}\n"
      "jobs:\n";
  int submit = 0;
  for (int i = 0; i < 40; ++i) {
    submit += draw(0, 8);
    const int length = draw(1, 40);
    // Some jobs are longer than their walltimes.
    text += "- {name: job-" + std::to_string(i) + ", submit: " + std::to_string(submit) +
            "s, walltime: " + std::to_string(std::max(1, length + draw(-3, 30))) +
            "s, phases: [{name: p, tasks: " + std::to_string(draw(1, 8)) +
            ", gang: true, request: {cores: 1, memory: 1GiB}, sleep: {dist: uniform, mean: " +
            std::to_string(length) + "s, cv: 0.4}}]}\n";
  }
  return resolve_simulated(scenario_of(text));
}

/// Returns the start of each job, in emulated seconds as text.
std::map<std::string, std::string> starts(const Asked& asked, const Scenario& scenario) {
  std::map<std::string, std::string> all;
  for (const Json& line : asked.journal)
    if (line["type"] == "launch")
      all.emplace(scenario.jobs[line["job"].get<std::size_t>()].name, line["t"].dump());
  return all;
}

// Heddle's EASY counts free nodes here, as the program does.
TEST(Batsim, AnExternalEasyStartsEachJobWhenHeddlesDoes) {
  Running running(kTree + "/python/examples/batsim_easy.py");
  for (std::uint64_t seed = 1; seed <= 20 && !HasFailure(); ++seed) {
    SCOPED_TRACE("seed " + std::to_string(seed));
    Scenario scenario = rigid_jobs(seed);
    const auto own = starts(simulate_own(scenario), scenario);
    scenario.policy = *parse_policy("batsim:ipc:///none");
    const Asked asked =
        simulate(scenario, [&](const Json& request) { return running.ask(request); });
    EXPECT_EQ(asked.status, RunStatus::kDone) << asked.reason;
    EXPECT_EQ(own, starts(asked, scenario));
    EXPECT_EQ(own.size(), 40U);
  }
}

TEST(Examples, AllCompleteAllJobs) {
  for (const char* script : {"shortest_job_first.py", "packing.py"}) {
    SCOPED_TRACE(script);
    Running running(kTree + "/python/examples/" + script);
    for (std::uint64_t seed = 1; seed <= 5; ++seed) {
      Scenario scenario = sim::random_scenario(seed, "fifo");
      scenario.policy = *parse_policy("external=ipc:///none");
      const Asked asked =
          simulate(scenario, [&](const Json& request) { return running.ask(request); });
      EXPECT_EQ(asked.status, RunStatus::kDone) << asked.reason;
    }
  }
}

TEST(Programs, TheEndOfAProgramIsAnErrorWithItsLastWords) {
  Program program = started("/bin/sh", {"-c", "echo no idea >&2; exit 3"});
  const auto link = Link::connect(program.endpoint()).value();
  const Result<std::string> reply =
      link->exchange("{}", 10s, program.pidfd(), [&] { return program.ended(); });
  ASSERT_FALSE(reply);
  EXPECT_EQ(reply.error().text, "the program ended: exit status 3:\nno idea");
}

TEST(Programs, AProgramThatDoesNotReplyIsGivenUp) {
  Program program = started("/bin/sleep", {"100"});
  const auto link = Link::connect(program.endpoint()).value();
  const Result<std::string> reply =
      link->exchange("{}", 300ms, program.pidfd(), [&] { return program.ended(); });
  ASSERT_FALSE(reply);
  EXPECT_THAT(reply.error().text, HasSubstr("no reply within 0.3"));
}

// The connection is closed at a reply that is too large.
TEST(Programs, AReplyHasAtMost64MiB) {
  const tests::TemporaryDirectory directory;
  zmq::context_t context;
  zmq::socket_t program(context, zmq::socket_type::rep);
  program.set(zmq::sockopt::linger, 0);
  program.bind("ipc://" + (directory / "socket"));
  const auto answer = [&](std::size_t bytes) {
    const auto link = Link::connect("ipc://" + (directory / "socket")).value();
    EXPECT_TRUE(link->send("{}"));
    zmq::message_t request;
    EXPECT_TRUE(program.recv(request));
    program.send(zmq::message_t(bytes), zmq::send_flags::none);
    zmq::pollitem_t item{link->handle(), 0, ZMQ_POLLIN, 0};
    zmq::poll(&item, 1, 1s);
    const std::optional<std::string> reply = link->receive();
    return reply ? reply->size() : 0;
  };
  EXPECT_EQ(answer((64 << 20) + 1), 0U);
  EXPECT_EQ(answer(100), 100U);
}

TEST(Programs, AnEndpointAtAnotherMachineIsRefused) {
  for (const char* own : {"tcp://127.0.0.1:28000", "tcp://localhost:28000", "ipc:///tmp/none"})
    EXPECT_TRUE(Link::connect(own)) << own;
  for (const char* other : {"tcp://192.0.2.1:28000", "tcp://example.org:28000",
                            "tcp://127.example.org:28000", "tcp://127.0.0.1;192.0.2.1:28000"}) {
    const auto link = Link::connect(other);
    ASSERT_FALSE(link) << other;
    EXPECT_THAT(link.error().text, HasSubstr("messages of policies have no keys"));
  }
}

TEST(Programs, TheProcessGroupEndsWithTheProgram) {
  pid_t pid = 0;
  {
    Program program = started("/bin/sh", {"-c", "sleep 100 & wait"});
    pid = program.pid();
    EXPECT_EQ(::kill(-pid, 0), 0);
  }
  // The child of the shell can be a zombie for a moment, until init has reaped it.
  bool gone = false;
  for (int i = 0; i < 200 && !gone; ++i) {
    gone = ::kill(-pid, 0) != 0;
    ::usleep(10'000);
  }
  EXPECT_TRUE(gone);
}

TEST(Programs, TheEndpointIsInTheArgumentsAndTheEnvironment) {
  Program program =
      started("/bin/sh", {"-c", "echo $HEDDLE_POLICY_ENDPOINT = $1; exit 1", "sh", "{endpoint}"});
  const std::string endpoint = program.endpoint();
  std::optional<Error> ended;
  for (int i = 0; i < 500 && !ended; ++i) {
    ended = program.ended();
    ::usleep(10'000);
  }
  ASSERT_TRUE(ended);
  EXPECT_THAT(ended->text, HasSubstr(endpoint + " = " + endpoint));
}

TEST(Programs, WhatCannotBeStartedIsNamed) {
  ExternalSpec spec;
  spec.program = kTree + "/README.md";
  const Result<Program> text = Program::start(spec, std::nullopt, "");
  ASSERT_FALSE(text);
  EXPECT_THAT(text.error().text, HasSubstr("README.md: Permission denied; make it executable"));
  spec.program = "./none.py";
  const Result<Program> none = Program::start(spec, std::nullopt, "");
  ASSERT_FALSE(none);
  EXPECT_THAT(none.error().text, HasSubstr("start ./none.py: No such file or directory"));
}

// The sum of "abc", from FIPS 180-2, appendix B.1.
TEST(Sha256, OfAFile) {
  const std::string path = testing::TempDir() + "heddle-abc";
  FILE* file = std::fopen(path.c_str(), "w");
  std::fputs("abc", file);
  std::fclose(file);
  EXPECT_EQ(host::sha256_of(path).value(),
            "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad");
  std::remove(path.c_str());
}

}  // namespace heddle::external::programs_test
