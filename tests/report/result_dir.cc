#include "tests/report/result_dir.h"

#include <gtest/gtest.h>

#include <fstream>
#include <utility>

#include "tests/support/cluster.h"
#include "tests/support/job.h"

namespace heddle::report {
namespace {

PhaseSpec phase(const std::string& name, PhaseKind kind, int tasks, std::vector<int> after = {}) {
  return phase_of(name, kind, tasks, {Millicores(1000), EmuBytes(100)}, std::move(after));
}

JobSpec job(const std::string& name, const std::string& user, const char* queue, double submit,
            std::vector<PhaseSpec> phases) {
  JobSpec spec = in_queue(queue, job_of(name, std::move(phases), submit));
  spec.user = user;
  return spec;
}

std::string launch(double t, int step, int container, int job, int phase, int task, int attempt,
                   int node, const std::string& more = "") {
  wire::Json json = {{"type", "launch"}, {"container", container},
                     {"job", job},       {"phase", phase},
                     {"task", task},     {"attempt", attempt},
                     {"node", node},     {"cores", 1},
                     {"memory", 100},    {"t", t},
                     {"step", step}};
  json["work"] = {
      {"cpu_core_s", 4}, {"threads", 1}, {"sleep_s", 0}, {"memory", wire::Json::array()}};
  std::string text = json.dump();
  return text.insert(text.size() - 1, more);
}

std::string started(double t, int container) {
  return wire::Json({{"type", "container_started"},
                     {"container", container},
                     {"launch_ms", 2.5},
                     {"t", t},
                     {"step", 3}})
      .dump();
}

std::string ended(double t, int container, const std::string& outcome, double cpu_s,
                  std::int64_t peak, double byte_s, const std::string& oom = "none",
                  int exit_code = 0, const std::string& reason = "") {
  return wire::Json({{"type", "container_ended"},
                     {"container", container},
                     {"outcome", outcome},
                     {"oom", oom},
                     {"exit_code", exit_code},
                     {"reason", reason},
                     {"cpu_core_s", cpu_s},
                     {"peak_memory", peak},
                     {"peak_method", oom == "none" ? "kernel" : "limit"},
                     {"memory_byte_s", byte_s},
                     {"ideal_s", 4},
                     {"contended", true},
                     {"host_lost_s", 0.25},
                     {"t", t},
                     {"step", 4}})
      .dump();
}

}  // namespace

Scenario small_scenario() {
  Scenario s;
  s.name = "small";
  s.seed = 18446744073709551615ULL;
  s.emulation.core_fraction = 0.1;
  s.emulation.memory_scale = 0.5;
  const Resources size{Millicores(4000), EmuBytes(1000)};
  s.cluster.nodes = {node_of("n1", size), node_of("n2", size, 0.5)};
  for (NodeSpec& node : s.cluster.nodes) node.rack = "r1";
  s.queues = {queue_of("default"), queue_of("other")};
  s.jobs = {job("sort", "ann", "default", 0,
                {phase("map", PhaseKind::kMap, 2), phase("reduce", PhaseKind::kReduce, 1, {0})}),
            job("mix-1-late", "bob", "other", 5, {phase("map", PhaseKind::kMap, 1)}),
            job("never", "ann", "default", 50, {phase("map", PhaseKind::kMap, 1)})};
  s.faults = {fault_of(FaultKind::kSlowNode, {NodeId{0}, NodeId{1}}, 0),
              fault_of(FaultKind::kFreezeWorker, {NodeId{1}}, 0, 3),
              fault_of(FaultKind::kKillMaster, {}, 0),
              fault_of(FaultKind::kKillWorker, {NodeId{1}}, 0)};
  return s;
}

std::vector<std::string> small_journal() {
  return {
      R"({"type":"run","heddle_version":"0.1.0","run":"9a6f2bd3","scenario":"small","mode":"real",)"
      R"("journal":"full","seed":3,"policy":{"preset":"fifo"},"jobs":[],"nodes":[]})",
      R"({"type":"node_registered","node":0,"t":0,"step":0})",
      R"({"type":"node_registered","node":1,"t":0,"step":0})",
      launch(0.5, 1, 0, 0, 0, 0, 1, 0, R"(,"reason":"fits","locality":"local")"),
      launch(0.5, 1, 1, 0, 0, 1, 1, 1),
      started(1, 0),
      started(1, 1),
      R"({"type":"external_load","node":1,"cores":1.5,"memory":70,"t":2,"step":3})",
      R"({"type":"fault","fault":0,"kind":"slow-node","node":0,"t":2})",
      R"({"type":"fault","fault":0,"kind":"slow-node","node":1,"t":2})",
      R"({"type":"inputs_read","container":0,"t":2,"step":3})",
      R"({"type":"reserve","job":0,"phase":1,"node":0,"reason":"no room, but \"soon\"","t":3,)"
      R"("step":4})",
      R"({"type":"policy_state","about":"dress.job","job":0,"category":1,"of":2,"t":3,"step":4})",
      R"({"type":"fault","fault":1,"kind":"freeze-worker","node":1,"t":4})",
      ended(5, 0, "completed", 4, 60, 200),
      launch(5, 5, 2, 0, 1, 0, 1, 0),
      started(6, 2),
      R"({"type":"fault","fault":0,"kind":"slow-node","node":0,"ends":true,"t":6})",
      R"({"type":"suspend","container":2,"reason":"starved","t":7,"step":6})",
      R"({"type":"container_suspended","container":2,"stop_ms":0.75,"t":7,"step":7})",
      R"({"type":"action_refused","action":"launch","reason":"no room","by":"engine","t":7,)"
      R"("step":7})",
      R"({"type":"resume","container":2,"reason":"","t":9,"step":8})",
      R"({"type":"container_resumed","container":2,"t":9,"step":9})",
      ended(9, 1, "completed", 8, 50, 400),
      ended(10, 2, "oom_killed", 1, 100, 300, "container", 137, "over its limit"),
      launch(10, 10, 3, 0, 1, 0, 2, 0),
      launch(10, 10, 4, 1, 0, 0, 1, 1),
      started(11, 3),
      started(11, 4),
      R"({"type":"fault","fault":2,"kind":"kill-master","t":12})",
      R"({"type":"resumed","downtime_s":0.25,"t":12})",
      R"({"type":"fault","fault":3,"kind":"kill-worker","node":1,"t":12.5})",
      ended(13, 3, "completed", 2, 70, 140),
      R"({"type":"job_finished","job":0,"state":"completed","reason":"","t":13,"step":11})",
      R"({"type":"kill","container":4,"reason":"preempted, \"late\"","t":14,"step":12})",
      ended(14, 4, "lost", 0, 0, 0),
      R"({"type":"node_lost","node":1,"reason":"silent","t":14,"step":12})",
      R"({"type":"job_finished","job":1,"state":"failed","reason":"a node, lost","t":14,"step":12})",
      R"({"type":"end","status":"interrupted","reason":"interrupted","t":15})",
  };
}

std::vector<std::string> small_samples() {
  return {R"({"t":2,"node":0,"cpu_cores":0.5,"memory":40,"containers":[[0,1,40,0.25]]})",
          R"({"t":2,"node":1,"cpu_cores":0,"memory":0,"containers":[]})",
          R"({"t":3,"node":0,"cpu_cores":1,"memory":50,"containers":[[0,2,50,0.5,7,9]]})"};
}

std::string lines(const std::vector<std::string>& all) {
  std::string text;
  for (const std::string& line : all) text += line + "\n";
  return text;
}

ResultDir::ResultDir() {
  write("journal.jsonl", lines(small_journal()));
  write("samples.jsonl", lines(small_samples()));
}

void ResultDir::write(const std::string& name, const std::string& text) const {
  std::ofstream(*this / name, std::ios::binary | std::ios::trunc) << text;
}

RunHistory ResultDir::history() const {
  Result<RunHistory> history = read_history(path(), small_scenario());
  EXPECT_TRUE(history) << (history ? "" : history.error().text);
  return history ? *std::move(history) : RunHistory{};
}

}  // namespace heddle::report
