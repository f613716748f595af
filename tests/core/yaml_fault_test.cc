#include "core/scenario/yaml/yaml_fault.h"

#include <gtest/gtest.h>

#include "core/scenario/yaml/yaml_tree.h"

namespace heddle::yaml_fault_test {

/// Returns what is wrong with a text that is not YAML.
std::string fault(const std::string& text) {
  const Result<YamlNode> tree = parse_yaml(text, "s.yaml");
  return tree ? "" : tree.error().text;
}

std::string explained(const std::string& text, int line, int column, const std::string& message) {
  return explain_yaml_fault(text, line, column, message);
}

TEST(YamlFault, ATabInTheIndentation) {
  EXPECT_EQ(fault("heddle: 1\ncluster:\n\theartbeat: 1s\n"),
            "s.yaml:3:1: a tab in the indentation; expected spaces");
}

TEST(YamlFault, BracesThatAreNotClosed) {
  EXPECT_EQ(fault("heddle: 1\nemulation: {time_scale: 0.1\njobs: 2\n"),
            "s.yaml:3:5: the \"{\" of line 2 is not closed; expected \"}\"");
  EXPECT_EQ(fault("heddle: 1\nlist: [a, b\n"),
            "s.yaml:3:1: the \"[\" of line 2 is not closed; expected \"]\"");
}

TEST(YamlFault, ABraceThatClosesAnother) {
  EXPECT_EQ(fault("heddle: 1\njobs:\n  - {name: a, cpu: 3s]\n"),
            "s.yaml:3:22: \"]\" stands where the \"{\" of line 3 is open; expected \"}\"");
  EXPECT_EQ(fault("heddle: 1\nname: a}\nother: }\n"),
            "s.yaml:3:8: \"}\" closes nothing; expected none here");
}

TEST(YamlFault, BracesInQuotesAndCommentsDoNotCount) {
  EXPECT_EQ(explained("a: \"{\"  # [\nb: [1\n", 2, 0, "end of sequence flow not found"),
            "the \"[\" of line 2 is not closed; expected \"]\"");
}

TEST(YamlFault, AnIndentationLikeNoLineAbove) {
  EXPECT_EQ(explained("cluster:\n  heartbeat: 1s\n nodes: 2\n", 2, 1, "end of map not found"),
            "this line is indented by 1 space, but no line above it is; expected 0 or 2");
  EXPECT_EQ(explained("cluster:\n   heartbeat: 1s\n  nodes: 2\n", 2, 1, "end of map not found"),
            "this line is indented by 2 spaces, but no line above it is; expected 0 or 3");
}

TEST(YamlFault, AValueBelowAValue) {
  EXPECT_EQ(explained("name: x\n  jobs: 2\n", 1, 6, "illegal map value"),
            "this line is indented below line 1, which has a value already; expected the same "
            "indentation");
  EXPECT_EQ(explained("name: a: b\n", 0, 7, "illegal map value"),
            "\": \" stands twice in this line; expected quotes around a text that contains \": \"");
}

TEST(YamlFault, AMissingColonOrSpaceIsInTheLineBefore) {
  EXPECT_EQ(fault("name: x\npolicy fifo\njobs: 2\n"),
            "s.yaml:2:1: \"policy fifo\" has no \":\"; expected \"policy: fifo\"");
  EXPECT_EQ(fault("name: x\npolicy:fifo\n\njobs: 2\n"),
            "s.yaml:2:1: \"policy:fifo\" has no space after \":\"; expected \"policy: fifo\"");
  EXPECT_EQ(fault("heddle 1\nname: x\n"),
            "s.yaml:1:1: \"heddle 1\" has no \":\"; expected \"heddle: 1\"");
  EXPECT_EQ(fault("cluster\n  nodes:\n"),
            "s.yaml:1:1: \"cluster\" has no \":\"; expected \"cluster:\"");
  EXPECT_EQ(fault("nodes\n  - {name: n, cores: 4}\n"),
            "s.yaml:1:1: \"nodes\" has no \":\"; expected \"nodes:\"");
  EXPECT_EQ(fault("jobs:\n  - name:wc  # a job\n    tasks: 4\n"),
            "s.yaml:2:5: \"name:wc\" has no space after \":\"; expected \"name: wc\"");
  EXPECT_EQ(fault("a few words here\nname: x\n"),
            "s.yaml:1:1: \"a few words here\" has no \":\"; expected \"key: value\"");
  EXPECT_EQ(fault(std::string(70, 'a') + "\nname: x\n"), "s.yaml:1:1: \"" + std::string(60, 'a') +
                                                             "…\" has no \":\"; expected \"" +
                                                             std::string(60, 'a') + "…\"");
}

TEST(YamlFault, AMissingSpaceAfterADash) {
  EXPECT_EQ(fault("jobs:\n  -name: wc\n    tasks: 4\n"),
            "s.yaml:2:3: \"-name:\" has no space after \"-\"; expected \"- name:\"");
  EXPECT_EQ(fault("nodes:\n  -{name: n, cores: 4}\n"),
            "s.yaml:2:3: \"-{name:\" has no space after \"-\"; expected \"- {name:\"");
  EXPECT_EQ(fault("nodes:\n  - {name: n}\n  -{name: m}\n"),
            "s.yaml:3:3: \"-{name:\" has no space after \"-\"; expected \"- {name:\"");
}

TEST(YamlFault, AnOpenBraceCountsMoreThanAMissingColon) {
  EXPECT_EQ(explained("a: {b: 1,\n  c\nd: 3\n", 2, 1, "illegal map value"),
            "the \"{\" of line 1 is not closed; expected \"}\"");
}

TEST(YamlFault, AQuoteThatIsNotClosed) {
  EXPECT_EQ(fault("heddle: 1\nname: 'a\njobs:\n- {name: b}\n"),
            "s.yaml:2:7: the quote of line 2 is not closed; expected ' at the end of the text");
  EXPECT_EQ(fault("name: a\njobs:\n- {name: b, cpu: \"8s}\n- {name: c}\n"),
            "s.yaml:3:18: the quote of line 3 is not closed; expected \" at the end of the text");
  EXPECT_EQ(fault("\"name: a\njobs: 2\n"),
            "s.yaml:1:1: the quote of line 1 is not closed; expected \" at the end of the text");
  EXPECT_EQ(fault("name: 'it''s\n"),
            "s.yaml:1:7: the quote of line 1 is not closed; expected ' at the end of the text");
  EXPECT_EQ(fault("name: \"a\\\"\n"),
            "s.yaml:1:7: the quote of line 1 is not closed; expected \" at the end of the text");
}

TEST(YamlFault, AQuoteThatIsNotClosedAtTheEndOfTheFile) {
  EXPECT_EQ(fault("name: 'a"),
            "s.yaml:1:7: the quote of line 1 is not closed; expected ' at the end of the text");
  EXPECT_EQ(fault("name: {a: \"b"),
            "s.yaml:1:11: the quote of line 1 is not closed; expected \" at the end of the text");
  EXPECT_NE(fault("name: \"b\\"), "");
}

TEST(YamlFault, AQuoteThatTheQuoteOfAnotherTextCloses) {
  EXPECT_EQ(fault("name: 'a\nuser: 'b'\n"),
            "s.yaml:1:7: the quote of line 1 is not closed in its line; expected ' at the end of "
            "the text");
  EXPECT_EQ(fault("a: {b: 'x}\nc: {d: 'e'}\nf: 'h'\n"),
            "s.yaml:1:8: the quote of line 1 is not closed in its line; expected ' at the end of "
            "the text");
}

TEST(YamlFault, QuotedTextsThatAreRight) {
  EXPECT_EQ(fault("name: 'a\n  b'\n"), "");
  EXPECT_EQ(fault("name: 'it''s'\n"), "");
  EXPECT_EQ(fault("name: \"a\\\"\\\\\""), "");
  EXPECT_EQ(fault("name: don't \"\n"), "");
  EXPECT_EQ(fault("text: |\n  'a\n  \"\n"), "");
  EXPECT_EQ(fault("text: '|\n"),
            "s.yaml:1:7: the quote of line 1 is not closed; expected ' at the end of the text");
}

TEST(YamlFault, ACharacterThatNeedsQuotes) {
  EXPECT_EQ(fault("name: @a\n"),
            "s.yaml:1:7: a text cannot begin with \"@\"; expected quotes around it");
}

TEST(YamlFault, WhateverThePlaceIsTheMessageStays) {
  EXPECT_EQ(explained("", -1, -1, "odd"), "odd");
  EXPECT_EQ(explained("", 7, 9, "odd"), "odd");
  EXPECT_EQ(explained("a: b", 0, 100, "unknown token"), "unknown token");
}

}  // namespace heddle::yaml_fault_test
