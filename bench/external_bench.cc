#include "bench/external_bench.h"

#include <numeric>

#include "bench/results.h"
#include "wire/values.h"

namespace heddle::bench {
namespace {

using wire::Json;

constexpr double kAimX = 1.5;

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

}  // namespace

Json external_row(const std::string& policy, int tasks, double own_seconds,
                  const ExternalMeasured& measured) {
  const auto total =
      std::accumulate(measured.exchanges.begin(), measured.exchanges.end(), std::size_t{0},
                      [](std::size_t sum, const Exchange& each) { return sum + each.request; });
  const Json echo = wire::percentiles(measured.echo_us);
  const Json around =
      wire::percentiles(measured.outside_us.empty() ? measured.round_trip_us : measured.outside_us);
  const auto count = std::max<std::size_t>(1, measured.exchanges.size());
  return {{"policy", policy},
          {"tasks", tasks},
          {"requests", measured.exchanges.size()},
          {"request_bytes", total / count},
          {"round_trip_us", wire::percentiles(measured.round_trip_us)},
          {"outside_us", wire::percentiles(measured.outside_us)},
          {"echo_us", echo},
          {"x", wire::rounded(around.at("p50").get<double>() / echo.at("p50").get<double>())},
          {"seconds", wire::rounded(measured.seconds)},
          {"own_seconds", wire::rounded(own_seconds)}};
}

Json external_results(std::vector<Json> rows) {
  Json aims = Json::array();
  for (const Json& row : rows)
    aims.push_back(aim_at_most(row.at("policy").get<std::string>() +
                                   ": round trip without the policy's own time, divided by the "
                                   "echo's",
                               row.at("x"), kAimX));
  return bench_results(kExternalForm, std::move(rows), std::move(aims));
}

std::string format_external_results(const Json& results) {
  return format_bench(kExternalForm, results);
}

}  // namespace heddle::bench
