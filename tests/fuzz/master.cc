#include "common/wire/codec.h"
#include "master/live_run.h"
#include "report/summary.h"
#include "sim/replay.h"
#include "tests/fuzz/runs.h"
#include "tests/fuzz/targets.h"

namespace heddle::fuzz {
namespace {

using namespace std::chrono_literals;

constexpr const char* kRun = "12345678";

/// A master, and readers of its journal behind it: whatever workers say, it can be read.
class Session {
 public:
  Session()
      : scenario_(run_scenario("fifo")),
        run_(scenario_, {kRun, true, 0, 60s}, now_),
        summary_(scenario_),
        replay_(scenario_) {
    take(run_.open());
    for (int i = 0; i < 2; ++i) {
      wire::Hello hello;
      hello.run = kRun;
      hello.node = scenario_.cluster.nodes[i].name;
      hello.incarnation = static_cast<std::uint64_t>(i) + 1;
      hello.pid = 1;
      take(run_.on_message(i == 0 ? "a" : "b", hello, now_));
    }
  }

  /// "a{…": who says it, and what. Some time passes with each; more of it with what nobody says.
  bool line(std::string_view line) {
    if (line.empty() || run_.over()) return false;
    const Result<wire::Message> message = wire::decode(line.substr(1));
    now_ += message ? 30ms : 1s;
    if (message) take(run_.on_message(std::string(1, line[0]), *message, now_));
    take(run_.on_time(now_));
    return bool(message);
  }

  void end() {
    (void)run_.progress(now_);
    if (!run_.over()) take(run_.stop(RunStatus::kInterrupted, "fuzz", now_));
    for (int i = 0; i < 100 && !run_.over(); ++i) {
      now_ = std::max(now_, run_.next_time());
      take(run_.on_time(now_));
    }
    require(run_.over(), "a run that is stopped comes to its end");
    read(run_.end_line(0, now_));
    require(bool(replay_.finish()) && !replay_.difference(), "its journal can be replayed");
    (void)summary_.summary().dump();
  }

 private:
  void take(const Effects& effects) {
    for (std::string_view line : lines_of(effects.journal)) read(line);
    for (const auto& [to, message] : effects.send)
      require(bool(wire::decode(wire::encode(message))), "what a master says can be decoded");
  }
  void read(std::string_view line) {
    const wire::Json record = wire::Json::parse(line);
    check(line, summary_.add(record), "a line of its journal can be summed up");
    check(line, replay_.add(record), "a line of its journal can be replayed");
    if (replay_.difference()) {
      std::fputs(format_difference(*replay_.difference()).c_str(), stderr);
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
  LiveRun run_;
  SummaryBuilder summary_;
  Replay replay_;
};

}  // namespace

bool master(std::string_view input) {
  Session session;
  bool any = false;
  for (std::string_view line : lines_of(input)) any |= session.line(line);
  session.end();
  return any;
}

}  // namespace heddle::fuzz
