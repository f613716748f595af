#include "cli/machine/clean.h"

#include <iostream>

#include "cgroup/home.h"
#include "cli/base/exit_status.h"
#include "host/leftovers.h"
#include "host/run_directory.h"

namespace heddle::cli {

int clean_command() {
  std::vector<std::string> bases = host::base_directories();
  host::Swept swept = host::sweep_dead_runs(bases);
  Result<cgroup::Home> home = cgroup::find_home(std::nullopt);
  if (home) {
    host::sweep_stray_groups(*home->driver, bases, swept);
    cgroup::leave_home(*home);
  } else {
    // If this machine has no place for control groups, no run can have left any.
    say("control groups were not searched: " + home.error().text);
  }
  for (const std::string& what : swept.removed) std::cout << "removed " << what << '\n';
  for (const std::string& what : swept.failed) say("could not remove " + what);
  for (const std::vector<std::string>* left : {&swept.held, &swept.left})
    for (const std::string& what : *left) std::cout << "left alone: " << what << '\n';
  if (swept.live > 0)
    std::cout << swept.live << " running, left alone\n";
  else if (swept.removed.empty() && swept.failed.empty() && swept.held.empty() &&
           swept.left.empty())
    std::cout << "nothing to clean\n";
  return swept.failed.empty() ? kExitDone : kExitMachine;
}

}  // namespace heddle::cli
