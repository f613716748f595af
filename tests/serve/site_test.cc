// Tests how requests are answered, without a network.

#include "serve/site.h"

#include <gtest/gtest.h>

#include <future>
#include <thread>

#include "wire/fields.h"

namespace heddle::serve {

const Access kSiteAccess{"secret", 1};

Response answer(Site& site, const std::string& target) {
  Request request;
  request.method = "GET";
  request.target = target;
  request.host = "127.0.0.1:1";
  request.cookie = cookie_name(kSiteAccess) + "=" + kSiteAccess.token;
  std::promise<Response> response;
  site.handle(request, [&](Response made) { response.set_value(std::move(made)); });
  return response.get_future().get();
}

/// Returns makers that make everything in this process.
PageMakers own_makers() {
  const auto maker = std::make_shared<PageMaker>(std::vector<std::string>());
  return {[maker](const PageRequest& request) { return maker->make(request); },
          [maker](const std::string& id) { return maker->share_read(id); }};
}

/// Returns 50 runs of scenarios whose names are 500 times the letter.
std::vector<LiveRun> runs_of(char letter) {
  wire::Progress progress;
  progress.scenario = std::string(500, letter);
  LiveRun run;
  run.run = "0123abcd";
  run.out = "/nowhere";
  run.progress = progress;
  return std::vector<LiveRun>(50, run);
}

TEST(Site, TheListIsWholeWhileTheRunsChange) {
  LiveBoard board;
  Site site({}, kSiteAccess, board, own_makers(), own_makers());
  const std::jthread changes([&](const std::stop_token& stop) {
    for (int i = 0; !stop.stop_requested(); ++i)
      board.put(runs_of(static_cast<char>('a' + i % 26)));
  });
  for (int i = 0; i < 100; ++i) {
    const Response list = answer(site, "/api/list");
    ASSERT_EQ(list.status, 200);
    const wire::Json running = wire::parse_json(*list.body).at("running");
    for (const wire::Json& run : running)
      EXPECT_EQ(run.at("scenario"), running[0].at("scenario"));  // all are of one time
  }
}

TEST(Site, AListThatCannotBeMadeSaysWhy) {
  LiveBoard board;
  PageMakers lists = own_makers();
  lists.make = [](const PageRequest&) {
    return ResponseText{500, std::make_shared<const std::string>("500: too large\n")};
  };
  Site site({}, kSiteAccess, board, lists, own_makers());
  const Response list = answer(site, "/api/list");
  EXPECT_EQ(list.status, 500);
  EXPECT_EQ(*list.body, "500: too large\n");
}

TEST(Site, TheSocketOfTheMetricsHasNothingElse) {
  LiveBoard board;
  const Site site({}, kSiteAccess, board, own_makers(), own_makers());
  Request request;
  request.method = "GET";
  request.target = "/metrics";
  EXPECT_EQ(site.metrics(request).status, 200);
  EXPECT_EQ(site.metrics(request).body->substr(0, 26), "# HELP heddle_time_seconds");
  for (const char* target : {"/", "/api/list", "/run?run=0", "x", ""}) {
    request.target = target;
    EXPECT_EQ(site.metrics(request).status, 404) << target;
  }
  request.target = "/metrics";
  request.method = "POST";
  EXPECT_EQ(site.metrics(request).status, 405);
}

TEST(Site, UnknownRunsHaveNoPage) {
  LiveBoard board;
  Site site({}, kSiteAccess, board, own_makers(), own_makers());
  for (const char* target : {"/run", "/run?run=0", "/api/data", "/api/data?run=0%2Fx"})
    EXPECT_EQ(answer(site, target).status, 404) << target;
}

}  // namespace heddle::serve
