#include "cli/base/command_table.h"

#include "common/text.h"
#include "core/scenario/yaml/field.h"

namespace heddle::cli {

const std::vector<CommandInfo>& commands() {
  static const std::vector<CommandInfo> table = {
      {"run", "run a scenario for real and write its results"},
      {"simulate", "run a scenario in virtual time"},
      {"compare", "run a scenario under several policies"},
      {"sweep", "run a scenario over values of one key, or of two"},
      {"experiment", "run experiments of papers, and put beside them what came of it"},
      {"league", "simulate every policy on many scenarios and rank them"},
      {"validate", "check a scenario and whether it fits this machine"},
      {"policies", "list policies, or show what one is made of"},
      {"workloads", "list named workloads, or write one out as YAML"},
      {"doctor", "what Heddle needs, whether this machine has it, how to get it"},
      {"clean", "remove what runs that were killed have left"},
      {"verify", "compare a real run with its simulation"},
      {"replay", "check that a journal's events make the engine decide the same again"},
      {"resume", "go on with a run that was aborted"},
      {"report", "make an HTML report of results"},
      {"why", "explain why a job waited"},
      {"export", "write results in other formats"},
      {"trace", "write what each container of a run asked for and used over time"},
      {"import", "make a scenario of a workload trace"},
      {"train", "train the model of remaining times"},
      {"top", "watch a run that is going on"},
      {"keys", "make and list keys for runs over several hosts"},
      {"bench", "measure Heddle itself"},
  };
  return table;
}

const std::vector<CommandInfo>& benches() {
  static const std::vector<CommandInfo> table = {
      {"policy", "what decisions cost"},
      {"launch", "containers a second, from decision to end"},
      {"heartbeat", "workers that a master serves"},
      {"suspend", "from decision to stopped, and to running again"},
      {"fidelity", "tasks' times against their ideal"},
      {"sim", "what simulations cost, by scheduler and number of nodes"},
      {"start", "starting and interrupting runs of many nodes"},
      {"io", "throughput and pacing of the data service"},
  };
  return table;
}

std::string check_word(const std::string& what, const std::vector<CommandInfo>& table,
                       std::string_view word) {
  std::vector<std::string> all;
  for (const CommandInfo& row : table) {
    if (row.name == word) return "";
    all.push_back(row.name);
  }
  return with_nearest("unknown " + what + " \"" + std::string(word) + "\"", word, all) +
         " (known: " + join(all) + ")";
}

}  // namespace heddle::cli
