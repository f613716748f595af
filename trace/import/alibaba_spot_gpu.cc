// Reads job_info_df.csv of Alibaba's cluster-trace-v2026-spot-gpu
// (https://github.com/alibaba/clusterdata). Another file can be node_info_df.csv of the same trace,
// whose nodes become the cluster. A job becomes a rigid job of `worker_num` tasks that take its
// duration, with the user `organization` and the queue `job_type`. High-priority jobs have the
// priority 1. Workers ask for whole GPUs of their job's model.

#include <algorithm>

#include "core/scenario/quantity_text.h"
#include "trace/import/gpus.h"
#include "trace/import/importer.h"

namespace heddle::trace {
namespace alibaba_spot_gpu {
namespace {

constexpr int kDefaultNodes = 100;
constexpr int kDefaultGpus = 8;
constexpr double kDefaultCores = 128, kMostCores = 1e4, kMostWorkers = 1e6;

struct Row {
  std::string_view id, user, queue, model;
  std::optional<double> submit, duration, workers, cores, gpus;
};
constexpr Column<Row> kJobColumns[] = {
    column<&Row::id>("job_name", kId),
    column<&Row::user>("organization", kText.optional()),
    column<&Row::queue>("job_type", kText),
    column<&Row::submit>("submit_time", kSubmission),
    column<&Row::duration>("duration", {.least = 0,
                                        .most = kMostSeconds,
                                        .blank = left_out(kNeverRan),
                                        .wrong = left_out(kUnreadable),
                                        .below = left_out(kNeverRan),
                                        .above = left_out(kUnreadable)}),
    column<&Row::workers>("worker_num", {.least = kPositive,
                                         .most = kMostWorkers,
                                         .whole = true,
                                         .blank = missing_if_kept(kMissing),
                                         .wrong = missing_if_kept(kNoNumber),
                                         .below = missing_if_kept(kMissing),
                                         .above = left_out(kUnreadable),
                                         .fraction = nearest(kFraction, true)}),
    column<&Row::cores>("cpu_request", figure(kMostCores)),
    column<&Row::gpus>("gpu_request", kIfKnown),
    column<&Row::model>("gpu_model", kText.optional())};
constexpr Table<Row> kJobs{kJobColumns};

struct Node {
  std::string_view name, model;
  std::optional<double> cores, gpus;
};
constexpr Column<Node> kNodeColumns[] = {column<&Node::name>("node_name"),
                                         column<&Node::cores>("cpu_num", figure(kMostCores)),
                                         column<&Node::gpus>("gpu_capacity_num", kIfKnown),
                                         column<&Node::model>("gpu_model", kText.optional())};
constexpr Table<Node> kNodes{kNodeColumns};

bool is_job_list(std::string_view head) { return has_columns(kJobs, head); }

class Reader : public Importer {
 public:
  using Importer::Importer;

  Imported read() {
    lists_nodes_ = std::ranges::any_of(files_, [](Input& file) {
      return !is_job_list(file.head()) && has_columns(kNodes, file.head());
    });
    for (Input& file : files_) {
      if (is_job_list(file.head()))
        read_rows(file, kJobs, [&](const Row& row) { read_job(row); });
      else if (has_columns(kNodes, file.head()))
        read_rows(file, kNodes, [&](const Node& node) { read_node(node); });
      else
        refuse(file,
               "its first line is not the header of job_info_df.csv or node_info_df.csv; expected "
               "job_name,organization,… or gpu_model,gpu_capacity_num,cpu_num,node_name");
    }
    const double cores = options_.cores ? to_cores(*options_.cores) : kDefaultCores;
    Imported imported =
        made(&rigid_frame,
             nodes_.empty()
                 ? equal_cluster(kDefaultNodes, request_of(cores, {}), "",
                                 "--nodes, --cores, --memory, or node_info_df.csv as another file")
                 : cluster_of(nodes_, "the list of " + counted(std::ssize(nodes_), "node")));
    report_.state("the trace has no memory; tasks request " +
                  print_bytes(options_.memory_per_core) + " for each core (--memory-per-core)");
    if (gpu_jobs_ > 0)
      gpus_.give(imported.scenario.cluster, kDefaultGpus, counted(gpu_jobs_, "job"), report_);
    state_work();
    return imported;
  }

 private:
  void read_job(const Row& row) {
    const auto submit = row.submit ? row.submit : submission_above();
    if (!submit) return;
    if (!is_new(row.id)) return repaired(kDuplicate);
    if (*row.duration == 0) repaired(kZeroTime);
    submitted(*submit);
    kept();
    const auto gpus = Gpus::amount(row.gpus.value_or(0));
    if (!gpus) repaired(kUnclearGpus);
    const bool asks = gpus > Thousandths(0);
    gpu_jobs_ += asks;
    const auto where = asks && lists_nodes_ ? Gpus::one_of(row.model) : Where();
    if (!where) repaired(kUnclearModel);
    add(row.id, row.user, row.queue, emu_seconds(*submit), [&](JobSpec& job) {
      job.priority = row.queue == "HP" ? 1 : 0;
      PhaseSpec& phase = add_phase(job, "workers", request_of(row.cores, {}),
                                   std::max(row.workers.value_or(1), 1.0));
      phase.request.counts.set(0, gpus.value_or(Thousandths(0)));
      phase.where = where.value_or(Where());
      set_work(phase, *row.duration, phase.request);
      make_rigid(job);
    });
  }

  void read_node(const Node& node) {
    kept();
    nodes_.push_back(request_of(node.cores.value_or(kDefaultCores), {}));
    gpus_.add_machine(node.gpus.value_or(0), node.model);
    check_machines(nodes_.size(), "nodes");
  }

  std::vector<Resources> nodes_;
  Gpus gpus_;
  bool lists_nodes_ = false;
  std::int64_t gpu_jobs_ = 0;
};

}  // namespace
}  // namespace alibaba_spot_gpu

const FormatCode formats::alibaba_spot_gpu_2026{
    &alibaba_spot_gpu::is_job_list, &import_with<alibaba_spot_gpu::Reader>, kUsersAndQueues};

}  // namespace heddle::trace
