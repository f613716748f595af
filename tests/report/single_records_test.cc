#include "report/single_records.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <sstream>

#include "report/journal_reader.h"

namespace heddle::report {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;

const std::string kRun =
    R"({"type":"run","format":2,"nodes":[{"id":0},{"id":1},{"id":2},{"id":3}]})";

struct Read {
  std::vector<std::string> records;
  std::string error;
};

Read read(const std::vector<std::string>& lines) {
  std::string text = kRun + "\n";
  for (const std::string& line : lines) text += line + "\n";
  JournalReader reader(std::make_unique<std::istringstream>(text), "j");
  Read read;
  const Result<void> all = reader.each([&](const wire::Json& record) -> Result<void> {
    if (record["type"] != "run") read.records.push_back(record.dump());
    return {};
  });
  if (!all) read.error = all.error().text;
  return read;
}

TEST(SingleRecords, AreInTheOrderOfNodes) {
  const Read all = read(
      {R"({"type":"node_registered","node":2,"count":2,"step":0})",
       R"({"type":"launch","container":0,"task":0,"node":0,"count":3,"nodes":[[0,0,1],[2,2,2]],"step":1})",
       R"({"type":"launch","container":3,"task":0,"node":1,"count":1,"nodes":[[1,1,1]],"step":1})",
       R"({"type":"container_started","container":0,"count":3,"step":2})",
       R"({"type":"container_started","container":3,"count":1,"step":2})",
       R"({"type":"container_ended","container":3,"outcome":"completed","count":1,"step":3})",
       R"({"type":"kill","container":0,"count":3,"step":3})", R"({"type":"leaving"})"});
  EXPECT_EQ(all.error, "");
  EXPECT_THAT(
      all.records,
      ElementsAre(R"({"type":"node_registered","node":2,"step":0})",
                  R"({"type":"node_registered","node":3,"step":0})",
                  R"({"type":"launch","container":0,"task":0,"node":0,"step":1})",
                  R"({"type":"launch","container":1,"task":1,"node":2,"step":1})",
                  R"({"type":"launch","container":2,"task":2,"node":2,"step":1})",
                  R"({"type":"launch","container":3,"task":0,"node":1,"step":1})",
                  R"({"type":"container_started","container":0,"step":2})",
                  R"({"type":"container_started","container":3,"step":2})",
                  R"({"type":"container_started","container":1,"step":2})",
                  R"({"type":"container_started","container":2,"step":2})",
                  R"({"type":"container_ended","container":3,"outcome":"completed","step":3})",
                  R"({"type":"kill","container":0,"step":3})",
                  R"({"type":"kill","container":1,"step":3})",
                  R"({"type":"kill","container":2,"step":3})", R"({"type":"leaving"})"));
}

// A killed run has no line after its last step.
TEST(SingleRecords, OfTheLastStepAreReturned) {
  EXPECT_THAT(
      read({R"({"type":"launch","container":0,"task":0,"node":0,"count":2,"nodes":[[0,1,1]]})",
            R"({"type":"container_started","container":0,"count":2,"step":2})"})
          .records,
      testing::SizeIs(4));
}

TEST(SingleRecords, NameWhatIsWrong) {
  const std::string launch = R"({"type":"launch","container":0,"task":0,"node":0,)";
  const std::pair<std::string, std::string> wrong[] = {
      {R"({"type":"node_registered","node":3,"count":2})", "record.node"},
      {R"({"type":"node_registered","node":0,"count":0})", "record.count"},
      {launch + R"("count":2000000,"nodes":[[0,1,1]]})", "record.count"},
      {launch + R"("count":2,"nodes":[[0,3,1]]})", "record.nodes"},
      {launch + R"("count":2,"nodes":[[0,0,1]]})", "record.nodes"},
      {launch + R"("count":2,"nodes":[[3,4,1]]})", "record.nodes"},
      {launch + R"("count":2,"nodes":[[1,1,1],[0,0,1]]})", "record.nodes"},
      {launch + R"("count":2,"nodes":[[0,1]]})", "record.nodes"},
      {launch + R"("count":2})", "record.nodes"},
      {R"({"type":"container_started","container":0,"count":2,"step":0})",
       "2 containers from container 0 on were not launched together"},
      {R"({"type":"container_ended","container":0,"count":2})", "record.step"}};
  for (const auto& [line, error] : wrong) {
    const Read all = read({line});
    EXPECT_THAT(all.error, HasSubstr("j:2: ")) << line;
    EXPECT_THAT(all.error, HasSubstr(error)) << line;
    EXPECT_THAT(all.records, testing::IsEmpty());
  }
}

}  // namespace
}  // namespace heddle::report
