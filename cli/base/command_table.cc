#include "cli/base/command_table.h"

#include <algorithm>
#include <cassert>

#include "common/text.h"

namespace heddle::cli {

namespace {

/// Exit statuses of commands that run no jobs.
constexpr const char* kNoJobs =
    "Exit status: 0 done; 2 bad usage or input; 3 something on this machine is missing; 4 a file "
    "is "
    "damaged or cannot be written; 130 interrupted.";

/// Returns the entry of the table; null: there is none.
const CommandInfo* entry_of(const std::vector<CommandInfo>& table, std::string_view name) {
  const auto found = std::ranges::find(table, name, &CommandInfo::name);
  return found == table.end() ? nullptr : &*found;
}

}  // namespace

const std::vector<CommandInfo>& commands() {
  static const std::vector<CommandInfo> table = {
      {"demo", "compare three policies on a small example, and say what to look at", "",
       "heddle-batch"},
      {"run", "run a scenario for real and write its results"},
      {"simulate", "run a scenario in virtual time"},
      {"compare", "run a scenario under several policies", "", "heddle-batch"},
      {"sweep", "run a scenario over values of one key, or of two", "", "heddle-batch"},
      {"experiment", "run comparisons and check claims of papers against the results", "",
       "heddle-batch"},
      {"cell", "make one run of a plan, or several", "", "heddle-batch"},
      {"gather", "make the results of a plan from the runs that are done", "", "heddle-batch"},
      {"status", "show how far the runs of a plan are", "", "heddle-batch"},
      {"league", "simulate every policy on many scenarios and rank the policies", "",
       "heddle-batch"},
      {"validate", "check a scenario and whether it fits this machine", kNoJobs},
      {"policies", "list policies, or describe a policy, a part or an option", kNoJobs},
      {"workloads", "list named workloads, or print one as YAML", kNoJobs},
      {"doctor", "check what Heddle needs on this machine, and how to get what is missing",
       "Exit status: 0 this machine has all that Heddle needs; 2 bad usage; 3 something is "
       "missing."},
      {"clean", "remove what killed runs left behind", kNoJobs},
      {"diff", "show what differs between two runs", kNoJobs, "heddle-manage"},
      {"verify", "compare a real run with its simulation", kNoJobs},
      {"replay", "check that a journal's events lead to the same decisions again",
       "Exit status: 0 the decisions are the same; 1 they differ; 2 bad usage or input; 4 the "
       "journal "
       "is damaged.",
       "heddle-manage"},
      {"resume", "resume a run that was killed or interrupted"},
      {"ls", "list results", kNoJobs, "heddle-manage"},
      {"show", "print again what a command printed about its results", kNoJobs, "heddle-manage"},
      {"rm", "remove results", kNoJobs, "heddle-manage"},
      {"report", "make an HTML report of results", kNoJobs, "heddle-manage"},
      {"plot", "draw a figure of results for a paper", kNoJobs, "heddle-manage"},
      {"cite", "print BibTeX entries of Heddle and of the papers whose policies results used",
       kNoJobs, "heddle-manage"},
      {"archive", "write results into a file with which others can reproduce them", kNoJobs,
       "heddle-batch"},
      {"reproduce", "make the results of an archive again, and say whether they are the same",
       "Exit status: 0 everything is reproduced; 1 something differs; 2 bad usage or archive; 3 "
       "this "
       "machine cannot make a result, or other programs affected it; 4 a run ended early; 130 "
       "interrupted.",
       "heddle-batch"},
      {"why", "explain why a job waited", kNoJobs},
      {"export", "write results in other formats", kNoJobs, "heddle-manage"},
      {"trace", "write what each container requested and used over time", kNoJobs, "heddle-trace"},
      {"import", "make a scenario from a workload trace", kNoJobs, "heddle-trace"},
      {"whatif",
       "calibrate a simulation with a cluster's log, and say who wins and loses by changes", "",
       "heddle-trace"},
      {"train", "train the model that predicts remaining times of reduces", kNoJobs,
       "heddle-trace"},
      {"top", "watch a run that is running", kNoJobs, "heddle-top"},
      {"serve", "show results and running runs in a browser", kNoJobs, "heddle-serve"},
      {"keys", "make and list keys for runs over several hosts", kNoJobs},
      {"bench", "measure Heddle itself", "", "heddle-bench"},
      {"help", "show the help of a command", kNoJobs},
      {"version", "show the version, its commit and how it was built", kNoJobs},
      {"completion", "print the script by which a shell completes commands", kNoJobs},
  };
  return table;
}

const std::vector<CommandInfo>& benches() {
  static const std::vector<CommandInfo> table = {
      {"policy", "measure what decisions cost"},
      {"external", "measure what the messages of external policies cost"},
      {"launch", "measure how many containers a second start and end"},
      {"heartbeat", "measure how many workers a master serves"},
      {"suspend", "measure how long suspending and resuming a container takes"},
      {"fidelity", "measure how exact the times of tasks are"},
      {"sim", "measure what simulations cost, by scheduler and number of nodes"},
      {"start", "measure starting and interrupting runs of many nodes"},
      {"io", "measure throughput and pacing of the data service"},
  };
  return table;
}

std::string check_word(const std::string& what, const std::vector<CommandInfo>& table,
                       std::string_view word) {
  if (entry_of(table, word)) return "";
  std::vector<std::string> all;
  for (const CommandInfo& row : table) all.push_back(row.name);
  return with_nearest("unknown " + what + " \"" + std::string(word) + "\"", word, all) +
         " (known: " + join(all) + ")";
}

std::string program_of(const std::string& command) {
  const CommandInfo* info = entry_of(commands(), command.substr(0, command.find(' ')));
  assert(info);
  return info->program;
}

Command add_word(Command above, const std::vector<CommandInfo>& table, const std::string& name) {
  const CommandInfo* info = entry_of(table, name);
  assert(info);
  const Command word = above.add_subcommand(name, info->summary);
  if (!info->statuses.empty()) word.footer(info->statuses);
  return word;
}

}  // namespace heddle::cli
