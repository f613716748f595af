#include "yaml/write.h"

#include <algorithm>

#include "common/text.h"
#include "core/policy/own_options.h"
#include "yaml/conditions.h"
#include "yaml/jobs_table.h"
#include "yaml/keys.h"
#include "yaml/sections.h"
#include "yaml/text.h"

namespace heddle {
namespace {

using Text = std::optional<std::string>;

/// Returns the keys of a structure as lines, each after a line break and `indent`.
std::string block_text(const Keys& keys, const void* structure, const CountNames& counted,
                       const std::string& indent, const TextOf& text_of = {}) {
  std::string text;
  each_text(keys, structure, counted, text_of, [&](const Key& key, const std::string& value) {
    text += "\n" + indent + key.name + ":" + (value.starts_with('\n') ? "" : " ") + value;
  });
  return text;
}

/// Returns the members of a list as lines. `text_of` returns the text of a member, or "" if it is
/// not written.
std::string lines_text(const auto& members, const std::string& indent, const auto& text_of) {
  std::string text;
  for (const auto& member : members)
    if (const std::string line = text_of(member); !line.empty())
      text += "\n" + indent + "- " + line;
  return text;
}

// Jobs --------------------------------------------------------------------------------------------

/// Writes the entries of a phase's `each`: the keys that differ from the phase.
class EachWriter {
 public:
  explicit EachWriter(const TaskSpec& phase) : phase_(phase) {
    for (const Key& key : task_keys().all()) texts_.push_back(key.text_in(&phase));
  }
  std::string text(const TaskSpec& task) const {
    const bool follows = !task.usage.empty();
    const bool idles = task.pauses != phase_.pauses || task.pause != phase_.pause;
    return flow_text(task_keys(), &task, {}, [&](const Key& key) -> Text {
      if (follows && key.name != "usage" && key.name != "threads") return "";
      const std::string text = key.text_in(&task);
      // `cpu` must be written in two cases. If the phase has `usage`, `cpu` overrides it. If the
      // task is idle, `idle` requires `cpu`.
      const bool needed = key.name == "cpu" && (!phase_.usage.empty() || idles);
      return text != texts_[static_cast<std::size_t>(&key - task_keys().all().data())] || needed
                 ? text
                 : "";
    });
  }

 private:
  const TaskSpec& phase_;
  std::vector<std::string> texts_;  ///< of the phase, by key
};

std::string phase_text(const PhaseSpec& phase, const std::vector<PhaseSpec>& phases,
                       const ClusterSpec& cluster) {
  return flow_text(phase_keys(), &phase, cluster.resources, [&](const Key& key) -> Text {
    if (key.name == "after" && !phase.after.empty())
      return list_text(phase.after, [&](int index) {
        return name_text(phases[static_cast<std::size_t>(index)].name);
      });
    if (key.name == "output_limit") return phase.command.empty() ? "" : key.text_in(&phase);
    if ((key.name == "cpu" || key.name == "sleep") && !phase.usage.empty()) return "";
    if (key.name == "each" && !phase.each.empty()) {
      const EachWriter writer(phase);
      return list_text(phase.each, [&](const TaskSpec& task) { return writer.text(task); });
    }
    if (key.name == "prefer" && !phase.prefer.empty())
      return nodes_text(phase.prefer, cluster.nodes);
    return std::nullopt;
  });
}

std::string executors_text(const PhaseSpec& phase, const CountNames& counted) {
  ExecutorKeys keys;
  keys.sizes = {phase.tasks, phase.request.cores, phase.request.memory};
  keys.counts = phase.request.counts;
  keys.gang = phase.gang;
  keys.where = phase.where;
  keys.threads = phase.threads;
  keys.use = phase.memory;
  return flow_text(executor_keys(), &keys, counted);
}

/// Returns the text of a key of the job. `indent` is that of the key.
Text job_key_text(const Key& key, const JobSpec& job, const std::vector<JobSpec>& jobs,
                  const std::string& indent, const ClusterSpec& cluster) {
  const bool spark = job.framework == Framework::kSpark;
  if (key.name == "after" && !job.after.empty()) return conditions_text(job, jobs);
  if (key.name == "application_master")
    return job.has_am()
               ? flow_text(resources_keys(false), &job.phases.front().request, cluster.resources)
               : "none";
  if (key.name == "deploy" && !spark) return "";
  if (key.name == "executor_idle_timeout" && (!spark || job.deploy != Deploy::kDynamic)) return "";
  if (key.name == "executors" && spark) return executors_text(job.phases.back(), cluster.resources);
  if (key.name == "stages" && spark)
    return lines_text(job.stages, indent + "  ",
                      [](const StageSpec& stage) { return flow_text(stage_keys(), &stage); });
  if (key.name == "phases" && !spark)
    return lines_text(job.phases, indent + "  ", [&](const PhaseSpec& phase) {
      return phase.kind == PhaseKind::kAm ? "" : phase_text(phase, job.phases, cluster);
    });
  return std::nullopt;
}

// The scenario ------------------------------------------------------------------------------------

std::string policy_text(const PolicySpec& policy) {
  Flow flow;
  flow.add("preset", policy.preset);
  for (const auto& [key, value] : policy.options)
    if (!is_own_option(key)) flow.add(key, value);
  if (policy.external) flow.add("external", flow_text(external_keys(), &*policy.external));
  Flow own;
  for (const auto& [name, value] : own_options(policy)) own.add(name_text(name), value_text(value));
  if (!own.empty()) flow.add(std::string(kOwnOptions), own.map());
  return flow.map();
}

std::string model_text(const std::string& model) {
  if (model.empty()) return "";
  std::string quoted;
  for (char c : model) quoted += c == '\'' ? "''" : std::string(1, c);
  return "'" + quoted + "'";
}

std::string cluster_text(const ClusterSpec& cluster) {
  return block_text(cluster_keys(), &cluster, cluster.resources, "  ", [&](const Key& key) -> Text {
    if (key.name != "nodes") return std::nullopt;
    return lines_text(written_nodes(cluster.nodes), "    ", [&](const WrittenNode& written) {
      return written.count == 0 ? flow_text(node_keys(), &written.node, cluster.resources)
                                : flow_text(written_node_keys(), &written, cluster.resources);
    });
  });
}

std::string partition_text(const PartitionSpec& partition, const ClusterSpec& cluster) {
  const WrittenPartition written{partition, {}};
  return flow_text(partition_keys(), &written, {}, [&](const Key& key) -> Text {
    if (key.name != "nodes") return std::nullopt;
    return node_group_text(partition.nodes, cluster);
  });
}

std::string reservation_text(const ReservationSpec& reservation, const ClusterSpec& cluster) {
  const WrittenReservation written{reservation, {}, {}, {}};
  return flow_text(reservation_keys(), &written, {}, [&](const Key& key) -> Text {
    if (key.name != "nodes") return std::nullopt;
    return node_group_text(reservation.nodes, cluster);
  });
}

std::string load_text(const ExternalLoadSpec& load, const ClusterSpec& cluster) {
  return flow_text(external_load_keys(), &load, {}, [&](const Key& key) -> Text {
    return key.name == "node" ? Text(nodes_text(load.nodes, cluster.nodes)) : std::nullopt;
  });
}

std::string fault_text(const FaultSpec& fault, const Scenario& scenario) {
  return flow_text(fault_keys(), &fault, {}, [&](const Key& key) -> Text {
    if (key.name == "fault") return std::nullopt;
    if (!applies(key.name, fault.kind)) return "";
    if (key.name == "node" && !fault.nodes.empty())
      return nodes_text(fault.nodes, scenario.cluster.nodes);
    if (!fault.job) return std::nullopt;
    const JobSpec& job = scenario.jobs[fault.job->value];
    if (key.name == "job") return name_text(job.name);
    if (key.name == "phase" && fault.phase) return name_text(job.phases[*fault.phase].name);
    return std::nullopt;
  });
}

/// Returns the text of a key of the scenario that is not written as a map on one line.
Text scenario_key_text(const Key& key, const Scenario& scenario) {
  const std::string& name = key.name;
  if (name == "heddle") return "1";
  if (name == "emulation") return block_text(*key.map, &scenario, {}, "  ");
  if (name == "cluster") return cluster_text(scenario.cluster);
  if (name == "policy") return policy_text(scenario.policy);
  if (name == "remaining_model") return model_text(scenario.remaining_model);
  if (name == "queues")
    return lines_text(scenario.queues, "  ", [&](const QueueSpec& queue) {
      return flow_text(queue_keys(), &queue, scenario.cluster.resources);
    });
  if (name == "accounts")
    return lines_text(scenario.accounts, "  ", [](const AccountSpec& account) {
      return flow_text(account_keys(), &account);
    });
  if (name == "partitions")
    return lines_text(scenario.partitions, "  ", [&](const PartitionSpec& partition) {
      return partition_text(partition, scenario.cluster);
    });
  if (name == "qos")
    return lines_text(scenario.qos, "  ",
                      [](const QosSpec& qos) { return flow_text(qos_keys(), &qos); });
  if (name == "reservations")
    return lines_text(scenario.reservations, "  ", [&](const ReservationSpec& reservation) {
      return reservation_text(reservation, scenario.cluster);
    });
  if (name == "typical_requests")
    return lines_text(scenario.typical_requests, "  ", [&](const TypicalRequest& request) {
      return flow_text(typical_request_keys(), &request, scenario.cluster.resources);
    });
  if (name == "external_load")
    return lines_text(scenario.external_load, "  ", [&](const ExternalLoadSpec& load) {
      return load_text(load, scenario.cluster);
    });
  if (name == "faults")
    return lines_text(scenario.faults, "  ",
                      [&](const FaultSpec& fault) { return fault_text(fault, scenario); });
  return std::nullopt;
}

}  // namespace

std::string write_work(const JobSpec& job, const std::string& indent, const ClusterSpec& cluster) {
  bool work = false;
  const std::string text = block_text(job_keys(), &job, {}, indent, [&](const Key& key) -> Text {
    work = work || key.name == "application_master";
    return work ? job_key_text(key, job, {}, indent, cluster) : "";
  });
  return text.substr(1) + "\n";
}

std::string write_job(const JobSpec& job, const std::vector<JobSpec>& jobs,
                      const ClusterSpec& cluster) {
  const std::string keys = block_text(job_keys(), &job, {}, "    ", [&](const Key& key) {
    return job_key_text(key, job, jobs, "    ", cluster);
  });
  return "  - " + keys.substr(std::string_view("\n    ").size()) + "\n";
}

std::string write_jobs(const std::vector<JobSpec>& jobs, const ClusterSpec& cluster) {
  std::string text;
  for (const JobSpec& job : jobs) text += write_job(job, jobs, cluster);
  return text;
}

std::string write_scenario(const Scenario& scenario) {
  const std::string text =
      block_text(scenario_keys(), &scenario, {}, "",
                 [&](const Key& key) { return scenario_key_text(key, scenario); })
          .substr(1) +
      "\n";
  if (scenario.jobs.size() > kMostListedJobs &&
      std::ranges::all_of(scenario.jobs, [](const JobSpec& job) { return fits_table(job); }))
    return text + "jobs: {table: " + std::to_string(scenario.jobs.size()) + "}\n...\n" +
           write_jobs_table(scenario.jobs, scenario.cluster.resources);
  return text + "jobs:\n" + write_jobs(scenario.jobs, scenario.cluster);
}

}  // namespace heddle
