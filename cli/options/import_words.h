#pragma once

#include "cli/trace/commands.h"
#include "common/command_line/command_line.h"

namespace heddle::cli {

/// Adds the arguments and options of `heddle import`.
void add_import_words(Command word, ImportWords& import);

}  // namespace heddle::cli
