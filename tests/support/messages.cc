#include "tests/support/messages.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <yaml-cpp/yaml.h>

namespace heddle::tests {
namespace {

/// Checks one row. `place` is the file and the line.
void check(const YAML::Node& row, const std::string& place,
           const std::function<std::string(const std::vector<std::string>&)>& message) {
  ASSERT_TRUE(row.IsSequence() && row.size() > 0) << place << ": expected [INPUT…, MESSAGE]";
  std::vector<std::string> inputs;
  for (std::size_t i = 0; i + 1 < row.size(); ++i) inputs.push_back(row[i].as<std::string>());
  const std::string said = message(inputs);
  const YAML::Node expected = row[row.size() - 1];
  if (!expected.IsSequence()) {
    EXPECT_EQ(said, expected.as<std::string>()) << place;
    return;
  }
  ASSERT_GT(expected.size(), 0u) << place << ": expected parts of the message";
  for (const YAML::Node& part : expected) {
    EXPECT_THAT(said, testing::HasSubstr(part.as<std::string>())) << place;
  }
}

}  // namespace

void expect_messages(const std::string& file, const std::string& section,
                     const std::function<std::string(const std::vector<std::string>&)>& message) {
  try {
    const YAML::Node rows = YAML::LoadFile(HEDDLE_SOURCE_DIR "/tests/" + file)[section];
    ASSERT_TRUE(rows && rows.IsSequence() && rows.size() > 0) << file << " has no " << section;
    for (const YAML::Node& row : rows) {
      check(row, file + ":" + std::to_string(row.Mark().line + 1), message);
    }
  } catch (const YAML::Exception& error) {
    FAIL() << file << ": " << error.what();
  }
}

void expect_messages_of(const std::string& file, const std::string& section,
                        const std::function<std::string(const std::string&)>& message) {
  expect_messages(file, section, [&](const std::vector<std::string>& inputs) {
    return inputs.size() == 1 ? message(inputs.front()) : "a row has one input here";
  });
}

void expect_messages_of(
    const std::string& file, const std::string& section,
    const std::function<std::string(const std::string&, const std::string&)>& message) {
  expect_messages(file, section, [&](const std::vector<std::string>& inputs) {
    return inputs.size() == 2 ? message(inputs[0], inputs[1]) : "a row has two inputs here";
  });
}

}  // namespace heddle::tests
