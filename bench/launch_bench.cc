#include "bench/launch_bench.h"

#include <fmt/core.h>

#include <algorithm>
#include <chrono>
#include <map>

#include "bench/launch_costs.h"
#include "bench/results.h"
#include "common/host_clock.h"
#include "wire/values.h"

namespace heddle::bench {
namespace {

using wire::Json;

constexpr int kAimAtOnce = 4;
constexpr double kAimBareShare = 0.78, kAimMs = 10;

const BenchForm kLaunchForm = {"launch",
                               {{"way", "way"}, {"at_once", "at once"}},
                               {{"tasks", "tasks"},
                                {"per_s", "per s", 0, Better::kMore},
                                {"x", "of bare", 2, Better::kMore},
                                {"ms/p50", "p50 ms", 2, Better::kLess},
                                {"ms/p99", "p99 ms", 2, Better::kLess},
                                {"ms/max", "max ms", 2, Better::kLess}}};

}  // namespace

Result<Json> measure_launches(const std::string& way, LaunchWay& by, int at_once, int count,
                              std::int64_t& next_id) {
  std::map<std::int64_t, real::Time> begun;
  std::vector<double> times;
  int started = 0;
  auto start_one = [&] {
    ++started;
    begun[next_id] = real::now();
    return by.start(next_id++);
  };
  const real::Time begin = real::now();
  while (started < std::min(at_once, count)) HEDDLE_TRY(start_one());
  while (!begun.empty()) {
    Result<std::vector<std::int64_t>> ended = by.wait();
    if (!ended) return std::move(ended).error();
    const real::Time at = real::now();
    for (std::int64_t id : *ended) {
      times.push_back(to_ms(at - begun.at(id)));
      begun.erase(id);
      if (started < count) HEDDLE_TRY(start_one());
    }
  }
  return launch_row(way, at_once, count, real::now() - begin, times);
}

Json launch_row(const std::string& way, int at_once, int count, real::Duration took,
                const std::vector<double>& ms) {
  return {{"way", way},
          {"at_once", at_once},
          {"tasks", count},
          {"per_s", wire::rounded(count / std::chrono::duration<double>(took).count())},
          {"ms", wire::percentiles(ms)},
          {"x", nullptr},
          {"note", ""}};
}

Json launch_note(const std::string& way, const std::string& note) {
  return {{"way", way}, {"at_once", nullptr}, {"note", note}};
}

void add_ratios(std::vector<Json>& round) {
  for (Json& row : round)
    for (const Json& bare : round)
      if (bare.at("way") == kBareWay && bare.at("at_once") == row.at("at_once"))
        row["x"] = wire::rounded(row.at("per_s").get<double>() / bare.at("per_s").get<double>());
}

Json launch_results(const std::vector<std::vector<Json>>& rounds) {
  std::vector<Json> rows;
  Json aims = Json::array();
  for (std::size_t i = 0; i < rounds.front().size(); ++i) {
    std::vector<Json> same;
    for (const std::vector<Json>& round : rounds) same.push_back(round[i]);
    rows.push_back(combined(kLaunchForm, same));
    const Json& row = rows.back();
    if (row.at("way") != kWorkerWay || row.at("at_once") != kAimAtOnce) continue;
    aims.push_back(aim_at_least("share of bare starts, 4 at once", row.at("x"), kAimBareShare));
    aims.push_back(aim_at_most("ms from decision to end, 99th percentile, 4 at once",
                               row.at("ms").at("p99"), kAimMs));
  }
  return bench_results(kLaunchForm, std::move(rows), std::move(aims));
}

std::string format_launch_results(const Json& results) {
  std::string notes;
  for (const Json& row : results.at("rows"))
    if (const std::string note = row.at("note"); !note.empty())
      notes += fmt::format("{}: {}\n", row.at("way").get<std::string>(), note);
  std::string text = format_bench(kLaunchForm, results) + notes;
  if (results.contains("parts")) text += "\n" + format_launch_parts(results.at("parts"));
  return text;
}

}  // namespace heddle::bench
