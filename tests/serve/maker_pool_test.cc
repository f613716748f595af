// Tests the limits of the processes that make pages, with other programs in their place.
// serve_test.cc tests the real ones.

#include "serve/maker_pool.h"

#include <unistd.h>

#include <algorithm>
#include <fstream>
#include <iterator>
#include <latch>
#include <thread>

#include "tests/support/matchers.h"
#include "tests/support/temporary_directory.h"

namespace heddle::serve {

using namespace std::chrono_literals;

PageRequest request_for(const std::string& id) {
  return {.kind = PageRequest::Kind::kData, .ids = {id}};
}

/// Returns the command of a shell with this text. $0 is the descriptor.
MakerPool::Command shell(const std::string& text) {
  return [=](int socket) {
    return std::vector<std::string>{"/bin/bash", "-c", text, std::to_string(socket)};
  };
}

/// The text of a shell that sends an answer of 7 bytes: the head has the number of bytes and the
/// status 200, each in 8 bytes.
constexpr const char* kAnswer = R"(printf '\x07\0\0\0\0\0\0\0\xc8\0\0\0\0\0\0\0[1,2,3]' >&$0; )";

/// The text of a shell that answers each request. Before it answers one for data of "slow", it adds
/// a line to the file `began` and waits for the file `end`.
std::string slow_shell(const std::string& began, const std::string& end) {
  return "while read -r n _ < <(head -c 16 <&$0 | od -An -t u8) && [ -n \"$n\" ]; do "
         "case $(head -c $n <&$0) in *slow*) echo >>" +
         began + "; until [ -e " + end + " ]; do sleep 0.01; done;; esac; " + kAnswer + "done";
}

/// Returns the number of lines of a file.
std::ptrdiff_t lines_of(const std::string& path) {
  std::ifstream file(path);
  return std::count(std::istreambuf_iterator<char>(file), {}, '\n');
}

TEST(PageRequest, IsReadAsWritten) {
  PageRequest request = request_for("live-0123/a b");
  request.kind = PageRequest::Kind::kGantt;
  request.elsewhere = {{"live-0123", "/tmp/results"}};
  LiveRun run;
  run.device = 17;
  run.inode = 18;
  run.events = {{1.5, "job j started"}};
  request.live = {run};
  request.window = {3, 4, EmuTime(5), EmuTime(6)};
  request.job = "j";
  const std::optional<PageRequest> read = parse_page_request(to_text(request));
  ASSERT_TRUE(read);
  EXPECT_EQ(to_text(*read), to_text(request));
  EXPECT_EQ(read->kind, PageRequest::Kind::kGantt);
  EXPECT_EQ(read->elsewhere.at("live-0123"), "/tmp/results");
  EXPECT_EQ(read->live.at(0).events.at(0).text, "job j started");
  EXPECT_EQ(read->window.until, EmuTime(6));
  for (const char* text : {"", "{}", "[]", R"({"kind":"x"})"})
    EXPECT_FALSE(parse_page_request(text)) << text;
}

TEST(MakerPool, ReturnsWhatTheProcessSends) {
  MakerPool pool(1, {0, 60s}, shell(std::string(kAnswer) + "sleep 60"));
  const ResponseText made = pool.make(request_for("0"));
  EXPECT_EQ(made.status, 200);
  EXPECT_EQ(*made.text, "[1,2,3]");
}

TEST(MakerPool, SaysWhichLimitAPageMet) {
  const auto failure = [](PageBounds bounds, const std::string& text) {
    MakerPool pool(1, bounds, shell(text));
    const ResponseText made = pool.make(request_for("0"));
    EXPECT_EQ(made.status, 500);
    return *made.text;
  };
  EXPECT_EQ(failure({std::int64_t{3} << 29, 60s}, "exit 12"),
            "500: this page cannot be made: it needs more than 1.5 GiB of memory, the limit of a "
            "page (--page-memory)\n");
  EXPECT_EQ(failure({0, 50ms}, "sleep 60"),
            "500: this page cannot be made: it takes more than 0.05 s, the limit of a page "
            "(--page-time)\n");
  EXPECT_EQ(failure({0, 60s}, "kill -9 $$"),
            "500: this page cannot be made: the process that made it has ended: killed by signal 9 "
            "(Killed)\n");
  EXPECT_EQ(failure({0, 60s}, R"(printf '\0\0\0\0\1\0\0\0\xc8\0\0\0\0\0\0\0' >&$0; sleep 60)"),
            "500: this page cannot be made: its data are larger than 1 GiB\n");
}

TEST(MakerPool, AnotherProcessMakesThePageAfterAFailure) {
  const tests::TemporaryDirectory place;
  const std::string mark = place / "mark";
  // The first process ends, and the next one answers.
  MakerPool pool(
      1, {0, 60s},
      shell("[ -e " + mark + " ] || { touch " + mark + "; exit 3; }; " + kAnswer + "sleep 60"));
  EXPECT_THAT(*pool.make(request_for("0")).text, HasSubstr("exit status 3"));
  EXPECT_EQ(pool.make(request_for("0")).status, 200);
}

TEST(MakerPool, APageThatTakesLongHoldsUpNoOther) {
  const tests::TemporaryDirectory place;
  const std::string began = place / "began", end = place / "end";
  MakerPool pool(2, {0, 600s}, shell(slow_shell(began, end)));
  std::jthread slow([&] { EXPECT_EQ(pool.make(request_for("slow")).status, 200); });
  while (lines_of(began) < 1) std::this_thread::sleep_for(10ms);
  EXPECT_EQ(pool.make(request_for("quick")).status, 200) << "while the other one is being made";
  std::ofstream(end) << "";
}

// The first process answers and ends. That is not the fault of the next page.
TEST(MakerPool, APageDoesNotFailBecauseAnIdleProcessHasEnded) {
  MakerPool pool(
      1, {0, 60s},
      shell("read -r n _ < <(head -c 16 <&$0 | od -An -t u8); head -c $n <&$0 >/dev/null; " +
            std::string(kAnswer) + "exit 3"));
  for (int i = 0; i < 3; ++i) EXPECT_EQ(pool.make(request_for("0")).status, 200) << i;
}

// Three pages for one process: the time for which a page waits for it counts too, so that not all
// three begin one after the other.
TEST(MakerPool, TheTimeOfAPageIncludesItsWaiting) {
  const tests::TemporaryDirectory place;
  const std::string began = place / "began";
  MakerPool pool(1, {0, 500ms, 600s}, shell(slow_shell(began, place / "end")));
  std::latch made(3);
  std::vector<std::jthread> slow;
  for (int i = 0; i < 3; ++i)
    slow.emplace_back([&] {
      EXPECT_THAT(*pool.make(request_for("slow")).text, HasSubstr("more than 0.5 s"));
      made.arrive_and_wait();
    });
  slow.clear();
  EXPECT_LE(lines_of(began), 2);
}

TEST(MakerPool, PagesThatTakeLongGiveWayToThoseThatWait) {
  const tests::TemporaryDirectory place;
  const std::string began = place / "began", end = place / "end";
  MakerPool pool(2, {0, 600s, 50ms}, shell(slow_shell(began, end)));
  std::latch made(5);
  std::vector<std::jthread> slow;
  for (int i = 0; i < 5; ++i)
    slow.emplace_back([&, i] {
      EXPECT_EQ(pool.make(request_for("slow" + std::to_string(i))).status, 200);
      made.arrive_and_wait();  // a process ends with the thread that started it
    });
  // All five begin, and one of them a second time in the process for slow data.
  while (lines_of(began) < 6) std::this_thread::sleep_for(10ms);
  EXPECT_EQ(pool.make(request_for("quick")).status, 200) << "while five are being made";
  std::ofstream(end) << "";
}

TEST(MakerPool, APageThatTakesLongGoesOnIfNoneWaits) {
  const tests::TemporaryDirectory place;
  const std::string began = place / "began", end = place / "end";
  MakerPool pool(1, {0, 600s, 1ms}, shell(slow_shell(began, end)));
  std::jthread slow([&] { EXPECT_EQ(pool.make(request_for("slow")).status, 200); });
  while (lines_of(began) < 1) std::this_thread::sleep_for(10ms);
  std::this_thread::sleep_for(200ms);
  std::ofstream(end) << "";
  slow.join();
  EXPECT_EQ(lines_of(began), 1);
}

}  // namespace heddle::serve
