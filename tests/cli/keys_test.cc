#include "cli/machine/keys.h"

#include <filesystem>

#include "cli/base/exit_status.h"
#include "tests/support/matchers.h"
#include "tests/support/temporary_directory.h"

namespace heddle::cli::keys_test {

class KeysCommand : public testing::Test {
 protected:
  KeysCommand() { options_.dir = root_ / "keys"; }

  /// Runs a command; returns its output, or "2: …" with its errors if that is its exit status.
  std::string told(Result<int> (*command)(const KeysOptions&)) const {
    testing::internal::CaptureStdout();
    testing::internal::CaptureStderr();
    const int status = status_or_fail(command(options_));
    const std::string out = testing::internal::GetCapturedStdout();
    const std::string errors = testing::internal::GetCapturedStderr();
    return status == 0 ? out : std::to_string(status) + ": " + errors;
  }

  const tests::TemporaryDirectory root_;
  KeysOptions options_;
};

TEST_F(KeysCommand, MakesOneForWorkersAndOneToWatchUnlessTold) {
  EXPECT_THAT(told(keys_make_command),
              AllOf(HasSubstr("/keys/master.key: stays here"), HasSubstr("/keys/worker.key: to be"),
                    HasSubstr("/keys/top.key: for heddle top")));
  EXPECT_THAT(told(keys_make_command), HasSubstr("2: heddle: key \"worker\" exists already"));
  options_.workers = {"alpha"};
  options_.tops = {"ann"};
  EXPECT_THAT(told(keys_make_command), AllOf(HasSubstr("/alpha.key"), HasSubstr("/ann.key")));
}

TEST_F(KeysCommand, ListsWhoIsAdmitted) {
  options_.workers = {"alpha", "beta", "gamma"};
  (void)told(keys_make_command);
  std::filesystem::remove(options_.dir + "/beta.key");  // moved to its host
  options_.name = "gamma";
  EXPECT_THAT(told(keys_remove_command), HasSubstr("removed gamma"));
  const std::string list = told(keys_list_command);
  EXPECT_THAT(list, HasSubstr("\nmaster  master  -  "));
  EXPECT_THAT(list, HasSubstr("\nalpha   worker  yes  "));
  EXPECT_THAT(list, HasSubstr("\nbeta    worker  yes, pair elsewhere  "));
  EXPECT_EQ(list.find("gamma"), std::string::npos);
  // The host of a worker has no list.
  std::filesystem::remove(options_.dir + "/admitted");
  std::filesystem::remove(options_.dir + "/master.key");
  EXPECT_THAT(told(keys_list_command), HasSubstr("\nalpha  worker  -  "));
}

TEST_F(KeysCommand, SaysWhatIsWrong) {
  EXPECT_THAT(told(keys_list_command), HasSubstr("/keys: does not exist; make keys with"));
  options_.name = "alpha";
  EXPECT_THAT(told(keys_remove_command), HasSubstr("/keys: does not exist"));
}

}  // namespace heddle::cli::keys_test
