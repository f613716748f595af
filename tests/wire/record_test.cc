#include "wire/record.h"

#include <gtest/gtest.h>

namespace heddle::wire::record_test {

template <class Record>
std::string text_of(const Record& record) {
  JsonText text;
  text.open('{');
  put(text, record);
  return text.close('}').take();
}

template <class Record>
void expect_round_trip(const Record& record) {
  const std::string text = text_of(record);
  auto back = from_json(Json::parse(text));
  ASSERT_TRUE(back) << back.error().text;
  EXPECT_EQ(text_of(std::get<Record>(*back)), text);
}

TEST(Record, LaunchLineAsWritten) {
  TaskWork work;
  work.cpu = core_seconds(12);
  Launch launch{
      {JobId{1}, 0}, NodeId{2}, {Millicores(1500), EmuBytes(1 << 20)}, ContainerId{9}, 4, 2, work};
  EXPECT_EQ(text_of(Action{launch, "fits"}),
            R"({"type":"launch","container":9,"job":1,"phase":0,"task":4,"attempt":2,"node":2,)"
            R"("cores":1.5,"memory":1048576,"work":{"cpu_core_s":12,"threads":1,"sleep_s":0,)"
            R"("memory":[]},"reason":"fits"})");
}

TEST(Record, EveryEventAndActionSurvivesARoundTrip) {
  const Event events[] = {
      {emu_seconds(1), JobSubmitted{JobId{3}}},
      {emu_seconds(1.5), NodeRegistered{NodeId{0}}},
      {emu_seconds(2), NodeLost{NodeId{0}, "silent"}},
      {emu_seconds(2), NodeDrained{NodeId{0}, "no descriptors"}},
      {emu_seconds(2), NodeRestored{NodeId{0}}},
      {emu_seconds(2),
       NodeHeartbeat{NodeId{1}, {{ContainerId{4}, core_seconds(1), EmuBytes(5), 0.25}}}},
      {emu_seconds(3), ContainerStarted{ContainerId{4}}},
      {emu_seconds(4),
       ContainerEnded{
           ContainerId{4},
           Outcome::kFailed,
           OomCause::kNone,
           1,
           "exit status 1",
           {core_seconds(1),
            EmuBytes(2),
            3,
            emu_seconds(4),
            true,
            emu_seconds(5),
            EmuBytes(6),
            EmuBytes(7),
            EmuBytes(8),
            MemoryFidelity{{{3, 2}}, {7}, false, 0.5},
            {{emu_seconds(9), emu_seconds(9.5)}},
            {{true, EmuBytes(8), {NodeId{1}, NodeId{2}}, emu_seconds(0.25), emu_seconds(1), false}},
            PeakMethod::kSamples}}},
      {emu_seconds(4),
       ContainerEnded{ContainerId{5}, Outcome::kNotStarted, OomCause::kNone, 0, "no room", {}}},
      {emu_seconds(4), InputsRead{ContainerId{4}}},
      {emu_seconds(4), PartDone{ContainerId{4}, 2}},
      {emu_seconds(4), InputLost{ContainerId{4}, 3, output_object(ContainerId{2}, 0), "gone"}},
      {emu_seconds(5), ContainerSuspended{ContainerId{4}}},
      {emu_seconds(6), ContainerResumed{ContainerId{4}}},
      {emu_seconds(7), ActionRefused{"launch", "no"}},
      {emu_seconds(8), Wake{}}};
  for (const Event& event : events) expect_round_trip(event);
  PhaseId phase{JobId{1}, 2};
  TaskWork work;
  work.cpu = core_seconds(1);
  work.threads = 3;
  work.sleep = emu_seconds(2);
  work.memory = {{0.5, EmuBytes(1)}};
  const DataRead read{17, EmuBytes(5), EmuBytes(6), {NodeId{2}, NodeId{0}}, 3};
  const DataWrite write{18, EmuBytes(7), true, {NodeId{1}}};
  work.reads = {read};
  const Action actions[] = {
      {Launch{phase,
              NodeId{2},
              {Millicores(1), EmuBytes(2)},
              ContainerId{9},
              4,
              2,
              work,
              Locality::kRack},
       "fits"},
      {Fetch{ContainerId{1}, {read}}, "map output"},
      {RunPart{ContainerId{1}, {1, 0, core_seconds(2), 4, {read}, {write}, 0.5}}, ""},
      {Finish{ContainerId{1}}, "its job is complete"},
      {Reserve{phase, NodeId{2}}, ""},
      {Unreserve{phase, NodeId{2}}, "x"},
      {Suspend{ContainerId{1}}, ""},
      {Resume{ContainerId{1}}, ""},
      {Kill{ContainerId{1}}, ""},
      {WakeAt{emu_seconds(9)}, ""}};
  for (const Action& action : actions) expect_round_trip(action);
}

TEST(Record, TheMethodOfAPeakIsWrittenIfItIsNotTheKernels) {
  ContainerEnded ended;
  ended.container = ContainerId{0};
  ended.usage.peak_memory = EmuBytes(7);
  const auto text = [&] { return text_of(Event{emu_seconds(1), ended}); };
  EXPECT_EQ(text().find("peak_method"), std::string::npos);
  ended.usage.peak_method = PeakMethod::kLimit;
  EXPECT_NE(text().find(R"("peak_memory":7,"peak_method":"limit",)"), std::string::npos) << text();
  Json line = Json::parse(text());
  line["peak_method"] = "guess";
  EXPECT_EQ(from_json(line).error().text,
            "line.peak_method: expected one of kernel, samples, limit");
  line.erase("peak_method");  // a line of an earlier version
  const auto old = from_json(line);
  ASSERT_TRUE(old) << old.error().text;
  EXPECT_EQ(std::get<ContainerEnded>(std::get<Event>(*old).what).usage.peak_method,
            PeakMethod::kKernel);
}

TEST(Record, OtherLinesAreNeitherEventNorAction) {
  auto record = from_json(Json::parse(R"({"type":"end","status":"done"})"));
  ASSERT_TRUE(record);
  EXPECT_TRUE(std::holds_alternative<std::monostate>(*record));
}

TEST(Record, WrongFieldIsNamed) {
  EXPECT_EQ(from_json(Json::parse(R"({"type":"kill","container":"x"})")).error().text,
            "line.container: expected a whole number from 0 to 9223372036854775807");
}

}  // namespace heddle::wire::record_test
