#pragma once

#include <gtest/gtest.h>

#include <chrono>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "master/live_run.h"
#include "tests/master/reports.h"
#include "tests/master/small_run.h"
#include "tests/support/clock.h"
#include "tests/support/journal.h"

namespace heddle::master {

/// Tests a master without sockets. Keeps its journal and the effects of the last message.
class LiveMaster : public ::testing::Test {
 protected:
  explicit LiveMaster(Scenario scenario) : scenario_(std::move(scenario)) { begin(); }

  /// Starts a master in place of the one before.
  void begin(std::chrono::milliseconds now = {}) {
    run_ = std::make_unique<LiveRun>(scenario_, options_, at(now));
  }
  void take(Effects effects) {
    journal_ += effects.journal;
    last_ = std::move(effects);
  }
  void hear(const std::string& from, const wire::Message& message, std::chrono::milliseconds now) {
    take(run_->on_message(from, message, at(now)));
  }
  void time(std::chrono::milliseconds now) { take(run_->on_time(at(now))); }

  static wire::Hello hello(const std::string& node, std::uint64_t incarnation,
                           std::int64_t last_command = 0, std::int64_t last_report = 0) {
    wire::Hello hello{wire::kProtocol, "r", node, incarnation, 1, 0, ""};
    hello.last_command = last_command;
    hello.last_report = last_report;
    return hello;
  }
  /// Lets the workers of both nodes join: "a" of n1 with incarnation 1, "b" of n2 with 2.
  void join(std::chrono::milliseconds now) {
    hear("a", hello("n1", 1), now);
    hear("b", hello("n2", 2), now);
  }
  wire::Heartbeat heartbeat(std::uint64_t incarnation, std::int64_t last_command,
                            const std::vector<std::int64_t>& containers = {},
                            std::vector<wire::Report> reports = {}) {
    wire::Heartbeat beat;
    beat.incarnation = incarnation;
    beat.sequence = ++sequence_;
    beat.last_command = last_command;
    for (std::int64_t id : containers) beat.containers.push_back({ContainerId{id}, {}, {}, 0});
    beat.reports = std::move(reports);
    return beat;
  }

  /// Returns the journal's lines of a type.
  std::vector<wire::Json> lines(const std::string& type) const {
    return records_of(journal_, type);
  }
  /// Returns "type@t" of the journal's lines from index `from` on.
  std::vector<std::string> types(std::size_t from = 0) const {
    std::vector<std::string> types;
    for (const wire::Json& line : records_of(journal_))
      types.push_back(line["type"].get<std::string>() +
                      (line.contains("t") ? "@" + line["t"].dump() : ""));
    types.erase(types.begin(), types.begin() + static_cast<std::ptrdiff_t>(from));
    return types;
  }

  Scenario scenario_;
  LiveRun::Options options_{"r", true, 0, std::chrono::seconds(10)};
  std::unique_ptr<LiveRun> run_;
  std::string journal_;
  Effects last_;

 private:
  std::int64_t sequence_ = 0;
};

}  // namespace heddle::master
