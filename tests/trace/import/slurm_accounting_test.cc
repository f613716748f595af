#include "trace/import/slurm_accounting.h"

#include "tests/support/matchers.h"

namespace heddle::trace::slurm::slurm_accounting_test {

TEST(SlurmAccounting, QualitiesOfService) {
  ImportReport report;
  Names names("qos", report);
  Input file("qos.txt",
             "Name|Priority|UsageFactor|Preempt|MaxJobsPU|PreemptMode|PreemptExemptTime\n"
             "normal|10|1.000000|||cluster|\nhigh|100|0.500000|normal,gone|4|cancel|00:01:30\n"
             "low|0|1.000000|||gang,suspend|\n");
  EXPECT_TRUE(is_qos(file.head()));
  EXPECT_FALSE(is_associations(file.head()));
  EXPECT_THAT(
      read_qos(file, names).all,
      ElementsAre(QosSpec{"normal", 10, std::nullopt, 1},
                  QosSpec{"high", 100, 4, 0.5, {"normal"}, PreemptMode::kCancel, emu_seconds(90)},
                  QosSpec{"low", 0, std::nullopt, 1, {}, PreemptMode::kSuspend}));
}

TEST(SlurmAccounting, Associations) {
  ImportReport report;
  Names accounts("account", report), users("user", report);
  Input file("assoc.txt",
             "Account|User|ParentName|Share|QOS\nroot|||1|normal\nroot|root||1|\n"
             "physics||root|50|\nphysics|ann||10|\nphysics|bob||parent|\nlab||physics|7|\n");
  EXPECT_TRUE(is_associations(file.head()));
  EXPECT_THAT(read_associations(file, accounts, users),
              ElementsAre(AccountSpec{"physics", "", 50, {{"ann", 10}, {"bob", std::nullopt}}},
                          AccountSpec{"lab", "physics", 7, {}}));
}

TEST(SlurmAccounting, NumbersAreChecked) {
  ImportReport report;
  Names names("qos", report);
  Input file("qos.txt", "Name|Priority|UsageFactor\nnormal|ten|1\n");
  try {
    read_qos(file, names);
    ADD_FAILURE();
  } catch (const BadTrace& fault) {
    EXPECT_THAT(fault.text, HasSubstr("Priority \"ten\"; expected a number from 0 to 4294967295"));
  }
}

}  // namespace heddle::trace::slurm::slurm_accounting_test
