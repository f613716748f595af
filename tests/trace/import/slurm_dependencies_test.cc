#include "trace/import/slurm_dependencies.h"

#include "tests/support/matchers.h"

namespace heddle::trace::slurm::slurm_dependencies_test {

using When = Dependency::When;

TEST(SlurmDependencies, OptionsOfCommandLines) {
  EXPECT_EQ(dependency_option("sbatch --dependency=afterok:12:13 run.sh"), "afterok:12:13");
  EXPECT_EQ(dependency_option("sbatch -n 4 --dependency afterany:1 run.sh"), "afterany:1");
  EXPECT_EQ(dependency_option("sbatch -d after:12+5 run.sh"), "after:12+5");
  EXPECT_EQ(dependency_option("srun -dsingleton true"), "singleton");
  EXPECT_EQ(dependency_option("sbatch --depend=afterok:7 run.sh"), "afterok:7");
  EXPECT_EQ(dependency_option("sbatch -d afterok:1 --dependency=afterok:2 run.sh"), "afterok:2");
  EXPECT_EQ(dependency_option("sbatch --export=ALL  -J x -dafterok:3  --wrap sleep 20"),
            "afterok:3");
}

TEST(SlurmDependencies, CommandLinesWithoutTheOption) {
  for (const char* line :
       {"", "sbatch", "sbatch run.sh -d afterok:1", "sbatch -n 4 run.sh -dafterok:1",
        "srun ./program --dependency=afterok:1", "sbatch --deadline=now run.sh", "sbatch -d",
        "sbatch -D /afterok:1 run.sh", "sbatch -d 5 run.sh"})
    EXPECT_EQ(dependency_option(line), "") << line;
}

TEST(SlurmDependencies, Conditions) {
  EXPECT_EQ(read_dependencies("afterok:12:13,afterany:14_3"),
            (Dependencies{{{"12", When::kOk}, {"13", When::kOk}, {"14_3", When::kAny}}}));
  EXPECT_EQ(read_dependencies("afternotok:5,aftercorr:6"),
            (Dependencies{{{"5", When::kNotOk}, {"6", When::kTask}}}));
  EXPECT_EQ(read_dependencies("after:12+5:13"),
            (Dependencies{{{"12", When::kStart, 300}, {"13", When::kStart, 0}}}));
  EXPECT_EQ(read_dependencies("afterok:7_*"), (Dependencies{{{"7", When::kOk}}}));
  EXPECT_EQ(read_dependencies("singleton,afterok:1"), (Dependencies{{{"1", When::kOk}}, 1}));
  EXPECT_EQ(read_dependencies(""), Dependencies());
}

TEST(SlurmDependencies, OtherConditionsAreCounted) {
  EXPECT_EQ(read_dependencies("afterok:1?afterok:2"), (Dependencies{{}, 0, 1}));
  EXPECT_EQ(read_dependencies("afterburstbuffer:1,afterok:2"),
            (Dependencies{{{"2", When::kOk}}, 0, 1}));
  EXPECT_EQ(read_dependencies("afterok,afterok:x:3,afterok:4+y,afterok:5_"),
            (Dependencies{{{"3", When::kOk}}, 0, 4}));
}

TEST(SlurmDependencies, AnArrayCanHaveALimit) {
  EXPECT_EQ(array_limit("sbatch --array=1-100%4 run.sh"), 4);
  EXPECT_EQ(array_limit("sbatch -a 0-9:3%2 run.sh"), 2);
  EXPECT_EQ(array_limit("sbatch -a1,3,7%12 run.sh"), 12);
  EXPECT_EQ(array_limit("sbatch --array 1-9%3 -d afterok:1 run.sh"), 3);
  EXPECT_EQ(array_limit("sbatch --array=1-9%3 --array=1-9%5 run.sh"), 5);
  for (const char* line :
       {"sbatch run.sh", "sbatch --array=1-100 run.sh", "sbatch -a 1-9%x run.sh",
        "sbatch -a 1-9%0 run.sh", "sbatch run.sh 1 --array=1-9%3", "sbatch --account=a%4 run.sh"})
    EXPECT_EQ(array_limit(line), std::nullopt) << line;
}

}  // namespace heddle::trace::slurm::slurm_dependencies_test
