#include "cli/command_table.h"

#include <gtest/gtest.h>

namespace heddle {
namespace {

TEST(CommandTable, BuiltCommandsHaveNoProblem) {
  for (const char* word : {"run", "simulate", "validate", "policies", "workloads", "doctor",
                           "clean", "verify", "replay", "trace", "import", "train", "bench"})
    EXPECT_EQ(check_command(word), "") << word;
}

TEST(CommandTable, ReservedWordsSaySo) {
  for (const char* word : {"compare", "sweep", "resume", "report", "why", "export", "top", "keys"})
    EXPECT_EQ(
        check_command(word),
        "command \"" + std::string(word) +
            "\" is not built yet (known: run, simulate, validate, policies, workloads, doctor, "
            "clean, verify, replay, trace, import, train, bench)");
}

TEST(CommandTable, UnknownWordGetsTheNearest) {
  EXPECT_EQ(
      check_command("rnu"),
      "unknown command \"rnu\"; did you mean \"run\"? (known: run, simulate, validate, policies, "
      "workloads, doctor, clean, verify, replay, trace, import, train, bench)");
  EXPECT_EQ(
      check_command("zzzzzz"),
      "unknown command \"zzzzzz\" (known: run, simulate, validate, policies, workloads, doctor, "
      "clean, verify, replay, trace, import, train, bench)");
}

TEST(CommandTable, Benches) {
  EXPECT_EQ(check_bench("sim"), "");
  EXPECT_EQ(check_bench("fidelity"), "");
  EXPECT_EQ(check_bench("launch"), "bench \"launch\" is not built yet (known: fidelity, sim)");
  EXPECT_EQ(check_bench("smi"),
            "unknown bench \"smi\"; did you mean \"sim\"? (known: fidelity, sim)");
}

}  // namespace
}  // namespace heddle
