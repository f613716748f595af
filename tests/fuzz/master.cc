#include "common/text.h"
#include "master/live_run.h"
#include "report/summary.h"
#include "sim/replay.h"
#include "tests/fuzz/runs.h"
#include "tests/fuzz/targets.h"
#include "wire/codec.h"

namespace heddle::fuzz {
namespace {

using namespace std::chrono_literals;

constexpr const char* kRun = "12345678";

/// A master, with readers of its journal. The journal must be readable for any messages of workers.
class MasterSession {
 public:
  /// `names` holds the names of the two nodes, of the run and of the host, as the workers report
  /// them.
  explicit MasterSession(const std::vector<std::string>& names)
      : scenario_(scenario_with(names)),
        run_(scenario_, {kRun, true, 0, 60s}, now_),
        summary_(scenario_),
        replay_(scenario_) {
    take(run_.open());
    for (std::size_t i = 0; i < 2; ++i) {
      wire::Hello hello;
      hello.run = names.size() > 2 ? names[2] : kRun;
      hello.node = i < names.size() ? names[i] : scenario_.cluster.nodes[i].name;
      hello.incarnation = i + 1;
      hello.pid = 1;
      if (names.size() > 3) hello.host = wire::HostFacts{names[3], {8}, real::Bytes(1LL << 36)};
      // The message goes through encoding, as it does from a worker.
      if (const Result<wire::Message> message = wire::decode(wire::encode(hello)))
        take(run_.on_message(i == 0 ? "a" : "b", *message, now_));
    }
  }

  /// Handles a line such as "a{…": the peer's name and its message. 30 ms pass with a valid
  /// message, 1 s with any other line.
  bool line(std::string_view line) {
    if (line.empty() || run_.end().over()) return false;
    const Result<wire::Message> message = wire::decode(line.substr(1));
    now_ += message ? 30ms : 1s;
    if (message) take(run_.on_message(std::string(1, line[0]), *message, now_));
    take(run_.on_time(now_));
    return bool(message);
  }

  void end() {
    (void)run_.progress(now_);
    if (!run_.end().over()) take(run_.stop(RunStatus::kInterrupted, "fuzz", now_));
    for (int i = 0; i < 100 && !run_.end().over(); ++i) {
      now_ = std::max(now_, run_.next_time());
      take(run_.on_time(now_));
    }
    require(run_.end().over(), "a run that is stopped comes to its end");
    read(run_.end_line(0, now_));
    require(bool(replay_.finish()) && !replay_.difference(), "its journal can be replayed");
    (void)summary_.summary().dump();
  }

 private:
  /// The nodes get the names, if they are valid and different.
  static Scenario scenario_with(const std::vector<std::string>& names) {
    Scenario scenario = run_scenario("fifo");
    if (names.size() < 2 || !valid_name(names[0]) || !valid_name(names[1]) || names[0] == names[1])
      return scenario;
    for (std::size_t i = 0; i < 2; ++i) scenario.cluster.nodes[i].name = names[i];
    return scenario;
  }

  void take(const master::Effects& effects) {
    for (std::string_view line : lines_of(effects.journal)) read(line);
    for (const auto& [to, message] : effects.send)
      require(bool(wire::decode(wire::encode(message))), "what a master says can be decoded");
  }
  void read(std::string_view line) {
    const wire::Json record = wire::Json::parse(line);
    check(line, summary_.add(record), "a line of its journal can be summed up");
    check(line, replay_.add(record), "a line of its journal can be replayed");
    if (replay_.difference()) {
      std::fputs(sim::format_difference(*replay_.difference()).c_str(), stderr);
      require(false, "its journal comes out the same in a replay");
    }
  }

  static void check(std::string_view line, const Result<void>& result, const char* what) {
    if (result) return;
    std::fprintf(stderr, "%.*s\n%s\n", static_cast<int>(line.size()), line.data(),
                 result.error().text.c_str());
    require(false, what);
  }

  real::Time now_{1h};
  Scenario scenario_;
  master::LiveRun run_;
  report::SummaryBuilder summary_;
  sim::Replay replay_;
};

}  // namespace

bool master(std::string_view input) {
  std::vector<std::string_view> lines = lines_of(input);
  MasterSession session(take_names(lines));
  bool any = false;
  for (std::string_view line : lines) any |= session.line(line);
  session.end();
  return any;
}

}  // namespace heddle::fuzz
