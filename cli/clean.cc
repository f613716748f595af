#include "cli/clean.h"

#include <cstdio>

#include "cgroup/home.h"
#include "cli/exit_status.h"
#include "cli/leftovers.h"
#include "cli/run_dir.h"

namespace heddle {

int clean_command() {
  std::vector<std::string> bases = base_directories();
  Swept swept = sweep_dead_runs(bases);
  Result<cgroup::Home> home = cgroup::find_home(std::nullopt);
  if (home) {
    sweep_stray_groups(*home->driver, bases, swept);
    cgroup::leave_home(*home);
  } else {
    // Where no run could live there is nothing to find.
    say("control groups were not searched: " + home.error().text);
  }
  for (const std::string& what : swept.removed) std::printf("removed %s\n", what.c_str());
  for (const std::string& what : swept.failed) say("could not remove " + what);
  for (const std::vector<std::string>* left : {&swept.held, &swept.left})
    for (const std::string& what : *left) std::printf("left alone: %s\n", what.c_str());
  if (swept.live > 0)
    std::printf("%d running, left alone\n", swept.live);
  else if (swept.removed.empty() && swept.failed.empty() && swept.held.empty() &&
           swept.left.empty())
    std::printf("nothing to clean\n");
  return swept.failed.empty() ? kExitDone : kExitMachine;
}

}  // namespace heddle
