#include "wire/codec.h"

#include <gtest/gtest.h>

#include <functional>
#include <iterator>

#include "tests/support/messages.h"

namespace heddle::wire::codec_test {

TaskWork some_work() {
  TaskWork work;
  work.cpu = core_seconds(12.345678);
  work.threads = 2;
  work.sleep = emu_seconds(0.5);
  work.pauses = 3;
  work.pause = emu_seconds(1.5);
  work.memory = {{0, EmuBytes(1 << 20)}, {0.5, EmuBytes(7)}};
  work.reads = {{17, EmuBytes(5), EmuBytes(6), {NodeId{2}, NodeId{0}}, -1},
                {output_object(ContainerId{3}, 1), EmuBytes(0), EmuBytes(9), {}, 4}};
  work.sources = 5;
  work.writes = {{18, EmuBytes(7), false, {NodeId{1}}}};
  work.executor = true;
  return work;
}

Report ended() {
  return {3, 123456789012345,
          ContainerEnded{ContainerId{7},
                         Outcome::kOomKilled,
                         OomCause::kNode,
                         137,
                         "node \"n1\" was full\n",
                         {core_seconds(1.5),
                          EmuBytes(99),
                          12.25,
                          emu_seconds(20),
                          true,
                          emu_seconds(0.001),
                          EmuBytes(7),
                          EmuBytes(8),
                          EmuBytes(9),
                          MemoryFidelity{{{0, 12}, {40, 1}}, {1.5, 20}, true, 0.25},
                          {{emu_seconds(4), emu_seconds(4.5)}},
                          {{false, EmuBytes(7), {NodeId{3}}, emu_seconds(1), emu_seconds(2)}}}}};
}

Report started() { return {4, 5, ContainerStarted{ContainerId{1}}}; }

LaunchCommand some_launch() {
  return {ContainerId{8}, "wc", "map", 17, 2, {Millicores(500), EmuBytes(1 << 30)}, some_work()};
}

/// Returns how a command arrives.
Result<LaunchCommand> arrived(const LaunchCommand& launch) {
  const Result<Message> back = decode(encode(Commands{5, {{1, launch}}}));
  if (!back) return back.error();
  const Command& command = std::get<Commands>(*back).commands.at(0);
  EXPECT_EQ(command.number, 1);
  return std::get<LaunchCommand>(command.what);
}

std::string error_of(const std::string& text) {
  const Result<Message> message = decode(text);
  return message ? "" : message.error().text;
}

/// Expects that a message survives encoding. Encoding is a function of the message, so equal texts
/// mean equal messages.
void expect_round_trip(const Message& message) {
  std::string text = encode(message);
  Result<Message> back = decode(text);
  ASSERT_TRUE(back) << back.error().text;
  EXPECT_EQ(back->index(), message.index());
  EXPECT_EQ(encode(*back), text);
}

TEST(Codec, EveryMessageSurvivesARoundTrip) {
  expect_round_trip(Hello{kProtocol, "r1", "n1", 0xffffffffffffffffULL, 42, 1234, "ipc:///x"});
  Hello elsewhere{kProtocol, "", "", 1, 42, 1234, "tcp://10.0.0.2:5000"};
  elsewhere.data_key = "key";
  elsewhere.version = "0.1";
  elsewhere.clock = "boot time:[1]";
  elsewhere.host = HostFacts{"h1", {1.5}, real::Bytes(1 << 30)};
  expect_round_trip(elsewhere);
  const ContainerId id{1};
  expect_round_trip(Reports{5,
                            {ended(),
                             started(),
                             {5, 6, ContainerSuspended{id}},
                             {6, 7, ContainerResumed{id}},
                             {7, 8, InputsRead{id}},
                             {8, 9, PartDone{id, 2}},
                             {9, 10, InputLost{id, 3, 17, "gone"}},
                             {10, 11, CommandRefused{id, "kill container 1: not alive"}}}});
  Heartbeat beat{5,
                 9,
                 1000,
                 2,
                 {ended()},
                 {{ContainerId{1}, core_seconds(2), EmuBytes(3), 0.5}},
                 core_seconds(100),
                 EmuBytes(1LL << 40),
                 {{Millicores(1501), EmuBytes(7)}, {Millicores(2000), EmuBytes(8)}},
                 NodeEstimate{{1.0 / 3, 7.5}, {2.1, 8e9 / 3}},
                 0.125};
  expect_round_trip(beat);
  beat.estimate.reset();
  beat.containers[0].disk = EmuBytes(10);
  beat.echo = ClockEcho{7, 8};
  beat.late = std::chrono::milliseconds(1300);
  expect_round_trip(beat);
  expect_round_trip(Goodbye{5, "told to", 1.5, 0.25});
  Welcome welcome;
  welcome.node = NodeId{3};
  welcome.run = "r1";
  welcome.spec.name = "n4";
  welcome.spec.capacity = {Millicores(4500), EmuBytes(8LL << 30)};
  welcome.scale = {0.1, 0.05, 1.0 / 64, 1.0 / 64};
  welcome.cpu_limit = CpuLimit::kShares;
  welcome.suspend_with = SuspendWith::kFreezer;
  welcome.cpu_weight = 300;
  welcome.node_use = NodeUseFrom::kHost;
  welcome.oom_preference = OomPreference::kYoungest;
  expect_round_trip(welcome);
  welcome.estimate = Damping{0.125, 0};
  welcome.suspend_cost = emu_seconds(2.7);
  expect_round_trip(welcome);
  LaunchCommand launch = some_launch();
  launch.work.waits = true;
  LaunchCommand program = launch;
  program.command = {"sh", "-c", "echo \"{task}\"\n", ""};
  program.output_limit = real::Bytes(5 << 20);
  expect_round_trip(Commands{5, {{1, program}}});
  expect_round_trip(Commands{
      5,
      {{1, launch},
       {2, Kill{ContainerId{8}}},
       {3, InputsReady{ContainerId{9}}},
       {4, Fetch{ContainerId{9}, some_work().reads}},
       {5, RunPart{ContainerId{9},
                   {1, 2, core_seconds(3), 4, some_work().reads, some_work().writes, 0.5}}},
       {6, Finish{ContainerId{9}}},
       {7, ForgetCommand{"wc"}},
       {8, ExternalLoad{NodeId{2}, {Millicores(1500), EmuBytes(1 << 30)}}},
       {9, FaultCommand{FaultKind::kFreezeWorker, emu_seconds(5), {}}},
       {10, FaultCommand{FaultKind::kDelayHeartbeats,
                         EmuTime(0),
                         {0.5,
                          true,
                          {{FaultKind::kDelayHeartbeats, 0.2, emu_seconds(3), ~0ULL},
                           {FaultKind::kLoseHeartbeats, 1, EmuTime(0), 7}}}}},
       {11, ExpectCommand{output_object(ContainerId{3}, 1), EmuBytes(7), false, NodeId{2}}}}});
  expect_round_trip(HeartbeatReply{5,
                                   9,
                                   3,
                                   {{3, Suspend{ContainerId{1}}}, {4, Resume{ContainerId{1}}}},
                                   1000,
                                   std::chrono::seconds(6)});
  expect_round_trip(Shutdown{"done"});
  expect_round_trip(Beat{std::chrono::milliseconds(66), 123});
  expect_round_trip(Peers{{"ipc:///a", ""}});
  expect_round_trip(Peers{{"tcp://10.0.0.2:5000"}, {"key"}});
  expect_round_trip(Rejoin{"lost", 7});
  expect_round_trip(Introduce{7});
  expect_round_trip(Probe{7});
  expect_round_trip(Probed{7, "no descriptors"});
  Report not_started = ended();
  std::get<ContainerEnded>(not_started.what).outcome = Outcome::kNotStarted;
  expect_round_trip(Reports{5, {not_started}});
  expect_round_trip(ErrorMessage{"what?", true});
}

TEST(Codec, KeepsValues) {
  const LaunchCommand launch = some_launch();
  const Result<LaunchCommand> got = arrived(launch);
  ASSERT_TRUE(got);
  EXPECT_EQ(got->work, some_work());
  EXPECT_EQ(got->resources, launch.resources);
  EXPECT_EQ(got->task, 17);
  EXPECT_EQ(got->attempt, 2);
  EXPECT_TRUE(got->command.empty());
}

TEST(Codec, KeepsACommandAndItsBounds) {
  const auto with = [](std::vector<std::string> program) {
    LaunchCommand launch = some_launch();
    launch.command = std::move(program);
    return arrived(launch);
  };
  std::vector<std::string> program = {"/bin/echo", "", "a\tb", "\xc3\xa9"};
  const Result<LaunchCommand> got = with(program);
  ASSERT_TRUE(got) << got.error().text;
  EXPECT_EQ(got->command, program);

  std::vector<std::string> longest(256, std::string(4096, 'x'));
  EXPECT_TRUE(with(longest));
  longest.emplace_back();
  EXPECT_EQ(with(longest).error().text,
            "message.commands.command: expected a list of at most 256 elements");
  EXPECT_EQ(with({std::string(4097, 'x')}).error().text,
            "message.commands.command: expected texts of at most 4096 bytes");
}

TEST(Codec, TheOutputLimitOfACommandHasBounds) {
  const auto with = [](std::int64_t bytes) {
    LaunchCommand launch = some_launch();
    launch.command = {"true"};
    launch.output_limit = real::Bytes(bytes);
    return arrived(launch);
  };
  for (std::int64_t bytes : {1LL << 12, 1LL << 40}) {
    const Result<LaunchCommand> got = with(bytes);
    ASSERT_TRUE(got) << got.error().text;
    EXPECT_EQ(got->output_limit, real::Bytes(bytes));
  }
  for (std::int64_t bytes : {(1LL << 12) - 1, (1LL << 40) + 1, -1LL})
    EXPECT_EQ(with(bytes).error().text,
              "message.commands.output_limit: expected a whole number from 4096 to 1099511627776");
}

TEST(Codec, ErrorsOfMemoryAreCountsAndTimesAreRows) {
  const std::string good = encode(Reports{1, {ended()}});
  tests::expect_messages("wire/messages.yaml", "usage", [&](const auto& row) {
    std::string text = good;
    const std::size_t at = text.find(row[0]);
    return at == text.npos ? "no such field" : error_of(text.replace(at, row[0].size(), row[1]));
  });
}

TEST(Codec, OfAHelloOfAnotherProtocolOnlyThatIsRead) {
  Result<Message> hello = decode(R"({"m":"hello","protocol":6,"run":"r","what":"it was then"})");
  ASSERT_TRUE(hello) << hello.error().text;
  EXPECT_EQ(std::get<Hello>(*hello).protocol, 6);
  EXPECT_EQ(std::get<Hello>(*hello).run, "");
}

TEST(Codec, AHostHasAName) {
  Hello hello{kProtocol, "", "", 1, 42, 1234, ""};
  hello.host = HostFacts{"<b>", {1}, real::Bytes(1)};
  EXPECT_EQ(decode(encode(hello)).error().text,
            "message.host.name: expected a name of up to 64 letters, digits, dots, dashes and "
            "underscores");
}

// Names that lead out of a directory, or can't be a component of a path.
const char* const kNoNames[] = {"..",  ".",   "y/../../victim", "/etc",   "a/b",
                                "a b", "-rf", "a\nb",           "\x1b[2J"};

/// Expects that each invalid name in the message is refused.
void expect_names(const std::function<Message(const std::string&)>& with, const std::string& key) {
  ASSERT_TRUE(decode(encode(with("n1.a_b-c")))) << key;
  std::vector<std::string> bad(std::begin(kNoNames), std::end(kNoNames));
  bad.emplace_back(65, 'x');
  bad.emplace_back("a\0b", 3);
  for (const std::string& name : bad) {
    const Result<Message> message = decode(encode(with(name)));
    ASSERT_FALSE(message) << key << ": " << name;
    EXPECT_EQ(message.error().text, key +
                                        ": expected a name of up to 64 letters, digits, dots, "
                                        "dashes and underscores");
  }
}

Welcome welcome() {
  Welcome welcome;
  welcome.node = NodeId{3};
  welcome.run = "r1";
  welcome.spec.name = "n4";
  return welcome;
}

TEST(Codec, NamesLeadNowhere) {
  const auto welcome_with = [](auto change) {
    return [change](const std::string& name) {
      Welcome changed = welcome();
      change(changed, name);
      return Message(changed);
    };
  };
  expect_names(welcome_with([](Welcome& w, const std::string& n) { w.run = n; }), "message.run");
  expect_names(welcome_with([](Welcome& w, const std::string& n) { w.spec.name = n; }),
               "message.spec.name");
  expect_names(welcome_with([](Welcome& w, const std::string& n) { w.spec.rack = n; }),
               "message.spec.rack");
  const auto hello_with = [](std::string Hello::*field) {
    return [field](const std::string& name) {
      Hello hello{kProtocol, "", "", 1, 42, 1234, ""};
      hello.*field = name;
      return Message(hello);
    };
  };
  expect_names(hello_with(&Hello::run), "message.run");
  expect_names(hello_with(&Hello::node), "message.node");
  const auto launch_with = [](std::string LaunchCommand::*field) {
    return [field](const std::string& name) {
      LaunchCommand launch = some_launch();
      launch.*field = name;
      return Message(Commands{5, {{1, launch}}});
    };
  };
  expect_names(launch_with(&LaunchCommand::job), "message.commands.job");
  expect_names(launch_with(&LaunchCommand::phase), "message.commands.phase");
  expect_names(
      [](const std::string& n) {
        return Message(Commands{5, {{1, ForgetCommand{n}}}});
      },
      "message.commands.job");
}

TEST(Codec, OnlyAHelloMayLeaveNamesOut) {
  EXPECT_TRUE(decode(encode(Hello{kProtocol, "", "", 1, 42, 1234, ""})));
  Welcome none = welcome();
  none.run = "";
  EXPECT_FALSE(decode(encode(none)));
  none = welcome();
  none.spec.name = "";
  EXPECT_FALSE(decode(encode(none)));
}

TEST(Codec, SizesCanBeAdded) {
  const auto with = [](std::int64_t size) {
    LaunchCommand launch = some_launch();
    launch.work.reads[0].size = EmuBytes(size);
    return arrived(launch);
  };
  EXPECT_TRUE(with(1LL << 60));
  EXPECT_FALSE(with((1LL << 60) + 1));
}

TEST(Codec, SourcesAndDampingHaveBounds) {
  const auto from = [](int source) {
    LaunchCommand launch = some_launch();
    launch.work.reads[0].source = source;
    return arrived(launch);
  };
  EXPECT_TRUE(from(99'999'999));
  EXPECT_FALSE(from(100'000'000));
  EXPECT_FALSE(from(-2));
  const auto damped = [](double cores, double memory) {
    Welcome some = welcome();
    some.spec.capacity = {Millicores(1000), EmuBytes(1LL << 30)};
    some.scale = {1, 1, 1, 1};
    some.estimate = Damping{cores, memory};
    return decode(encode(some));
  };
  EXPECT_TRUE(damped(1, 0));
  EXPECT_FALSE(damped(1.001, 0));
  EXPECT_FALSE(damped(0, 1.001));
  EXPECT_FALSE(damped(-0.001, 0));
}

TEST(Codec, OnlyReportsAndCommandsAreTaken) {
  for (const std::string kind : {"reports", "commands"})
    tests::expect_messages_of("wire/messages.yaml", kind, [&](const std::string& fields) {
      return error_of(R"({"m":")" + kind + R"(","incarnation":1,")" + kind +
                      R"(":[{"number":1,"at":2,)" + fields + "}]}");
    });
}

TEST(Codec, CommandsAndReportsReadLikeLinesOfTheJournal) {
  EXPECT_EQ(encode(Commands{5, {{1, Kill{ContainerId{8}}}}}),
            R"({"m":"commands","incarnation":5,"commands":[{"number":1,"type":"kill",)"
            R"("container":8}]})");
  EXPECT_EQ(encode(Reports{5, {{2, 7, PartDone{ContainerId{8}, 3}}}}),
            R"({"m":"reports","incarnation":5,"reports":[{"number":2,"at":7,"type":"part_done",)"
            R"("container":8,"part":3}]})");
}

TEST(Codec, SaysWhatIsWrong) { tests::expect_messages_of("wire/messages.yaml", "wrong", error_of); }

// If a message is cut off or changed, decoding it succeeds or fails, but does not crash.
TEST(Codec, SurvivesDamage) {
  const std::string text = encode(Commands{5, {{1, some_launch()}}});
  for (std::size_t i = 0; i < text.size(); ++i) {
    (void)decode(text.substr(0, i));
    for (char c : {'\0', '9', '"', '{', '-', '\xff'}) {
      std::string damaged = text;
      damaged[i] = c;
      (void)decode(damaged);
    }
  }
}

TEST(Codec, RefusesWhatIsNestedDeeperThanAnythingOfOurs) {
  const std::string deep = R"({"m":"peers","data":)" + std::string(1'000'000, '[');
  EXPECT_EQ(error_of(deep + std::string(1'000'000, ']') + "}"), "message: not JSON");
}

TEST(Codec, RefusesWhatIsTooLong) {
  EXPECT_EQ(error_of(std::string(kMaxMessage + 1, ' ')), "message: longer than 16 MiB");
}

TEST(Codec, MendsTextThatIsNotUtf8) {
  Result<Message> back = decode(encode(ErrorMessage{"bad \xff byte", false}));
  ASSERT_TRUE(back);
  EXPECT_EQ(std::get<ErrorMessage>(*back).text, "bad \xef\xbf\xbd byte");
}

}  // namespace heddle::wire::codec_test
