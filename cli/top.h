#pragma once

#include <string>

namespace heddle {

/// `heddle top`: shows a run that is going on until it ends or the user leaves; the exit status.
/// `address`: see choose_run. Without a terminal: plain lines.
int top_command(const std::string& address);

}  // namespace heddle
