// Tests that the search for a run's leftovers finds each planted thing, and nothing where there is
// nothing.

#include "tests/system/leftovers.h"

#include <fcntl.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <sys/wait.h>
#include <unistd.h>

#include <csignal>
#include <cstddef>
#include <filesystem>
#include <functional>

#include "cgroup/home.h"
#include "common/random_id.h"
#include "tests/support/matchers.h"
#include "tests/system/process.h"

namespace heddle::leftovers_test {

namespace fs = std::filesystem;
using namespace std::chrono_literals;

class Search : public ::testing::Test {
 protected:
  Search() { EXPECT_THAT(left_of(run_, 0ms), IsEmpty()); }
  ~Search() override { EXPECT_THAT(left_of(run_), IsEmpty()) << "it finds what is gone"; }

  /// Starts a process that does `first` and then sleeps; returns its id.
  static pid_t sleeper(const std::function<void()>& first) {
    int ready[2];
    EXPECT_EQ(::pipe2(ready, O_CLOEXEC), 0);
    const pid_t child = ::fork();
    if (child == 0) {
      first();
      if (::write(ready[1], "r", 1) != 1) ::_exit(1);
      for (;;) ::pause();
    }
    ::close(ready[1]);
    char byte = 0;
    EXPECT_EQ(::read(ready[0], &byte, 1), 1);
    ::close(ready[0]);
    return child;
  }
  static void end(pid_t child) {
    ::kill(child, SIGKILL);
    ::waitpid(child, nullptr, 0);
  }
  /// Returns whether these processes are found. Another test that searches at the same time is
  /// found as long as it looks into a directory of the run, so this is tried again for a while.
  bool finds(const testing::Matcher<std::vector<std::string>>& expected) const {
    return eventually([&] { return expected.Matches(leftovers_of(run_).processes); });
  }
  static auto process(pid_t pid) { return StartsWith(std::to_string(pid) + " ("); }

  const std::string run_ = random_id();
  Scratch scratch_;
};

TEST_F(Search, ForNoRunIsAnError) {
  EXPECT_THAT(left_of(""), ElementsAre("there is no run to look for"));
}

TEST_F(Search, FindsAProcessByItsCommandLine) {
  Process planted({"sh", "-c", "sleep 1000; : " + run_}, scratch_);
  ASSERT_TRUE(eventually([&] { return !leftovers_of(run_).processes.empty(); }));
  EXPECT_THAT(leftovers_of(run_).processes, Contains(process(planted.pid())));
  for (pid_t pid : descendants(planted.pid(), "sleep")) ::kill(pid, SIGKILL);
  planted.signal(SIGKILL);
  planted.wait();
}

TEST_F(Search, FindsAProcessByItsDirectoryAndItsFiles) {
  const std::string directory = scratch_ / ("d" + run_);
  fs::create_directory(directory);
  const pid_t in_it = sleeper([&] { (void)!::chdir(directory.c_str()); });
  const pid_t reads = sleeper([&] { (void)::open(directory.c_str(), O_RDONLY); });
  EXPECT_TRUE(finds(UnorderedElementsAre(process(in_it), process(reads))));
  end(in_it);
  end(reads);
  fs::remove(directory);
}

TEST_F(Search, FindsGroupsInEveryHierarchyAndWhatIsInThem) {
  Result<cgroup::Home> home = cgroup::find_home(std::nullopt);
  if (!home) GTEST_SKIP() << home.error().text;
  const std::string group = "heddle-" + run_;
  ASSERT_TRUE(home->driver->create(group));
  EXPECT_THAT(leftovers_of(run_).groups, IsSupersetOf(home->driver->directories(group)));
  const pid_t child = sleeper([] {});
  ASSERT_TRUE(home->driver->attach(group, child));
  EXPECT_TRUE(finds(ElementsAre(process(child))));
  end(child);
  EXPECT_TRUE(eventually([&] { return bool(home->driver->remove(group)); }));
  cgroup::leave_home(*home);
}

TEST_F(Search, FindsDirectoriesOfRunsSharedMemoryAndTemporaryFiles) {
  for (const std::string& path :
       {"/dev/shm/heddle-" + run_, "/tmp/heddle-" + run_ + "-n1", "/var/tmp/" + run_}) {
    ASSERT_EQ(::mkdir(path.c_str(), 0700), 0) << path;
    EXPECT_THAT(leftovers_of(run_).files, ElementsAre(path));
    ASSERT_EQ(::rmdir(path.c_str()), 0);
  }
  const std::string base =
      ::geteuid() == 0 ? "/run/heddle" : "/tmp/heddle-" + std::to_string(::geteuid());
  const bool made = ::mkdir(base.c_str(), 0700) == 0;
  // The name begins with a dot, so that `heddle clean` does not take this for a dead run's
  // directory.
  const std::string path = base + "/." + run_;
  ASSERT_EQ(::mkdir(path.c_str(), 0700), 0) << path;
  EXPECT_THAT(leftovers_of(run_).files, ElementsAre(path));
  ASSERT_EQ(::rmdir(path.c_str()), 0);
  if (made) ::rmdir(base.c_str());
}

TEST_F(Search, FindsSocketsWithoutAFile) {
  sockaddr_un address{};
  address.sun_family = AF_UNIX;
  run_.copy(address.sun_path + 1, run_.size());
  const int fd = ::socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);
  ASSERT_EQ(::bind(fd, reinterpret_cast<sockaddr*>(&address),
                   static_cast<socklen_t>(offsetof(sockaddr_un, sun_path) + 1 + run_.size())),
            0);
  EXPECT_THAT(leftovers_of(run_).files, ElementsAre("socket @" + run_));
  ::close(fd);
}

// Tests the search that the chaos runs use.
TEST(ChaosSearch, FindsWhatIsPlanted) {
  Scratch scratch;
  Process search({"python3", std::string(HEDDLE_SOURCE) + "/tests/chaos/leftovers.py", "--test"},
                 scratch);
  const int status = search.wait();
  if (status == 127) GTEST_SKIP() << "no python3";
  EXPECT_EQ(status, 0) << search.errors();
  EXPECT_EQ(search.output(), "each thing that was planted was found\n");
}

}  // namespace heddle::leftovers_test
