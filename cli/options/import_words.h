#pragma once

#include "cli/trace/commands.h"
#include "cli/trace/whatif.h"
#include "common/command_line/command_line.h"

namespace heddle::cli {

/// Adds the arguments and options of `heddle import`.
void add_import_words(Command word, ImportWords& import);
/// Adds the arguments and options of `heddle whatif`.
void add_whatif_words(Command word, WhatifOptions& whatif);

}  // namespace heddle::cli
