#include "trace/import/slurm_jobs.h"

#include <algorithm>
#include <cmath>
#include <string_view>
#include <utility>

namespace heddle::trace::slurm {

bool goes_on(const std::string& state) {
  constexpr std::string_view kStates[] = {"",          "BOOT_FAIL", "NODE_FAIL",
                                          "PREEMPTED", "REQUEUED",  "RESIZING"};
  return std::ranges::find(kStates, state) != std::end(kStates);
}

Shape shape_of(const Run& run, bool as_it_ran) {
  const double nodes = run.nodes.value_or(0);
  const bool by_node = (run.whole_nodes || as_it_ran) && nodes >= 1 &&
                       std::fmod(run.cpus, nodes) == 0 && std::fmod(run.gpus, nodes) == 0;
  const double tasks = by_node ? nodes : run.gpus > 0 ? run.gpus : run.cpus;
  return {tasks, std::floor(run.cpus * 1000 / tasks) / 1000, run.gpus / tasks};
}

void Peak::add(double start, double end, const Held& held) {
  if (end <= start) return;
  changes_.push_back({start, 1, held});
  changes_.push_back({end, -1, held});
}

Held Peak::most() {
  // At the same time, ends are before starts.
  std::ranges::sort(changes_, {},
                    [](const Change& change) { return std::pair(change.at, change.sign); });
  Held now, most;
  for (const Change& change : changes_)
    for (double Held::*amount : {&Held::cpus, &Held::bytes, &Held::gpus}) {
      now.*amount += change.sign * (change.held.*amount);
      most.*amount = std::max(most.*amount, now.*amount);
    }
  return most;
}

}  // namespace heddle::trace::slurm
