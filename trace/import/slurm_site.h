#pragma once

#include <cstdint>
#include <map>
#include <set>
#include <string>
#include <tuple>
#include <vector>

#include "trace/import/collection.h"
#include "trace/import/slurm_accounting.h"
#include "trace/import/slurm_jobs.h"
#include "trace/import/slurm_nodes.h"

namespace heddle::trace::slurm {

/// A site as the files beside the log describe it, slurm.conf or output of sinfo, sacctmgr show qos
/// and sacctmgr show assoc, and as the jobs of the log name its parts.
class Site {
 public:
  explicit Site(ImportReport& report) : report_(report) {}

  /// Reads a file that is not output of sacct. Throws BadTrace, also if it is no file of a site.
  void read(Input& file);
  /// Throws BadTrace if slurm.conf was read, but no file has nodes.
  void check() const;

  /// The nodes of the files; empty: no file has any.
  const std::vector<Node>& nodes() const { return found_.nodes; }
  /// Returns how many nodes of a partition hold a task of this shape.
  std::int64_t nodes_with(const std::string& partition, const Shape& shape);

  /// Returns the name of an account. If a file has the tree, an account that is not in it becomes
  /// one directly below the root, and the root stands for no account.
  std::string account_of(const std::string& text);
  /// Returns the name of a QOS. If a file has the QOS, one that is not in it gets priority 0.
  std::string qos_of(const std::string& text);
  /// Puts a job's last phase on the nodes of its partition, if files have partitions. "": the
  /// default one.
  void put_in_partition(const std::string& partition, JobSpec& spec);

  /// Completes a scenario that has the nodes: gives them their names, and adds partitions, QOS,
  /// accounts and the rules of slurm.conf. To be called after the jobs were added.
  void give(Imported& imported);
  /// Adds sentences about what give() did.
  void state() const;

 private:
  /// Throws BadTrace if there was such a file before.
  static void note_first(const Input& file, const Input*& known, const char* what);
  void read_nodes(Input& file);
  std::vector<QosSpec> qualities() const;
  void give_partitions(Scenario& scenario);
  void give_default_partition(std::vector<PartitionSpec>& partitions) const;
  std::string renamed_nodes(const std::vector<NodeSpec>& nodes) const;

  ImportReport& report_;
  Names accounts_{"account", report_}, partitions_{"partition", report_}, qos_{"qos", report_};
  Cluster found_;
  const Input *sinfo_ = nullptr, *conf_ = nullptr, *qos_file_ = nullptr, *tree_file_ = nullptr;
  Qualities qualities_;
  std::vector<AccountSpec> tree_;
  std::set<std::string> of_jobs_;       ///< partitions that jobs name
  std::int64_t without_partition_ = 0;  ///< jobs
  std::int64_t unlisted_ = 0;           ///< partitions of which no file has the nodes
  std::int64_t unlisted_qos_ = 0;       ///< QOS that only jobs name
  /// How many nodes hold a task of so many cores and GPUs, by partition.
  std::map<std::tuple<std::string, double, double>, std::int64_t> holding_;
};

}  // namespace heddle::trace::slurm
