#include "cli/command_table.h"

#include <gtest/gtest.h>

namespace heddle {
namespace {

constexpr const char* kKnown =
    " (known: run, simulate, compare, sweep, experiment, validate, policies, workloads, doctor, "
    "clean, verify, replay, resume, report, why, export, trace, import, train, top, keys, bench)";

TEST(CommandTable, BuiltCommandsHaveNoProblem) {
  for (const char* word : {"run",      "simulate",  "compare", "sweep", "experiment", "validate",
                           "policies", "workloads", "doctor",  "clean", "verify",     "replay",
                           "report",   "why",       "export",  "trace", "import",     "train",
                           "top",      "keys",      "bench",   "resume"})
    EXPECT_EQ(check_command(word), "") << word;
}

TEST(CommandTable, UnknownWordGetsTheNearest) {
  EXPECT_EQ(check_command("rnu"),
            std::string("unknown command \"rnu\"; did you mean \"run\"?") + kKnown);
  EXPECT_EQ(check_command("zzzzzz"), std::string("unknown command \"zzzzzz\"") + kKnown);
}

TEST(CommandTable, Benches) {
  EXPECT_EQ(check_bench("sim"), "");
  for (const char* word : {"fidelity", "heartbeat", "io"}) EXPECT_EQ(check_bench(word), "") << word;
  EXPECT_EQ(check_bench("launch"),
            "bench \"launch\" is not built yet (known: heartbeat, fidelity, sim, io)");
  EXPECT_EQ(check_bench("smi"),
            "unknown bench \"smi\"; did you mean \"sim\"? (known: heartbeat, fidelity, sim, io)");
}

}  // namespace
}  // namespace heddle
