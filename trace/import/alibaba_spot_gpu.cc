// Reads job_info_df.csv of Alibaba's cluster-trace-v2026-spot-gpu
// (https://github.com/alibaba/clusterdata). Another file can be node_info_df.csv of the same trace,
// whose nodes become the cluster. A job becomes a rigid job of `worker_num` tasks that take its
// duration, with the user `organization` and the queue `job_type`. High-priority jobs have the
// priority 1. Requests of GPUs are ignored.

#include "core/scenario/quantity_text.h"
#include "trace/import/importer.h"

namespace heddle::trace {
namespace alibaba_spot_gpu {
namespace {

constexpr int kDefaultNodes = 100;
constexpr double kDefaultCores = 128, kMostCores = 1e4, kMostWorkers = 1e6;

struct Row {
  std::string_view id, user, queue;
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
    column<&Row::gpus>("gpu_request", kIfKnown)};
constexpr Table<Row> kJobs{kJobColumns};

struct Node {
  std::string_view name;
  std::optional<double> cores;
};
constexpr Column<Node> kNodeColumns[] = {column<&Node::name>("node_name"),
                                         column<&Node::cores>("cpu_num", figure(kMostCores))};
constexpr Table<Node> kNodes{kNodeColumns};

bool is_job_list(std::string_view head) { return has_columns(kJobs, head); }

class Reader : public Importer {
 public:
  using Importer::Importer;

  Imported read() {
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
    report_.state(gpus_, "job",
                  "with GPUs: Heddle has no GPUs, so only cores and memory are requested");
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
    gpus_ += row.gpus > 0;
    add(row.id, row.user, row.queue, emu_seconds(*submit), [&](JobSpec& job) {
      job.priority = row.queue == "HP" ? 1 : 0;
      PhaseSpec& phase = add_phase(job, "workers", request_of(row.cores, {}),
                                   std::max(row.workers.value_or(1), 1.0));
      set_work(phase, *row.duration, phase.request);
      make_rigid(job);
    });
  }

  void read_node(const Node& node) {
    kept();
    nodes_.push_back(request_of(node.cores.value_or(kDefaultCores), {}));
    check_machines(nodes_.size(), "nodes");
  }

  std::vector<Resources> nodes_;
  std::int64_t gpus_ = 0;
};

}  // namespace
}  // namespace alibaba_spot_gpu

const FormatCode formats::alibaba_spot_gpu_2026{
    &alibaba_spot_gpu::is_job_list, &import_with<alibaba_spot_gpu::Reader>, kUsersAndQueues};

}  // namespace heddle::trace
