#include "tests/support/job.h"

#include <utility>

namespace heddle {

PhaseSpec phase_of(const std::string& name, int tasks, const Resources& request, double sleep_s) {
  PhaseSpec phase;
  phase.name = name;
  phase.tasks = tasks;
  phase.request = request;
  phase.sleep = {Drawn::Dist::kConstant, sleep_s * 1e6, 0};
  return phase;
}

PhaseSpec phase_of(const std::string& name, PhaseKind kind, int tasks, const Resources& request,
                   std::vector<int> after) {
  PhaseSpec phase = phase_of(name, tasks, request);
  phase.kind = kind;
  phase.after = std::move(after);
  return phase;
}

JobSpec job_of(const std::string& name, std::vector<PhaseSpec> phases, double submit_s) {
  JobSpec job;
  job.name = name;
  job.submit = emu_seconds(submit_s);
  job.phases = std::move(phases);
  return job;
}

JobSpec job_of(const std::string& name, double submit_s, int tasks, double cores, double gib,
               double seconds) {
  return job_of(name, {phase_of("map", tasks, size_of(cores, gib), seconds)}, submit_s);
}

JobSpec in_queue(const char* name, JobSpec job) {
  job.queue = name;
  return job;
}

void add_reduces(JobSpec& job, int tasks, double cores, double gib, double seconds) {
  PhaseSpec reduce = phase_of("reduce", tasks, size_of(cores, gib), seconds);
  reduce.kind = PhaseKind::kReduce;
  reduce.after = {static_cast<int>(job.phases.size()) - 1};
  job.phases.push_back(reduce);
}

void add_master(JobSpec& job, double cores, double gib) {
  for (PhaseSpec& phase : job.phases)
    for (int& before : phase.after) ++before;
  job.phases.insert(job.phases.begin(), phase_of("am", PhaseKind::kAm, 1, size_of(cores, gib)));
}

FaultSpec fault_of(FaultKind kind, std::vector<NodeId> nodes, double at_s,
                   std::optional<double> lasts_s) {
  FaultSpec fault;
  fault.kind = kind;
  fault.nodes = std::move(nodes);
  fault.at = emu_seconds(at_s);
  if (lasts_s) fault.lasts = emu_seconds(*lasts_s);
  return fault;
}

}  // namespace heddle
