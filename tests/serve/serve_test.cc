// Tests heddle serve as browsers, other users and Prometheus see it, with real and simulated runs.

#include <grp.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <atomic>
#include <csignal>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <functional>
#include <thread>

#include "common/zstd.h"
#include "tests/serve/http_client.h"
#include "tests/support/matchers.h"
#include "tests/system/process.h"

namespace heddle::serve_test {

namespace fs = std::filesystem;
using namespace std::chrono_literals;
using Json = nlohmann::json;

constexpr const char* kScenario = R"(heddle: 1
name: served
emulation: {time_scale: 0.1, core_fraction: 0.05, memory_scale: 1/64}
cluster: {nodes: [{name: n, count: 2, cores: 2, memory: 4GiB}]}
jobs:
  - name: j
    phases:
      - {name: map, kind: map, tasks: 4, request: {cores: 1, memory: 1GiB}, cpu: 600s}
  - {name: later, submit: 1h, phases: [{name: map, tasks: 1, request: {cores: 1, memory: 1GiB}, cpu: 1s}]}
)";

constexpr uid_t kNobody = 65534;

/// Returns the status of the function in a child process of user nobody, or -1.
int as_nobody(const std::function<int()>& status) {
  const pid_t child = ::fork();
  if (child == 0) {
    const bool changed =
        ::setgroups(0, nullptr) == 0 && ::setgid(kNobody) == 0 && ::setuid(kNobody) == 0;
    ::_exit(changed ? status() / 100 : 0);
  }
  int ended = 0;
  ::waitpid(child, &ended, 0);
  return WIFEXITED(ended) ? WEXITSTATUS(ended) * 100 : -1;
}

class ServeTest : public ::testing::Test {
 protected:
  /// Starts a server and waits until it prints its URL.
  void serve(std::vector<std::string> arguments) {
    arguments.insert(arguments.begin(), "serve");
    server_.reset();
    server_ = std::make_unique<Process>(heddle(std::move(arguments)), scratch_);
    ASSERT_TRUE(
        eventually([&] { return server_->output().ends_with('\n') || !server_->running(); }));
    const std::string url = server_->output();
    ASSERT_THAT(url, StartsWith("http://127.0.0.1:")) << server_->errors();
    port_ = std::stoi(url.substr(17));
    token_ = url.substr(url.find("=") + 1);
    token_.pop_back();
    cookie_ = "Cookie: heddle-" + std::to_string(port_) + "=" + token_ + "\r\n";
  }
  /// Serves the directory of results, which may be empty.
  void serve_results() {
    fs::create_directories(results_);
    serve({results_});
  }
  /// Simulates the quickstart; the results go to this directory of the scratch directory.
  void simulate(const std::string& out) { simulated(scenario("quickstart"), scratch_, {}, out); }
  Reply get(const std::string& target, const std::string& fields = "") const {
    return http_get(port_, target, cookie_ + fields);
  }
  Json json(const std::string& target) const {
    const Reply reply = get(target);
    EXPECT_EQ(reply.status, 200) << target << ": " << reply.body;
    return Json::parse(reply.body, nullptr, false);
  }

  Scratch scratch_;
  std::string results_ = scratch_ / "results";
  std::unique_ptr<Process> server_;
  int port_ = 0;
  std::string token_, cookie_;
};

TEST_F(ServeTest, TheUrlAnswersAndSetsTheCookieThatSuffices) {
  serve_results();
  const Reply first = http_get(port_, "/?token=" + token_);
  EXPECT_EQ(first.status, 200);
  EXPECT_EQ(first.fields.at("Set-Cookie"), "heddle-" + std::to_string(port_) + "=" + token_ +
                                               "; Path=/; HttpOnly; SameSite=Strict");
  EXPECT_THAT(first.body, StartsWith("<!doctype html>"));
  EXPECT_THAT(first.body, HasSubstr(R"("kind":"served","source":"/api/list")"));
  EXPECT_THAT(first.fields.at("Content-Security-Policy"), HasSubstr("frame-ancestors 'none'"));
  EXPECT_THAT(first.fields.at("Content-Security-Policy"), HasSubstr("script-src 'sha256-"));
  EXPECT_EQ(first.fields.at("Cache-Control"), "no-store");
  EXPECT_EQ(first.fields.at("Referrer-Policy"), "no-referrer");
  EXPECT_EQ(first.fields.at("X-Content-Type-Options"), "nosniff");
  const Reply second = get("/");
  EXPECT_EQ(second.status, 200);
  EXPECT_FALSE(second.fields.count("Set-Cookie"));
  const Reply head = http_get(port_, "/", cookie_, "HEAD");
  EXPECT_EQ(head.status, 200);
  EXPECT_EQ(head.fields.at("Content-Length"), std::to_string(second.body.size()));
}

TEST_F(ServeTest, NothingWithoutTheTokenAndNothingForOtherHosts) {
  serve_results();
  for (const char* target : {"/", "/run?run=0", "/api/list", "/api/data?run=0", "/api/why?run=0",
                             "/metrics", "/favicon.ico", "/none"}) {
    EXPECT_EQ(http_get(port_, target).status, 403) << target;
    EXPECT_EQ(http_get(port_, target, cookie_ + "Host: evil.example\r\n").status, 403) << target;
  }
  EXPECT_EQ(http_get(port_, "/?token=" + std::string(token_.size(), '0')).status, 403);
  EXPECT_EQ(http_get(port_, "/", cookie_, "POST").status, 405);
  EXPECT_EQ(http_get(port_, "/", cookie_ + "Host: localhost:8888\r\n").status, 200);
  EXPECT_EQ(http_get(port_, "/", cookie_ + "Host: 127.0.0.1\r\nHost: 127.0.0.1\r\n").status, 403);
  EXPECT_EQ(http_get(port_, "/metrics", "Authorization: Bearer " + token_ + "\r\n").status, 200);
}

TEST_F(ServeTest, AnotherUserGetsNothing) {
  if (::geteuid() != 0) GTEST_SKIP() << "only root can become another user";
  serve_results();
  EXPECT_EQ(as_nobody([&] { return http_get(port_, "/").status; }), 400);  // 4xx
  EXPECT_EQ(as_nobody([&] { return http_get(port_, "/metrics").status; }), 400);
  // The arguments and the environment, which others can read, do not have the token.
  EXPECT_THAT(text_of("/proc/" + std::to_string(server_->pid()) + "/cmdline"),
              Not(HasSubstr(token_)));
}

TEST_F(ServeTest, OddTargetsAreNotFound) {
  serve_results();
  for (const std::string& target :
       {std::string("/.."), std::string("/../../etc/passwd"),
        std::string("/%2e%2e/%2e%2e/etc/passwd"), std::string("/etc/passwd"), std::string("/%00"),
        std::string("//"), std::string("/run"), std::string("/run?run=/etc"),
        std::string("/run?run=0/.."), std::string("/run?run=0/%2e%2e"),
        std::string("/api/data?run=../x"), std::string("/api/data?run=0%00"),
        std::string("/api/data?run=9"), std::string("/api/why?run=0"), "/" + std::string(4000, 'a'),
        "/run?run=0/" + std::string(4000, 'a')})
    EXPECT_EQ(get(target).status, 404) << target;
  EXPECT_EQ(get("/" + std::string(40'000, 'a')).status, 431);
}

TEST_F(ServeTest, LinksOutOfTheDirectoryAreNotFollowed) {
  fs::create_directory(results_);
  simulate("elsewhere");
  fs::create_directory_symlink(scratch_ / "elsewhere", results_ + "/link");
  fs::create_directory(results_ + "/run");
  for (const char* file : {"/scenario.yaml", "/journal.jsonl", "/samples.jsonl", "/summary.json"})
    fs::create_symlink(scratch_ / "elsewhere" + file, results_ + "/run" + file);
  serve_results();
  EXPECT_EQ(get("/api/data?run=0/link").status, 404);
  EXPECT_EQ(get("/run?run=0/link").status, 404);
  EXPECT_EQ(get("/api/data?run=0/run").status, 404);
}

TEST_F(ServeTest, ShowsResultsAndWhyJobsWaited) {
  simulate("results/one");
  simulate("results/two");
  serve_results();
  const Json list = json("/api/list");
  ASSERT_EQ(list["results"].size(), 2u);
  EXPECT_THAT(list["results"][0], HasMembers(R"({"scenario":"quickstart","state":"done"})"));
  EXPECT_TRUE(list["running"].is_array());

  EXPECT_THAT(get("/run?run=0/one").body, HasSubstr("/api/data?run=0/one"));
  const Json page = json("/api/data?run=0/one");
  EXPECT_THAT(page, HasMembers(R"({"kind":"runs","live":false,)"
                               R"("why_url":"/api/why?run=0/one&job="})"));
  EXPECT_EQ(page["runs"][0]["summary"]["makespan_s"],
            read_json(results_ + "/one/summary.json")["makespan_s"]);
  const Json both = json("/api/data?run=0/one&run=0/two");
  EXPECT_EQ(both["runs"].size(), 2u);
  EXPECT_EQ(both["runs"][1]["label"], "two");

  const Ended why = call({"why", results_ + "/one", "sort", "--json"}, scratch_);
  EXPECT_EQ(json("/api/why?run=0/one&job=sort"), Json::parse(why.output));
  EXPECT_EQ(get("/api/why?run=0/one&job=none").status, 404);
}

// 21 000 tasks of 1 s on 10 nodes of 10 cores.
TEST_F(ServeTest, TheContainersOfALargeRunComeInPieces) {
  const std::string scenario = scratch_.file("large.yaml", R"(heddle: 1
name: large
simulation: {ideal: true}
cluster: {heartbeat: 1s, nodes: [{name: n, count: 10, cores: 10, memory: 10GiB}]}
jobs:
  - name: j
    phases: [{name: map, tasks: 21000, request: {cores: 1, memory: 1GiB}, sleep: 1s}]
)");
  const std::string run = results_ + "/large", index = run + "/containers.index.zst";
  simulated(scenario, scratch_, {}, "results/large");
  EXPECT_FALSE(fs::exists(index));
  serve_results();
  const Json page = json("/api/data?run=0%2Flarge")["runs"][0];
  ASSERT_TRUE(fs::exists(index));
  EXPECT_LT(fs::file_size(index), 60U * 21'000);
  EXPECT_TRUE(page["bars"].empty());
  EXPECT_EQ(page["node_count"], 10);
  EXPECT_FALSE(page["allocated"].is_null());
  const std::string url = page["gantt_url"];
  const std::string window = "&first_node=2&nodes=2&from=10&until=20";
  const Json piece = json(url + window);
  EXPECT_EQ(piece["nodes"].size(), 2U);
  EXPECT_THAT(piece["nodes"][0], HasMembers(R"({"name":"n3","lanes":10})"));
  // In 10 s, each of 20 cores runs about 10 tasks of 1 s.
  const std::size_t bars = piece["bars"]["from"].size();
  EXPECT_GE(bars, 80U);
  EXPECT_LE(bars, 220U);
  for (std::size_t i = 0; i < bars; ++i) {
    EXPECT_LT(piece["bars"]["from"][i], 20);
    EXPECT_GE(piece["bars"]["until"][i], 10);
    EXPECT_LE(piece["bars"]["node"][i], 1);
  }
  for (const char* bad :
       {"", "&first_node=0&nodes=2&from=0", "&first_node=x&nodes=2&from=0&until=9",
        "&first_node=0&nodes=1e99&from=0&until=9"})
    EXPECT_EQ(get(url + bad).status, 404) << bad;
  // The next server reads the index.
  serve_results();
  EXPECT_TRUE(json(url + window) == piece);
  EXPECT_TRUE(fs::exists(index));
  EXPECT_EQ(get("/api/gantt?run=0%2Fnone" + window).status, 404);
}

TEST_F(ServeTest, WhatIsUnchangedIsNotSentAgain) {
  simulate("results/one");
  serve_results();
  const char* target = "/api/data?run=0/one";
  const Reply first = get(target);
  ASSERT_EQ(first.status, 200);
  const std::string tag = first.fields.at("ETag");
  const Reply again = get(target, "If-None-Match: " + tag + "\r\n");
  EXPECT_EQ(again.status, 304);
  EXPECT_EQ(again.body, "");
  EXPECT_EQ(get(target, "If-None-Match: \"other\"\r\n").status, 200);
}

TEST_F(ServeTest, ABurstAndIdleConnectionsDisturbNothing) {
  serve_results();
  std::vector<std::unique_ptr<HttpConnection>> idle;
  for (int i = 0; i < 400; ++i) {
    idle.push_back(std::make_unique<HttpConnection>(port_));
    // Half of them begin a request and never end it.
    if (i % 2 == 0) idle.back()->send("GET / HTTP/1.1\r\nHost: ");
  }
  std::vector<std::thread> clients;
  std::atomic<int> answered = 0;
  for (int client = 0; client < 4; ++client)
    clients.emplace_back([&] {
      for (int i = 0; i < 250; ++i) answered += http_get(port_, "/metrics", cookie_).status == 200;
    });
  for (std::thread& client : clients) client.join();
  EXPECT_EQ(answered, 1000);
  // The oldest idle connections made room for the others.
  EXPECT_TRUE(idle.front()->closed_by_server());
}

TEST_F(ServeTest, ConnectionsAreLimited) {
  serve_results();
  std::vector<std::unique_ptr<HttpConnection>> idle;
  for (int i = 0; i < 400; ++i) idle.push_back(std::make_unique<HttpConnection>(port_));
  // Connections are accepted in order, so the server has accepted the others before this one.
  EXPECT_EQ(get("/metrics").status, 200);
  std::size_t sockets = 0;
  std::error_code gone;
  for (const auto& entry :
       fs::directory_iterator("/proc/" + std::to_string(server_->pid()) + "/fd"))
    sockets += fs::read_symlink(entry, gone).string().starts_with("socket:") ? 1 : 0;
  // The others are the listening socket and, for a moment, the connection that is about to close.
  EXPECT_LE(sockets, 256U + 2U);
}

TEST_F(ServeTest, UnreadRefusalsHoldNoConnections) {
  serve_results();
  // The responses to so many requests are too large for the kernel's buffers.
  std::string requests;
  for (int i = 0; i < 6000; ++i) requests += "GET / HTTP/1.1\r\nHost: localhost\r\n\r\n";
  std::vector<std::unique_ptr<HttpConnection>> unread;
  for (int i = 0; i < 256; ++i) {
    unread.push_back(std::make_unique<HttpConnection>(port_));
    unread.back()->send(requests);  // fails if the server has closed the connection
  }
  EXPECT_EQ(get("/metrics").status, 200);
  HttpConnection refused(port_);
  refused.send("GET / HTTP/1.1\r\nHost: localhost\r\n\r\n");
  const Reply reply = refused.reply();
  EXPECT_EQ(reply.status, 403);
  EXPECT_EQ(reply.fields.at("Connection"), "close");
  EXPECT_TRUE(refused.closed_by_server());
}

TEST_F(ServeTest, AHeaderHasAtMost16KiB) {
  serve_results();
  EXPECT_EQ(get("/metrics", "X: " + std::string(15'000, 'x') + "\r\n").status, 200);
  EXPECT_EQ(get("/metrics", "X: " + std::string(17'000, 'x') + "\r\n").status, 431);
}

TEST_F(ServeTest, AConnectionServesSeveralRequests) {
  serve_results();
  HttpConnection connection(port_);
  const std::string request = "GET /metrics HTTP/1.1\r\nHost: localhost\r\n" + cookie_ + "\r\n";
  connection.send(request + request);
  EXPECT_EQ(connection.reply().status, 200);
  EXPECT_EQ(connection.reply().status, 200);
  connection.send("not HTTP\r\n\r\n");
  EXPECT_EQ(connection.reply().status, 400);
  EXPECT_TRUE(connection.closed_by_server());
}

TEST_F(ServeTest, ASlowHeaderEndsTheConnection) {
  serve_results();
  HttpConnection connection(port_);
  connection.send("GET / HTTP/1.1\r\n");
  std::atomic<bool> closed = false;
  std::thread drip([&] {
    while (!closed && connection.send("a")) sleep_for(200ms);
  });
  EXPECT_TRUE(connection.closed_by_server());
  closed = true;
  drip.join();
}

TEST_F(ServeTest, EndsAtOnceWithStatus0) {
  fs::create_directory(results_);
  for (const int signal : {SIGTERM, SIGINT, SIGHUP}) {
    serve_results();
    HttpConnection idle(port_);
    server_->signal(signal);
    EXPECT_EQ(server_->wait(), 0) << signal;
    EXPECT_EQ(server_->errors(), "");
  }
}

/// Makes a run of the results one whose journal cannot be read within the limits of a page: a
/// compressed text, which is repeated so often.
void make_hostile(const std::string& out, const std::string& text, int repeats) {
  ZstdWriter compress;
  std::string frame(compress.add(text));
  frame += compress.finish();
  fs::remove(out + "/journal.jsonl");
  std::ofstream journal(out + "/journal.jsonl.zst", std::ios::binary);
  for (int i = 0; i < repeats; ++i) journal << frame;
}

TEST_F(ServeTest, APageHasALimitOfMemoryAndHoldsUpNoOther) {
  simulate("results/good");
  simulate("results/bad");
  // The line has 40 MB and is an array of numbers, each of which takes 16 bytes.
  std::string line = "[0";
  for (int i = 0; i < 20'000'000; ++i) line += ",1";
  make_hostile(results_ + "/bad", line + "]\n", 1);
  serve({results_, "--page-memory", "256MiB"});
  const Reply bad = get("/api/data?run=0/bad");
  EXPECT_EQ(bad.status, 500);
  EXPECT_EQ(bad.body,
            "500: this page cannot be made: it needs more than 0.25 GiB of memory, the limit of a "
            "page (--page-memory)\n");
  EXPECT_EQ(json("/api/data?run=0/good")["runs"].size(), 1U);
  EXPECT_EQ(json("/api/list")["results"].size(), 2U);
}

TEST_F(ServeTest, APageHasALimitOfTimeAndHoldsUpNoOther) {
  simulate("results/good");
  simulate("results/bad");
  // 200 GB of lines that readers skip, in a few megabytes.
  std::string lines;
  while (lines.size() < 100'000'000)
    lines += R"({"type":"heartbeat",)" + std::string(9000, ' ') + "}\n";
  make_hostile(results_ + "/bad", lines, 2000);
  serve({results_, "--page-time", "30s"});
  HttpConnection bad(port_);
  ASSERT_TRUE(
      bad.send("GET /api/data?run=0/bad HTTP/1.1\r\nHost: 127.0.0.1\r\n" + cookie_ + "\r\n"));
  EXPECT_EQ(json("/api/data?run=0/good")["runs"].size(), 1U) << "while the other one is made";
}

TEST_F(ServeTest, ASocketHasTheMetricsWithoutAToken) {
  const std::string path = scratch_ / "metrics";
  fs::create_directories(results_);
  serve({results_, "--metrics-socket", path});
  struct stat info {};
  ASSERT_EQ(::stat(path.c_str(), &info), 0);
  EXPECT_EQ(info.st_mode, static_cast<mode_t>(S_IFSOCK | 0600));
  const auto body_of = [&](const std::string& target) {
    const std::string script =
        "import http.client, socket, sys\n"
        "connection = http.client.HTTPConnection('heddle')\n"
        "connection.sock = socket.socket(socket.AF_UNIX)\n"
        "connection.sock.connect(sys.argv[1])\n"
        "connection.request('GET', sys.argv[2])\n"
        "print(connection.getresponse().read().decode())\n";
    return end_of({"python3", "-c", script, path, target}, scratch_).output;
  };
  EXPECT_THAT(body_of("/metrics"), StartsWith("# HELP heddle_time_seconds"));
  EXPECT_THAT(body_of("/api/list"), StartsWith("404: "));
  server_->signal(SIGTERM);
  EXPECT_EQ(server_->wait(), 0);
  EXPECT_FALSE(fs::exists(path));
}

TEST_F(ServeTest, WrongLimitsAndSocketsAreNamed) {
  fs::create_directories(results_);
  const auto refused = [&](const std::vector<std::string>& options, const std::string& why) {
    std::vector<std::string> words = {"serve", results_};
    words.insert(words.end(), options.begin(), options.end());
    expect_refused(call(words, scratch_), 2, {options[0], why});
  };
  refused({"--page-memory", "1MiB"}, "expected a size of at least 256 MiB, such as 2GiB");
  refused({"--page-memory", "much"}, "expected a size of at least 256 MiB");
  refused({"--page-time", "0s"}, "expected a time above 0 and of at most 300 s, such as 60s");
  refused({"--page-time", "1h"}, "expected a time above 0 and of at most 300 s");
  refused({"--metrics-group", "0"}, "needs --metrics-socket");
  refused({"--metrics-socket", results_}, "exists and is not a socket of yours");
  refused({"--metrics-socket", results_ + "/none/socket"}, "No such file or directory");
}

TEST_F(ServeTest, ABusyPortIsNamed) {
  serve_results();
  expect_refused(
      call({"serve", results_, "--port", std::to_string(port_)}, scratch_), 2,
      {"--port " + std::to_string(port_) + ": another program listens on this port of 127.0.0.1"});
}

TEST_F(ServeTest, ADirectoryThatIsMissingIsNamed) {
  expect_refused(
      call({"serve", scratch_ / "none"}, scratch_), 2,
      {scratch_ / "none" + ": not a directory; expected a directory with results in or below it"});
}

TEST_F(ServeTest, ALinkOfAnotherUserIsNotFollowed) {
  if (::geteuid() != 0) GTEST_SKIP() << "only root can give a link to another user";
  fs::create_directory(results_);
  const std::string link = scratch_ / "link";
  fs::create_directory_symlink(results_, link);
  ASSERT_EQ(::lchown(link.c_str(), kNobody, kNobody), 0);
  expect_refused(call({"serve", link}, scratch_), 3,
                 {"link is a link of user 65534, whose links are not followed"});
}

TEST_F(ServeTest, TheTokenOfAFileIsUsedIfOnlyItsOwnerCanReadIt) {
  fs::create_directory(results_);
  const std::string file = scratch_.file("token", "0123456789abcdefABCDEF0123456789\n");
  ::chmod(file.c_str(), 0600);
  serve({results_, "--token-file", file});
  EXPECT_EQ(token_, "0123456789abcdefABCDEF0123456789");
  ::chmod(file.c_str(), 0640);
  expect_refused(call({"serve", results_, "--token-file", file}, scratch_), 2,
                 {"--token-file " + file + ": other users can read or change"});
  for (const char* wrong : {"", "short", "0123456789abcdef 0123456789abcdef"}) {
    const std::string bad = scratch_.file("bad", wrong);
    ::chmod(bad.c_str(), 0600);
    expect_refused(call({"serve", results_, "--token-file", bad}, scratch_), 2,
                   {": not a token; expected 32 to 256 letters and digits"});
  }
}

TEST_F(ServeTest, ABrowserIsOpenedWithoutTheTokenInItsArguments) {
  fs::create_directory(results_);
  const std::string browser =
      scratch_.file("browser",
                    "#!/bin/sh\necho \"$1\" > \"$0.arguments\"\ncat \"$1\" > "
                    "\"$0.page.new\"\nmv \"$0.page.new\" \"$0.page\"\n");
  ::chmod(browser.c_str(), 0700);
  ::setenv("BROWSER", browser.c_str(), 1);
  serve({results_, "--open"});
  ::unsetenv("BROWSER");
  ASSERT_TRUE(eventually([&] { return fs::exists(browser + ".page"); })) << server_->errors();
  std::string file = text_of(browser + ".arguments");
  file.pop_back();
  EXPECT_THAT(file, Not(HasSubstr(token_)));
  EXPECT_THAT(text_of(browser + ".page"),
              HasSubstr("url=http://127.0.0.1:" + std::to_string(port_) + "/?token=" + token_));
  struct stat info {};
  ASSERT_EQ(::stat(file.c_str(), &info), 0);
  EXPECT_EQ(info.st_mode & 0777, 0600u);
  server_->signal(SIGTERM);
  EXPECT_EQ(server_->wait(), 0);
  EXPECT_FALSE(fs::exists(file));
}

/// A real run in the results or elsewhere, and a server.
class ServeLiveTest : public ServeTest {
 protected:
  void start(const std::string& out) {
    out_ = out;
    run_ = std::make_unique<Process>(
        heddle({"run", scratch_.file("s.yaml", kScenario), "--quiet", "--out", out}), scratch_);
    ASSERT_TRUE(eventually([&] { return !run_id(out_).empty(); })) << run_->errors();
  }
  /// Returns the entry of the run in the list of running runs, or null. There can be other runs.
  Json running() const {
    const Json list = json("/api/list");
    for (const Json& run : list["running"])
      if (run["run"] == run_id(out_)) return run;
    return nullptr;
  }
  bool is_live(const std::string& id) const { return json("/api/data?run=" + id)["live"]; }

  std::string out_;
  std::unique_ptr<Process> run_;
};

TEST_F(ServeLiveTest, ShowsARunThatIsGoingOnAndItsEndWhenItIsKilled) {
  fs::create_directory(results_);
  start(results_ + "/mine");
  serve_results();
  ASSERT_TRUE(eventually([&] {
    const Json live = running();
    return live.is_object() && live.value("containers", 0) == 4;
  })) << json("/api/list");
  const Json live = running();
  EXPECT_EQ(live["id"], "0/mine");
  EXPECT_EQ(live["run"], run_id(out_));
  EXPECT_THAT(live, HasMembers(R"({"scenario":"served","tasks":5,"tasks_done":0})"));
  // The events come with the next page after the first progress.
  EXPECT_TRUE(eventually([&] {
    const Json page = json("/api/data?run=0/mine");
    return page["live"] == true && page["runs"][0]["summary"]["status"].is_null() &&
           page["runs"][0]["events"].dump().find("job j started") != std::string::npos;
  })) << json("/api/data?run=0/mine");
  EXPECT_THAT(get("/metrics").body, HasSubstr("heddle_containers_running{run=\"" + run_id(out_) +
                                              "\",scenario=\"served\",policy=\"fifo\"} 4\n"));

  run_->signal(SIGKILL);
  EXPECT_EQ(run_->wait(), 128 + SIGKILL);
  EXPECT_TRUE(eventually([&] { return !is_live("0/mine"); }));
  EXPECT_TRUE(eventually([&] {
    return running().is_null() && json("/api/list")["results"][0]["state"] == "aborted";
  })) << json("/api/list");
  EXPECT_THAT(get("/metrics").body, Not(HasSubstr(run_id(out_))));
  EXPECT_EQ(trouble_of({"clean"}, scratch_), "");
}

TEST_F(ServeLiveTest, TheListPageWorksInABrowser) {
  if (!fs::exists("/usr/bin/chromium")) GTEST_SKIP() << "no /usr/bin/chromium (scripts/setup test)";
  if (!fs::exists(HEDDLE_NODE) || !fs::exists(HEDDLE_PAGE_PACKAGES "/node_modules"))
    GTEST_SKIP() << "needs Node.js and the packages of scripts/page --packages";
  simulate("results/one");
  simulate("results/two");
  simulated(scenario("papers/dress-fig1"), scratch_, {}, "results/dress-fig1");
  start(results_ + "/live");
  serve_results();
  Process browser({HEDDLE_NODE, HEDDLE_SOURCE "/tests/system/list_page.mjs", HEDDLE_PAGE_PACKAGES,
                   "http://127.0.0.1:" + std::to_string(port_) + "/?token=" + token_},
                  scratch_);
  EXPECT_EQ(browser.wait(), 0) << browser.errors();
  const Json facts = Json::parse(browser.output(), nullptr, false);
  ASSERT_TRUE(facts.is_object()) << browser.output();
  EXPECT_EQ(facts["errors"], Json::array());
  EXPECT_EQ(facts["address"], "");  // the token is no longer in it
  EXPECT_EQ(facts["all"], 4);
  EXPECT_EQ(facts["filtered"], Json({"dress-fig1"}));
  EXPECT_THAT(facts, HasMembers(R"({"shortest":"dress-fig1","compared":"Heddle: quickstart"})"));
  EXPECT_EQ(facts["runs"], Json({"0/one", "0/two"}));
  run_->signal(SIGINT);
  EXPECT_EQ(run_->wait(), 130) << run_->errors();
}

TEST_F(ServeLiveTest, ShowsARunElsewhereAlsoAfterItsEnd) {
  fs::create_directory(results_);
  start(scratch_ / "elsewhere");
  serve_results();
  const std::string id = "live-" + run_id(out_);
  ASSERT_TRUE(eventually([&] {
    const Json live = running();
    return live.is_object() && live["id"] == id;
  }));
  EXPECT_TRUE(is_live(id));
  run_->signal(SIGINT);
  EXPECT_EQ(run_->wait(), 130) << run_->errors();
  EXPECT_TRUE(eventually([&] {
    const Json page = json("/api/data?run=" + id);
    return page["live"] == false && page["runs"][0]["summary"]["status"] == "interrupted";
  }));
}

}  // namespace heddle::serve_test
