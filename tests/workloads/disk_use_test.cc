// Tests what counts as a command's use of the disk, when it is measured, and which limits it
// exceeds.

#include "workloads/task/disk_use.h"

#include <fcntl.h>
#include <poll.h>
#include <sched.h>
#include <sys/inotify.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <atomic>
#include <filesystem>
#include <fstream>
#include <functional>
#include <optional>
#include <thread>
#include <vector>

#include "common/fd.h"
#include "tests/support/matchers.h"
#include "tests/support/temporary_directory.h"
#include "workloads/task/output.h"

namespace heddle::task {
namespace {

std::int64_t clock_ns = 0;

}  // namespace

/// The clock of these tests. Each reading takes 10 ms, so each measurement takes as long.
std::int64_t monotonic_ns() { return clock_ns += 10'000'000; }

}  // namespace heddle::task

namespace heddle::task::disk_use_test {

constexpr std::int64_t kMiB = 1 << 20;
constexpr std::int64_t kMs = 1'000'000;

struct statvfs disk_of(unsigned long blocks, unsigned long free_blocks, unsigned long files,
                       unsigned long free_files) {
  struct statvfs disk {};
  disk.f_frsize = 4096;
  disk.f_blocks = blocks;
  disk.f_bavail = free_blocks;
  disk.f_files = files;
  disk.f_favail = free_files;
  return disk;
}

TEST(DiskRoom, LeavesAReserveOfBytesAndOfInodes) {
  const DiskRoom room = room_of(disk_of(1'000'000, 20'000, 100'000, 12'000));
  EXPECT_EQ(room.reserved_bytes, 67'108'864);  // 64 MiB
  EXPECT_EQ(room.bytes, 14'811'136);           // 20 000 * 4096 - 64 MiB
  EXPECT_EQ(room.reserved_files, 10'000);
  EXPECT_EQ(room.files, 2'000);
}

TEST(DiskRoom, OfASmallDiskAQuarterIsReserved) {
  const DiskRoom room = room_of(disk_of(32'768, 4'096, 1'000, 100));  // 128 MiB, 16 MiB free
  EXPECT_EQ(room.reserved_bytes, 32 * kMiB);
  EXPECT_EQ(room.bytes, -16 * kMiB);
  EXPECT_EQ(room.reserved_files, 250);
  EXPECT_EQ(room.files, -150);
}

TEST(DiskRoom, WithoutANumberOfInodesThereIsRoomForAll) {
  const DiskRoom room = room_of(disk_of(1'000'000, 20'000, 0, 0));
  EXPECT_EQ(room.files, INT64_MAX);
  EXPECT_FALSE(is_nearly_full(room));
}

TEST(DiskRoom, IsReadAgainBeforeItCanBeFull) {
  EXPECT_EQ(pause_ns({}), 200 * kMs);
  EXPECT_EQ(pause_ns({.bytes = 40'000'000}), 10 * kMs);  // at 4 GB/s
  EXPECT_EQ(pause_ns({.bytes = 1000}), 2 * kMs);
  EXPECT_EQ(pause_ns({.bytes = -1000}), 2 * kMs);
  EXPECT_EQ(pause_ns({.files = 10'000}), 20 * kMs);  // at 500 000 inodes a second
  EXPECT_EQ(pause_ns({.files = -1}), 2 * kMs);
}

TEST(DiskRoom, MeasuringTakesTwoPercentAndAHalfAtTheReserve) {
  EXPECT_EQ(next_measurement_ns(1000 * kMs, 1010 * kMs, {}), 1510 * kMs);
  EXPECT_EQ(next_measurement_ns(1000 * kMs, 1010 * kMs, {.bytes = 0}), 1020 * kMs);
  EXPECT_EQ(next_measurement_ns(1000 * kMs, 1010 * kMs, {.files = 0}), 1020 * kMs);
}

TEST(CheckUse, TheOutputLimitCountsBlocksAndSomeForNames) {
  constexpr std::int64_t kLimit = 64 * kMiB;
  EXPECT_EQ(check_use({kLimit + 65'536, 0}, {}, kLimit), ExceededLimit{});
  EXPECT_EQ(check_use({kLimit + 65'537, 0}, {}, kLimit),
            (ExceededLimit{CommandLimit::kOutput, kLimit + 65'537, 0}));
}

TEST(CheckUse, AtTheReserveTheOneThatHoldsBlocksIsEnded) {
  const DiskRoom reached{.bytes = 0, .reserved_bytes = 64 * kMiB};
  const DiskRoom left{.bytes = 1, .reserved_bytes = 64 * kMiB};
  EXPECT_EQ(check_use({kMiB, 1}, reached, 64 * kMiB),
            (ExceededLimit{CommandLimit::kDisk, kMiB, 64 * kMiB}));
  EXPECT_EQ(check_use({kMiB - 1, 1}, reached, 64 * kMiB), ExceededLimit{});
  EXPECT_EQ(check_use({kMiB, 1}, left, 64 * kMiB), ExceededLimit{});
}

TEST(CheckUse, AtTheReserveTheOneThatHoldsInodesIsEnded) {
  const DiskRoom reached{.files = 0, .reserved_files = 250};
  const DiskRoom left{.files = 1, .reserved_files = 250};
  EXPECT_EQ(check_use({0, 100}, reached, 64 * kMiB),
            (ExceededLimit{CommandLimit::kFiles, 100, 250}));
  EXPECT_EQ(check_use({0, 99}, reached, 64 * kMiB), ExceededLimit{});
  EXPECT_EQ(check_use({0, 100}, left, 64 * kMiB), ExceededLimit{});
}

TEST(CheckUse, ADiskIsNearlyFullIfThreeQuartersOfTheReserveAreUsed) {
  EXPECT_FALSE(is_nearly_full({.bytes = -48 * kMiB, .reserved_bytes = 64 * kMiB}));
  EXPECT_TRUE(is_nearly_full({.bytes = -48 * kMiB - 1, .reserved_bytes = 64 * kMiB}));
  EXPECT_FALSE(is_nearly_full({.files = -7'500, .reserved_files = 10'000}));
  EXPECT_TRUE(is_nearly_full({.files = -7'501, .reserved_files = 10'000}));
}

// Real files --------------------------------------------------------------------------------------

class DiskUseTest : public testing::Test {
 protected:
  static constexpr std::int64_t kLimit = 64 * kMiB;

  void SetUp() override {
    std::ofstream(dir_ / "group").put('x');  // a file of the command's
    ASSERT_EQ(::mkdir(path("below").c_str(), 0700), 0);
    std::ofstream(group_ / "cgroup.procs");
  }
  void TearDown() override {
    go_.clear();
    for (const pid_t child : children_) ::waitpid(child, nullptr, 0);
  }
  std::string path(const std::string& name) const { return dir_ / name; }
  Fd make(const std::string& name) const {
    return Fd(::open(path(name).c_str(), O_RDWR | O_CREAT | O_CLOEXEC, 0600));
  }
  static void fill(const Fd& file, std::int64_t bytes) {
    const std::string text(static_cast<std::size_t>(bytes), 'x');
    if (::write(file.get(), text.data(), text.size()) != bytes) std::abort();
  }
  /// Makes a file of so many bytes, without the time that writing them takes.
  void allocate(const std::string& name, std::int64_t bytes) const {
    if (::posix_fallocate(make(name).get(), 0, bytes) != 0) std::abort();
  }
  /// Runs `act` in a process of the command's. The process then stays until the end of the test.
  void in_member(const std::function<void()>& act) {
    int done[2], go[2];
    ASSERT_EQ(::pipe2(done, O_CLOEXEC) + ::pipe2(go, O_CLOEXEC), 0);
    const pid_t child = ::fork();
    if (child == 0) {
      go_.clear();
      ::close(go[1]);
      act();
      char byte = 0;
      if (::write(done[1], &byte, 1) == 1) ::_exit(static_cast<int>(::read(go[0], &byte, 1)));
      ::_exit(1);
    }
    ::close(done[1]);
    ::close(go[0]);
    children_.push_back(child);
    go_.emplace_back(go[1]);
    const Fd reader(done[0]);
    char byte = 0;
    ASSERT_EQ(::read(reader.get(), &byte, 1), 1);
    std::ofstream(group_ / "cgroup.procs", std::ios::app) << child << "\n";
  }
  /// `another`: the command has another user than the files.
  DiskUse use(bool another = false) const {
    const Fd directory(::open(dir_.path().c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC));
    const Fd group(::open(group_.path().c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC));
    struct stat own {};
    EXPECT_EQ(::stat(path("group").c_str(), &own), 0);
    if (another) ++own.st_uid;
    const int groups[] = {group.get()};
    return measure_use(directory.get(), own, {groups, 1}, kLimit);
  }

  tests::TemporaryDirectory dir_, group_;
  std::vector<pid_t> children_;
  std::vector<Fd> go_;
};

TEST_F(DiskUseTest, CountsInodesAndBytesForTheirNames) {
  const DiskUse before = use();
  EXPECT_EQ(before.files, 2);
  for (int i = 0; i < 300; ++i) std::ofstream(path("below/" + std::to_string(i)));
  const DiskUse after = use();
  EXPECT_EQ(after.files, 302);
  EXPECT_GE(after.bytes - before.bytes, 300 * 256);
}

TEST_F(DiskUseTest, CountsBlocksBeyondTheSizeOfAFileAndNoHoles) {
  const std::int64_t before = use().bytes;
  const Fd file = make("f"), hole = make("hole");
  ASSERT_EQ(::ftruncate(hole.get(), 30 * kMiB), 0);
  if (::fallocate(file.get(), FALLOC_FL_KEEP_SIZE, 0, 8 * kMiB) < 0)
    GTEST_SKIP() << "this file system has no FALLOC_FL_KEEP_SIZE";
  EXPECT_GE(use().bytes - before, 8 * kMiB);
  EXPECT_LT(use().bytes - before, 9 * kMiB);
}

TEST_F(DiskUseTest, CountsAFileWithTwoNamesOnce) {
  const DiskUse before = use();
  fill(make("f"), 4 * kMiB);
  ASSERT_EQ(::link(path("f").c_str(), path("below/g").c_str()), 0);
  EXPECT_EQ(use().files - before.files, 1);
  EXPECT_GE(use().bytes - before.bytes, 4 * kMiB);
  EXPECT_LT(use().bytes - before.bytes, 5 * kMiB);
}

TEST_F(DiskUseTest, CountsWhatAThreadAloneHolds) {
  const std::int64_t before = use().bytes;
  in_member([this] {
    std::atomic<bool> filled = false;
    std::thread([&] {
      if (::unshare(CLONE_FILES) != 0) std::abort();
      const Fd file = make("f");
      ::unlink(path("f").c_str());
      fill(file, 4 * kMiB);
      filled = true;
      for (;;) ::pause();
    }).detach();
    while (!filled) std::this_thread::yield();
  });
  EXPECT_GE(use().bytes - before, 4 * kMiB);
  EXPECT_LT(use().bytes - before, 5 * kMiB);
}

TEST_F(DiskUseTest, CountsRemovedFilesThatAProcessHoldsOpenOnce) {
  const DiskUse before = use();
  in_member([this] {
    const Fd file = make("f");
    ::unlink(path("f").c_str());
    fill(file, 4 * kMiB);
    const Fd memory(::memfd_create("m", 0));
    fill(memory, 20 * kMiB);  // on no disk
    for (const int fd : {file.get(), file.get(), memory.get()})
      if (::dup(fd) < 0) std::abort();  // the process keeps it
  });
  EXPECT_EQ(use().files - before.files, 1);
  EXPECT_GE(use().bytes - before.bytes, 4 * kMiB);
  EXPECT_LT(use().bytes - before.bytes, 5 * kMiB);
  EXPECT_EQ(use(true).files, before.files);  // another program has removed a file of its own
}

TEST_F(DiskUseTest, CountsRemovedFilesThatAProcessHasMapped) {
  if (::geteuid() != 0) GTEST_SKIP() << "only root may see the mapped files of a process";
  const std::int64_t before = use().bytes;
  in_member([this] {
    const Fd file = make("f");
    ::unlink(path("f").c_str());
    fill(file, 4 * kMiB);
    if (::mmap(nullptr, 4096, PROT_READ, MAP_SHARED, file.get(), 0) == MAP_FAILED) std::abort();
  });
  EXPECT_GE(use().bytes - before, 4 * kMiB);
}

TEST_F(DiskUseTest, StopsBeyondTheLimit) {
  allocate("f", 40 * kMiB);
  allocate("g", 40 * kMiB);
  EXPECT_GT(use().bytes, kLimit);
}

// Up to 131 072 descriptors and mappings of processes are looked at. A process that holds more is
// over any limit.
TEST_F(DiskUseTest, TooManyDescriptorsAreOverTheLimit) {
  rlimit many{};
  ASSERT_EQ(::getrlimit(RLIMIT_NOFILE, &many), 0);
  if (many.rlim_max < 17'000) GTEST_SKIP() << "a process can have fewer than 17 000 descriptors";
  many.rlim_cur = many.rlim_max;
  const auto hold = [&](int count) {
    in_member([&] {
      if (::setrlimit(RLIMIT_NOFILE, &many) != 0) std::abort();
      const Fd null(::open("/dev/null", O_RDONLY));
      for (int i = 0; i < count; ++i)
        if (::dup(null.get()) < 0) std::abort();  // the process keeps it
    });
  };
  for (int i = 0; i < 8; ++i) hold(16'300);
  EXPECT_LT(use().bytes, kLimit);
  hold(700);
  EXPECT_GT(use().bytes, kLimit);
}

/// Counts how often a file is opened, which each measurement does with the list of processes.
class Opens {
 public:
  explicit Opens(const std::string& path) : events_(::inotify_init1(IN_NONBLOCK | IN_CLOEXEC)) {
    ::inotify_add_watch(events_.get(), path.c_str(), IN_OPEN | IN_CLOSE);
  }
  int count() const {
    int opens = 0;
    alignas(inotify_event) char text[4096];
    for (ssize_t n = 0; (n = ::read(events_.get(), text, sizeof text)) > 0;)
      for (ssize_t at = 0; at < n;) {
        const auto* event = reinterpret_cast<const inotify_event*>(text + at);
        if ((event->mask & IN_OPEN) != 0) ++opens;
        at += static_cast<ssize_t>(sizeof *event + event->len);
      }
    return opens;
  }

 private:
  Fd events_;
};

class OutputTest : public DiskUseTest {
 protected:
  void SetUp() override {
    DiskUseTest::SetUp();
    directory_ = Fd(::open(dir_.path().c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC));
    groups_[0] = ::open(group_.path().c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    output_.emplace(directory_.get(), kLimit, Groups{groups_, 1});
    ASSERT_TRUE(output_->open(::geteuid(), ::getegid()));
    clock_ns = 0;
  }
  void TearDown() override {
    DiskUseTest::TearDown();
    ::close(groups_[0]);
  }

  Fd directory_;
  int groups_[1] = {-1};
  std::optional<Output> output_;
};

// Each measurement takes 10 ms and is followed by 500 ms, and by what is left of 200 ms until the
// next look. So there are 17 to 20 in 10 s.
TEST_F(OutputTest, MeasuringTakesTwoPercentOfTheTime) {
  const Opens opens(group_ / "cgroup.procs");
  for (; clock_ns < 10'000 * kMs; clock_ns += kMs) output_->look(clock_ns);
  const int count = opens.count();
  EXPECT_GE(count, 14);
  EXPECT_LE(count, 20);
}

// The supervisor looks at the disk after each 4 MiB. The first look measures, and the others come
// within 500 ms.
TEST_F(OutputTest, OutputThatComesFastIsMeasuredNoMoreOften) {
  const Opens opens(group_ / "cgroup.procs");
  const pid_t writer = ::fork();
  if (writer == 0) {
    if (!output_->become_standard()) ::_exit(1);
    for (int i = 0; i < 24; ++i) fill(Fd(::dup(STDOUT_FILENO)), kMiB);
    ::_exit(0);
  }
  output_->close_program_ends();
  pollfd streams[] = {{output_->pipe(0), POLLIN, 0}, {output_->pipe(1), POLLIN, 0}};
  while (output_->pipe(0) >= 0) {
    ::poll(streams, 2, -1);
    output_->take();
  }
  ::waitpid(writer, nullptr, 0);
  EXPECT_EQ(opens.count(), 1);
  EXPECT_FALSE(output_->is_over());
}

TEST_F(OutputTest, MeasuresAtTheEndWhateverTheTimeIs) {
  output_->look(0);
  allocate("f", 40 * kMiB);
  allocate("g", 40 * kMiB);
  output_->look(clock_ns);
  EXPECT_FALSE(output_->is_over());
  output_->look_last();
  EXPECT_EQ(output_->exceeded().limit, CommandLimit::kOutput);
  EXPECT_GE(output_->exceeded().use, 64 * kMiB);
  output_->drop();
  std::vector<std::string> left;
  for (const auto& entry : std::filesystem::directory_iterator(dir_.path()))
    left.push_back(entry.path().filename());
  EXPECT_THAT(left, UnorderedElementsAre("stdout", "stderr"));
}

}  // namespace heddle::task::disk_use_test
