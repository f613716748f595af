#include "yaml/syntax_fault.h"

#include <gtest/gtest.h>

#include "tests/support/messages.h"
#include "yaml/tree.h"

namespace heddle::syntax_fault_test {

/// Returns what is wrong with a text that is not YAML.
std::string fault(const std::string& text) {
  const Result<YamlNode> tree = parse_yaml(text, "s.yaml");
  return tree ? "" : tree.error().text;
}

TEST(YamlFault, AQuoteThatIsNotClosedAtTheEndOfTheFile) { EXPECT_NE(fault("name: \"b\\"), ""); }

TEST(YamlFault, Messages) {
  tests::expect_messages_of("yaml/syntax_fault.yaml", "faults", fault);
  tests::expect_messages("yaml/syntax_fault.yaml", "explained",
                         [](const std::vector<std::string>& row) {
                           int line = std::stoi(row.at(1)), column = std::stoi(row.at(2));
                           return explain_yaml_fault(row.at(0), line, column, row.at(3));
                         });
}

}  // namespace heddle::syntax_fault_test
