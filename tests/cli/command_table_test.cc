#include "cli/base/command_table.h"

#include <gtest/gtest.h>

namespace heddle::cli::command_table_test {

constexpr const char* kKnown =
    " (known: demo, run, simulate, compare, sweep, experiment, cell, gather, status, league, "
    "validate, policies, "
    "workloads, "
    "doctor, clean, diff, verify, replay, resume, ls, show, rm, report, plot, cite, archive, "
    "reproduce, why, export, trace, "
    "import, whatif, "
    "train, top, serve, keys, bench, help, version, completion)";

TEST(CommandTable, BuiltCommandsHaveNoProblem) {
  for (const char* word : {"run",      "simulate",   "compare", "sweep",  "experiment", "validate",
                           "policies", "workloads",  "doctor",  "clean",  "verify",     "replay",
                           "report",   "why",        "export",  "trace",  "import",     "train",
                           "top",      "keys",       "bench",   "resume", "league",     "help",
                           "version",  "completion", "demo",    "plot",   "cite"})
    EXPECT_EQ(check_word("command", commands(), word), "") << word;
}

TEST(CommandTable, UnknownWordGetsTheNearest) {
  EXPECT_EQ(check_word("command", commands(), "rnu"),
            std::string("unknown command \"rnu\"; did you mean \"run\"?") + kKnown);
  EXPECT_EQ(check_word("command", commands(), "zzzzzz"),
            std::string("unknown command \"zzzzzz\"") + kKnown);
}

TEST(CommandTable, Benches) {
  for (const CommandInfo& bench : benches())
    EXPECT_EQ(check_word("bench", benches(), bench.name), "");
  EXPECT_EQ(check_word("bench", benches(), "smi"),
            "unknown bench \"smi\"; did you mean \"sim\"? (known: policy, external, launch, "
            "heartbeat, suspend, fidelity, sim, start, io)");
}

}  // namespace heddle::cli::command_table_test
