#include "cli/command_table.h"

#include <gtest/gtest.h>

namespace heddle {
namespace {

TEST(CommandTable, BuiltCommandsHaveNoProblem) {
  for (const char* word : {"run", "simulate", "validate", "policies", "workloads", "doctor",
                           "clean", "verify", "replay"})
    EXPECT_EQ(check_command(word), "") << word;
}

TEST(CommandTable, ReservedWordsSaySo) {
  for (const char* word : {"compare", "sweep", "resume", "report", "why", "export", "trace",
                           "import", "train", "top", "keys", "bench"})
    EXPECT_EQ(check_command(word), "\"" + std::string(word) + "\" is not built yet");
}

TEST(CommandTable, UnknownWordGetsTheNearest) {
  EXPECT_EQ(
      check_command("rnu"),
      "unknown command \"rnu\"; did you mean \"run\"? (known: run, simulate, validate, policies, "
      "workloads, doctor, clean, verify, replay)");
  EXPECT_EQ(
      check_command("zzzzzz"),
      "unknown command \"zzzzzz\" (known: run, simulate, validate, policies, workloads, doctor, "
      "clean, verify, replay)");
}

}  // namespace
}  // namespace heddle
