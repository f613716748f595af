#include "cli/command_table.h"

#include "common/text.h"

namespace heddle {

const std::vector<CommandInfo>& commands() {
  static const std::vector<CommandInfo> table = {
      {"run", true, "run a scenario for real and write its results"},
      {"simulate", true, "run a scenario in virtual time"},
      {"compare", true, "run a scenario under several policies"},
      {"sweep", true, "run a scenario over values of one key, or of two"},
      {"experiment", true, "run experiments of papers, and put beside them what came of it"},
      {"validate", true, "check a scenario and whether it fits this machine"},
      {"policies", true, "list policies, or show what one is made of"},
      {"workloads", true, "list named workloads, or write one out as YAML"},
      {"doctor", true, "what Heddle needs, whether this machine has it, how to get it"},
      {"clean", true, "remove what runs that were killed have left"},
      {"verify", true, "compare a real run with its simulation"},
      {"replay", true, "check that a journal's events make the engine decide the same again"},
      {"resume", true, "go on with a run that was aborted"},
      {"report", true, "make an HTML report of results"},
      {"why", true, "explain why a job waited"},
      {"export", true, "write results in other formats"},
      {"trace", true, "write what each container of a run asked for and used over time"},
      {"import", true, "make a scenario of a workload trace"},
      {"train", true, "train the model of remaining times"},
      {"top", true, "watch a run that is going on"},
      {"keys", true, "make and list keys for runs over several hosts"},
      {"bench", true, "measure Heddle itself"},
  };
  return table;
}

const std::vector<CommandInfo>& benches() {
  static const std::vector<CommandInfo> table = {
      {"policy", false, "what decisions cost"},
      {"launch", false, "containers a second, from decision to end"},
      {"heartbeat", false, "workers that a master serves"},
      {"suspend", false, "from decision to stopped, and to running again"},
      {"fidelity", true, "tasks' times against their ideal"},
      {"sim", true, "what simulations cost, by scheduler and number of nodes"},
      {"io", false, "throughput and pacing of the data service"},
  };
  return table;
}

namespace {

std::string check(const std::string& what, const std::vector<CommandInfo>& table,
                  std::string_view word) {
  std::vector<std::string> built;
  std::vector<std::string> all;
  for (const CommandInfo& row : table) {
    if (row.built) built.push_back(row.name);
    all.push_back(row.name);
  }
  const std::string known = " (known: " + join(built) + ")";
  for (const CommandInfo& row : table)
    if (row.name == word)
      return row.built ? "" : what + " \"" + row.name + "\" is not built yet" + known;
  std::string near = nearest_word(word, all);
  return "unknown " + what + " \"" + std::string(word) + "\"" +
         (near.empty() ? "" : "; did you mean \"" + near + "\"?") + known;
}

}  // namespace

std::string check_command(std::string_view word) { return check("command", commands(), word); }
std::string check_bench(std::string_view word) { return check("bench", benches(), word); }

}  // namespace heddle
