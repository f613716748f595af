#include "cli/base/command_table.h"

#include <gtest/gtest.h>

namespace heddle::cli::command_table_test {

constexpr const char* kKnown =
    " (known: run, simulate, compare, sweep, experiment, league, validate, policies, workloads, "
    "doctor, clean, verify, replay, resume, report, why, export, trace, import, train, top, keys, "
    "bench)";

TEST(CommandTable, BuiltCommandsHaveNoProblem) {
  for (const char* word : {"run",      "simulate",  "compare", "sweep",  "experiment", "validate",
                           "policies", "workloads", "doctor",  "clean",  "verify",     "replay",
                           "report",   "why",       "export",  "trace",  "import",     "train",
                           "top",      "keys",      "bench",   "resume", "league"})
    EXPECT_EQ(check_command(word), "") << word;
}

TEST(CommandTable, UnknownWordGetsTheNearest) {
  EXPECT_EQ(check_command("rnu"),
            std::string("unknown command \"rnu\"; did you mean \"run\"?") + kKnown);
  EXPECT_EQ(check_command("zzzzzz"), std::string("unknown command \"zzzzzz\"") + kKnown);
}

TEST(CommandTable, Benches) {
  for (const CommandInfo& bench : benches()) EXPECT_EQ(check_bench(bench.name), "");
  EXPECT_EQ(check_bench("smi"),
            "unknown bench \"smi\"; did you mean \"sim\"? (known: policy, launch, heartbeat, "
            "suspend, fidelity, sim, start, io)");
}

}  // namespace heddle::cli::command_table_test
