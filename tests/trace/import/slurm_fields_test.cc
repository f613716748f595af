#include "trace/import/slurm_fields.h"

#include "tests/support/matchers.h"

namespace heddle::trace::slurm::slurm_fields_test {

TEST(SlurmFields, Instants) {
  EXPECT_EQ(read_instant("1970-01-02T00:00:01"), 86401);
  EXPECT_EQ(read_instant("2026-11-26T21:40:00"), 1795729200);
  EXPECT_EQ(read_instant("1795729200"), 1795729200);
  EXPECT_EQ(read_instant("Unknown"), kNoValue);
  EXPECT_EQ(read_instant("None"), kNoValue);
  for (const char* wrong : {"", "2026-02-30T00:00:00", "2026-13-01T00:00:00", "2026-01-01T24:00:00",
                            "2026-01-01T00:60:00", "2026-01-01 00:00:00", "202x-01-01T00:00:00",
                            "2026-01-01T00:00:-1", "now", "-5", "1e9", "1795729290.5"})
    EXPECT_EQ(read_instant(wrong), std::nullopt) << wrong;
}

TEST(SlurmFields, Lengths) {
  EXPECT_EQ(read_length("00:00:04"), 4);
  EXPECT_EQ(read_length("2-03:05:06"), 2 * 86400 + 3 * 3600 + 5 * 60 + 6);
  EXPECT_EQ(read_length("00:03.5"), 3.5);
  for (const char* none : {"UNLIMITED", "Partition_Limit", "INVALID"})
    EXPECT_EQ(read_length(none), kNoValue);
  for (const char* wrong :
       {"", "5", "1-05", "1-05:00", "1:2:3:4", "a:b", "-1:00:00", ":", "1:-2:03"})
    EXPECT_EQ(read_length(wrong), std::nullopt) << wrong;
}

TEST(SlurmFields, CountsAndBytes) {
  EXPECT_EQ(read_count("16"), 16);
  EXPECT_EQ(read_count("2K"), 2048);
  EXPECT_EQ(read_count("UNLIMITED"), kNoValue);
  EXPECT_EQ(read_count("x"), std::nullopt);
  EXPECT_EQ(read_bytes("1676K"), 1676 * 1024);
  EXPECT_EQ(read_bytes("1582.50K"), 1582.5 * 1024);
  EXPECT_EQ(read_bytes("0.5G"), 512 << 20);
  EXPECT_EQ(read_bytes("4096"), 4096);
  for (const char* wrong : {"", "K", "1KB", "-1K", ".", "1..2", "inf"})
    EXPECT_EQ(read_bytes(wrong), std::nullopt) << wrong;
}

TEST(SlurmFields, RequestedMemory) {
  const auto expect = [](const char* text, double bytes, Memory::Per per) {
    const auto memory = read_memory(text);
    ASSERT_TRUE(memory) << text;
    EXPECT_EQ(memory->bytes, bytes) << text;
    EXPECT_EQ(memory->per, per) << text;
  };
  expect("4G", 4LL << 30, Memory::Per::kJob);
  expect("1.50G", 1536LL << 20, Memory::Per::kJob);
  expect("16000M", 16000LL << 20, Memory::Per::kJob);
  expect("500", 500LL << 20, Memory::Per::kJob);
  expect("4Gc", 4LL << 30, Memory::Per::kCpu);
  expect("4000Mn", 4000LL << 20, Memory::Per::kNode);
  for (const char* wrong : {"", "n", "c", "4Gx", "much"}) EXPECT_FALSE(read_memory(wrong)) << wrong;
}

TEST(SlurmFields, TrackableResources) {
  const Tres tres = read_tres("billing=8,cpu=8,gres/gpu=2,gres/gpu:a100=2,mem=31.25G,node=2");
  EXPECT_EQ(tres.cpus, 8);
  EXPECT_EQ(tres.nodes, 2);
  EXPECT_EQ(tres.bytes, 32000LL << 20);
  EXPECT_EQ(tres.gpus, 2) << "those with a model are among those without";
  EXPECT_EQ(tres.models, "a100");
  const Tres typed = read_tres("gres/gpu:a100=2,gres/gpu:v100=1,cpu=x,mem=1000M");
  EXPECT_EQ(typed.gpus, 3);
  EXPECT_EQ(typed.models, "a100|v100");
  EXPECT_EQ(typed.cpus, std::nullopt);
  EXPECT_EQ(typed.bytes, 1000LL << 20);
  const Tres none = read_tres("");
  EXPECT_EQ(none.cpus, std::nullopt);
  EXPECT_EQ(none.gpus, std::nullopt);
}

TEST(SlurmFields, GenericResources) {
  const auto expect = [](const char* text, double gpus, const char* model) {
    const auto gres = read_gres(text);
    ASSERT_TRUE(gres) << text;
    EXPECT_EQ(gres->gpus, gpus) << text;
    EXPECT_EQ(gres->model, model) << text;
  };
  expect("gpu:a100:4", 4, "a100");
  expect("gpu:4", 4, "");
  expect("gpu:a100:4(S:0-1,3),nic:1", 4, "a100");
  expect("gpu", 1, "");
  expect("gpu:a100", 1, "a100");
  expect("gpu:a100:2,gpu:v100:1", 3, "");
  expect("nic:mlx:2", 0, "");
  expect("", 0, "");
  EXPECT_FALSE(read_gres("gpu:a100:many"));
}

TEST(SlurmFields, Hosts) {
  using Names = std::vector<std::string>;
  EXPECT_EQ(read_hosts("cn[1-3,5]", 10), Names({"cn1", "cn2", "cn3", "cn5"}));
  EXPECT_EQ(read_hosts("a,b[09-10]", 10), Names({"a", "b09", "b10"}));
  EXPECT_EQ(read_hosts("r[1-2]n[3,4]x", 4), Names({"r1n3x", "r1n4x", "r2n3x", "r2n4x"}));
  for (const char* wrong : {"cn[1-", "cn[3-1]", "cn[a]", "a,,b", "cn[-1]"})
    EXPECT_EQ(read_hosts(wrong, 10), std::nullopt) << wrong;
  for (const char* longer : {"cn[1-11]", "r[1-2]n[1-6]", "a[1-6],b[1-6]", "cn[1-2000000000]"})
    EXPECT_EQ(read_hosts(longer, 10), std::nullopt) << longer;
}

}  // namespace heddle::trace::slurm::slurm_fields_test
