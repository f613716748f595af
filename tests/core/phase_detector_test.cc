// Phases of a job's tasks: the cases of phase_detector.yaml, by hand, and a property.
#include "core/model/phase_detector.h"

#include <gtest/gtest.h>

#include <map>
#include <random>
#include <sstream>

#include "tests/support/compact_scenario.h"

namespace heddle::phase_detector_test {

EmuTime at(double seconds) { return emu_seconds(seconds); }

/// Returns a value of a phase by its name in phase_detector.yaml; times are in seconds, and "none"
/// is -1.
double value_of(const DetectedPhase& phase, const std::string& name) {
  const auto seconds = [](std::optional<EmuTime> time) { return time ? to_seconds(*time) : -1; };
  const std::map<std::string, double> values = {{"begun", phase.begun},
                                                {"closed", phase.closed},
                                                {"asked", phase.asked},
                                                {"tasks", phase.tasks},
                                                {"size", phase.size},
                                                {"trailing", phase.trailing},
                                                {"running", phase.running},
                                                {"first_start", seconds(phase.first_start)},
                                                {"last_start", seconds(phase.last_start)},
                                                {"spread", seconds(phase.spread())},
                                                {"release", seconds(phase.release)}};
  return values.at(name);
}

/// A detector with pw = 10 s and t_s = t_e = 5. Task keys count up.
class Script {
 public:
  /// Does what a line says, or checks it.
  void follow(const std::string& line) {
    std::istringstream in(line);
    std::string verb;
    double a = 0, b = 0, c = 0;
    in >> verb;
    if (verb == "start" || verb == "end") return times(verb == "start", in);
    if (verb == "phase") {
      std::string name;
      in >> a >> name >> b;
      EXPECT_EQ(value_of(detector_.phases().at(static_cast<std::size_t>(a)), name), b);
      return;
    }
    in >> a >> b >> c;
    if (verb == "ask")
      detector_.asked(static_cast<int>(a));
    else if (verb == "advance")
      detector_.advance(at(a));
    else if (verb == "phases")
      EXPECT_EQ(detector_.phases().size(), static_cast<std::size_t>(a));
    else if (verb == "expected")
      EXPECT_EQ(detector_.expected(at(a), at(b)), c);
    else if (verb == "released")
      EXPECT_EQ(detector_.phases().at(static_cast<std::size_t>(a)).released_by(at(b)), c);
    else if (verb == "ended")
      EXPECT_EQ(detector_.ended(at(a), static_cast<std::int64_t>(b)), c);
    else
      ADD_FAILURE() << "unknown: " << verb;
  }

 private:
  /// Starts tasks of a size, or ends tasks from a key on, at each of the times.
  void times(bool start, std::istream& in) {
    std::int64_t size_or_key = 0;
    in >> size_or_key;
    for (double time = 0; in >> time;)
      if (start)
        detector_.started(at(time), next_++, size_or_key);
      else
        detector_.ended(at(time), size_or_key++);
  }

  PhaseDetector detector_{PhaseOptions{}};
  std::int64_t next_ = 0;
};

class PhaseDetection : public testing::TestWithParam<tests::Case> {};

TEST_P(PhaseDetection, GoesByStartsAndEnds) {
  Script script;
  for (const YAML::Node& line : GetParam().node) {
    SCOPED_TRACE(GetParam().place + ": " + line.as<std::string>());
    script.follow(line.as<std::string>());
  }
}

INSTANTIATE_TEST_SUITE_P(Core, PhaseDetection,
                         testing::ValuesIn(tests::cases_of("core/phase_detector.yaml")),
                         [](const auto& test) { return test.param.name; });

// The number is min(t_s, ceil(n / 2) - 1), so that phases of few tasks are detected too.
TEST(PhaseDetector, SmallPhasesBeginWithHalfOfTheirTasks) {
  const std::map<int, int> needed = {{1, 1}, {2, 1},  {3, 2},  {4, 2},  {5, 3},
                                     {7, 4}, {10, 5}, {11, 6}, {12, 6}, {100, 6}};
  for (const auto& [tasks, starts] : needed) {
    PhaseDetector small{PhaseOptions{}};
    small.asked(tasks);
    for (int i = 1; i <= starts; ++i) {
      EXPECT_FALSE(small.phases()[0].begun) << tasks << " tasks, " << i - 1 << " started";
      small.started(at(0), i, 1);
    }
    EXPECT_TRUE(small.phases()[0].begun) << tasks;
  }
}

// Phases depend on the events only, not on the times of queries.
TEST(PhaseDetector, DoesNotDependOnWhenItIsAsked) {
  for (unsigned seed = 0; seed < 200; ++seed) {
    std::mt19937 random(seed);
    auto below = [&](unsigned n) { return static_cast<int>(random() % n); };
    PhaseDetector watched{PhaseOptions{}}, alone{PhaseOptions{}};
    const int tasks = 1 + below(30);
    watched.asked(tasks);
    alone.asked(tasks);
    double now = 0;
    std::vector<std::int64_t> running;
    for (std::int64_t next = 0; next < tasks || !running.empty();) {
      const double gap = below(4) == 0 ? below(25) : below(3);
      for (double t = now; t < now + gap; t += 0.5) watched.advance(at(t));
      now += gap;
      if (next < tasks && (running.empty() || below(2) == 0)) {
        for (PhaseDetector* each : {&watched, &alone}) each->started(at(now), next, 1);
        running.push_back(next++);
      } else {
        const auto which = running.begin() + below(static_cast<unsigned>(running.size()));
        for (PhaseDetector* each : {&watched, &alone}) each->ended(at(now), *which);
        running.erase(which);
      }
    }
    watched.advance(at(now + 100));
    alone.advance(at(now + 100));
    ASSERT_EQ(watched.phases().size(), alone.phases().size()) << seed;
    for (std::size_t i = 0; i < alone.phases().size(); ++i) {
      EXPECT_EQ(watched.phases()[i].tasks, alone.phases()[i].tasks) << seed;
      EXPECT_EQ(watched.phases()[i].trailing, alone.phases()[i].trailing) << seed;
      EXPECT_EQ(watched.phases()[i].release, alone.phases()[i].release) << seed;
      EXPECT_EQ(watched.phases()[i].spread(), alone.phases()[i].spread()) << seed;
    }
  }
}

}  // namespace heddle::phase_detector_test
