#include "trace/import/slurm_nodes.h"

#include "common/text.h"
#include "tests/support/matchers.h"

namespace heddle::trace::slurm::slurm_nodes_test {

/// Returns nodes as text: "name cores MiB gpus model".
std::vector<std::string> lines_of(const std::vector<Node>& nodes) {
  std::vector<std::string> lines;
  for (const Node& node : nodes)
    lines.push_back(node.name + " " + std::to_string(std::lround(node.cores)) + " " +
                    std::to_string(std::lround(node.bytes / (1 << 20))) + " " +
                    std::to_string(std::lround(node.gpus)) + " " + node.model);
  return lines;
}

std::vector<std::string> conf(std::string text) {
  Input file("slurm.conf", std::move(text));
  return lines_of(read_slurm_conf(file).nodes);
}
std::vector<std::string> sinfo(std::string text) {
  Input file("sinfo.txt", std::move(text));
  return lines_of(read_sinfo(file).nodes);
}

TEST(SlurmNodes, LinesOfSlurmConf) {
  EXPECT_THAT(conf("ClusterName=c\n"
                   "NodeName=a[1-2] CPUs=16 RealMemory=1000 Gres=gpu:a100:2,nic:1 # two\n"
                   "nodename=b cpus=4 Reason=\"CPUs=9 # no\" realmemory=2000\n"
                   "#NodeName=c CPUs=1\n"
                   "NodeName=d Boards=2 SocketsPerBoard=2 CoresPerSocket=4 \\\n"
                   "  ThreadsPerCore=2 RealMemory=3000\n"
                   "NodeName=e\n"),
              ElementsAre("a1 16 1000 2 a100", "a2 16 1000 2 a100", "b 4 2000 0 ", "d 32 3000 0 ",
                          "e 1 0 0 "));
}

TEST(SlurmNodes, DefaultsHoldForTheLinesBelow) {
  EXPECT_THAT(conf("NodeName=a CPUs=2\n"
                   "NodeName=DEFAULT CPUs=8 RealMemory=100 Gres=gpu:1\n"
                   "NodeName=b\n"
                   "NodeName=c CPUs=4\n"
                   "NodeName=default RealMemory=200\n"
                   "NodeName=d State=FUTURE\n"
                   "NodeName=e\n"),
              ElementsAre("a 2 0 0 ", "b 8 100 1 ", "c 4 100 1 ", "e 8 200 1 "));
}

TEST(SlurmNodes, RowsOfSinfo) {
  EXPECT_THAT(sinfo("NODELIST CPUS MEMORY GRES\n"
                    "n1 16 16000+ (null)\n"
                    "n4    32+   64000 gpu:a100:2(S:0)\n\n"
                    "n[1-2] 16 16000 (null)\n"),
              ElementsAre("n1 16 16000 0 ", "n4 32 64000 2 a100", "n2 16 16000 0 "));
  EXPECT_THAT(sinfo("PARTITION|HOSTNAMES|CPUS\nmain*|n1|16\n"), ElementsAre("n1 16 0 0 "));
}

/// Returns partitions as text: "name priority hosts", with '*' behind the default.
std::vector<std::string> lines_of(const std::vector<Partition>& partitions) {
  std::vector<std::string> lines;
  for (const Partition& one : partitions)
    lines.push_back(one.name + (one.is_default ? "* " : " ") + std::to_string(one.priority) + " " +
                    join(one.hosts, ","));
  return lines;
}

TEST(SlurmNodes, Partitions) {
  Input conf("slurm.conf",
             "NodeName=n[1-4] CPUs=16\n"
             "PartitionName=DEFAULT PriorityJobFactor=10 State=UP\n"
             "PartitionName=main Nodes=n[1-3] Default=YES MaxTime=00:30:00\n"
             "PartitionName=all Nodes=ALL PriorityJobFactor=0\n"
             "PartitionName=short Nodes=n1,n4 Priority=40 Default=no\n");
  EXPECT_THAT(lines_of(read_slurm_conf(conf).partitions),
              ElementsAre("main* 10 n1,n2,n3", "all 0 ", "short 40 n1,n4"));
  Input sinfo("sinfo.txt",
              "PARTITION|NODELIST|CPUS|PRIO_JOB_FACTOR\nmain*|n[1-3]|16|5\nmain*|n4|32|5\n"
              "short|n1|16|7\n");
  const Cluster cluster = read_sinfo(sinfo);
  EXPECT_THAT(lines_of(cluster.partitions), ElementsAre("main* 5 n1,n2,n3,n4", "short 7 n1"));
  EXPECT_EQ(cluster.nodes.size(), 4U);
}

TEST(SlurmNodes, FilesAreRecognised) {
  EXPECT_TRUE(is_sinfo("NODELIST CPUS MEMORY\nn1 16 100"));
  EXPECT_FALSE(is_sinfo("PARTITION AVAIL  TIMELIMIT  NODES  STATE NODELIST"));
  EXPECT_TRUE(is_slurm_conf("# slurm.conf\n\n ClusterName=x"));
  for (const char* other : {"", "JobID|State", "a b=c", "{\"a=\"", "# only a comment\n"})
    EXPECT_FALSE(is_slurm_conf(other)) << other;
}

TEST(SlurmNodes, EqualNodesGetAdjacentNames) {
  const std::vector<Node> nodes = {{.name = "a", .cores = 4},
                                   {.name = "b", .cores = 8},
                                   {.name = "c", .cores = 4},
                                   {.name = "d", .cores = 4, .gpus = 1},
                                   {.name = "e", .cores = 8}};
  EXPECT_THAT(lines_of(by_kind(nodes)),
              ElementsAre("a 4 0 0 ", "c 4 0 0 ", "b 8 0 0 ", "e 8 0 0 ", "d 4 0 1 "));
  std::vector<NodeSpec> specs(4);
  for (int i = 0; i < 4; ++i) specs[i].name = "x" + std::to_string(i);
  specs[2].speed = 2;
  specs[3].speed = 3;
  name_by_kind(specs);
  std::vector<std::string> names;
  for (const NodeSpec& spec : specs) names.push_back(spec.name);
  EXPECT_THAT(names, ElementsAre("n1", "n2", "m1", "o1"));
}

TEST(SlurmNodes, ThereAreNamesForAnyNumberOfKinds) {
  std::vector<NodeSpec> specs(28);
  for (int i = 0; i < 28; ++i) specs[i].speed = 1 + i;
  name_by_kind(specs);
  EXPECT_EQ(specs[25].name, "l1");
  EXPECT_EQ(specs[26].name, "n26-1");
  EXPECT_EQ(specs[27].name, "n27-1");
}

}  // namespace heddle::trace::slurm::slurm_nodes_test
