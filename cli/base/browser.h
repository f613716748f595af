#pragma once

#include <string>
#include <vector>

#include "common/result.h"

namespace heddle::cli {

/// Facts from which browser_command() chooses a browser.
struct BrowserQuestion {
  std::string browser;   ///< $BROWSER: commands, separated by colons; "" if not set
  bool display = false;  ///< whether $DISPLAY or $WAYLAND_DISPLAY is set
};

/// Returns the program and arguments that open `page`, a path or URL. The first command of $BROWSER
/// is used, even without a display, because it can reach a browser elsewhere or draw in a terminal
/// of its own. In this command, %s stands for the page; without %s, the page is the last argument.
/// If $BROWSER is not set, the command is xdg-open. Error (kMachine): there is neither $BROWSER nor
/// a display.
Result<std::vector<std::string>> browser_command(const BrowserQuestion& question,
                                                 const std::string& page);

/// Opens a file or URL in the user's browser. The browser is detached from this process: it has its
/// own session and gets no terminal, and nothing waits for it. If this process was started by root
/// through sudo, the browser runs as the user who called sudo. If no browser can be started, says
/// why and how to open the page.
void open_in_browser(const std::string& path_or_url);

}  // namespace heddle::cli
