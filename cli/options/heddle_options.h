#pragma once

#include <map>
#include <string>
#include <vector>

#include "cli/archive/commands.h"
#include "cli/machine/keys.h"
#include "cli/manage/commands.h"
#include "cli/manage/manage.h"
#include "cli/options/batch_words.h"
#include "cli/results/commands.h"
#include "cli/run/run.h"
#include "cli/run/show.h"
#include "cli/serve/serve.h"
#include "cli/top/top.h"
#include "cli/trace/commands.h"
#include "cli/trace/whatif.h"
#include "common/command_line/command_line.h"
#include "common/result.h"

namespace heddle::cli {

/// The command line of heddle: all commands, and their options. Commands share options of the same
/// name, because a command line has one command.
struct HeddleOptions {
  HeddleOptions();

  CommandLine line;
  RunOptions run;
  bool episodes = false, developer = false;
  BatchOptionSet batch;
  ExportOptions exported;
  TraceOptions trace;
  TrainOptions train;
  ImportWords imported;
  WhatifOptions whatif;
  LsOptions ls;
  ShowOptions show;
  RmOptions rm;
  ServeOptions serve;
  TopOptions top;
  KeysOptions keys;
  WorkloadQuery workload;
  ReportOptions report;
  PlotOptions plot;
  DiffOptions diff;
  ArchiveOptions archive;
  ReproduceOptions reproduce;
  std::vector<std::string> cited;
  WhyOptions why;
  std::string name;                    ///< policies, replay
  std::vector<std::string> verified;   ///< verify
  std::vector<std::string> described;  ///< help
  std::vector<std::string> bench;      ///< all words after bench
  std::string shell;                   ///< completion
};

/// Carries out a command. Returns the exit status.
using CommandFunction = Result<int> (*)(const HeddleOptions& options);
/// Functions of commands by their names, such as "run" and "keys make".
using CommandFunctions = std::map<std::string, CommandFunction>;

/// Reads the command line and carries out its command. If the command belongs to another program
/// (CommandInfo::program), replaces this process with that program. `program`: the name of this
/// program, which has all `functions`. Returns the exit status.
int run_command_line(const std::string& program, const CommandFunctions& functions, int argc,
                     char** argv);

/// Replaces this process with the program of Heddle of that name. `argv`: its arguments; the last
/// is null. Returns kExitMachine if the program cannot be executed.
int execute_program(const std::string& name, char* const* argv);

}  // namespace heddle::cli
