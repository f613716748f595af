#include "common/directory.h"

#include <sys/mount.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <optional>

#include "common/file.h"
#include "common/sudo_caller.h"
#include "tests/support/matchers.h"
#include "tests/support/temporary_directory.h"

namespace heddle::directory_test {

namespace fs = std::filesystem;

constexpr uid_t kOther = 54'321;
constexpr gid_t kGroup = 54'322;

class DirectoryTest : public ::testing::Test {
 protected:
  DirectoryTest() {
    std::ofstream(path("victim")) << "precious";
    fs::create_directory(path("out"));
  }
  ~DirectoryTest() override {
    ::unsetenv("SUDO_UID");
    ::unsetenv("SUDO_GID");
  }

  std::string path(const std::string& name) const { return folder_ / name; }
  /// Plants a link in the directory of results, as another user might.
  void plant(const std::string& name, const std::string& target) const {
    fs::create_symlink(path(target), path("out/" + name));
  }
  std::string victim() const { return *read_file(path("victim")); }
  Directory out() const { return *Directory::open(path("out")); }
  std::size_t files() const {
    const fs::directory_iterator all(path("out"));
    return static_cast<std::size_t>(std::distance(begin(all), end(all)));
  }
  static void call_by_sudo() {
    ::setenv("SUDO_UID", std::to_string(kOther).c_str(), 1);
    ::setenv("SUDO_GID", std::to_string(kGroup).c_str(), 1);
  }
  uid_t owner(const std::string& name) const {
    struct stat info {};
    EXPECT_EQ(::lstat(path(name).c_str(), &info), 0) << name;
    return info.st_uid;
  }

  tests::TemporaryDirectory folder_;
};

TEST_F(DirectoryTest, NoFileIsWrittenThroughALink) {
  plant("summary.json", "victim");
  plant("summary.json.new", "victim");
  plant("journal.jsonl", "victim");
  plant("to_be", "nothing");
  ASSERT_TRUE(replace_file(path("out/summary.json"), "{}"));
  EXPECT_EQ(*read_file(path("out/summary.json")), "{}");
  EXPECT_FALSE(fs::is_symlink(path("out/summary.json")));
  EXPECT_EQ(create_file(path("out/journal.jsonl"), O_WRONLY).error().code, EEXIST);
  EXPECT_EQ(create_file(path("out/to_be"), O_WRONLY).error().code, EEXIST);
  EXPECT_EQ(open_file(path("out/journal.jsonl"), O_RDWR).error().code, ELOOP);
  EXPECT_EQ(append_file(path("out/journal.jsonl")).error().code, ELOOP);
  EXPECT_EQ(victim(), "precious");
  EXPECT_FALSE(fs::exists(path("nothing")));
}

TEST_F(DirectoryTest, AFileThatWaitsForItsPlaceHasARandomName) {
  const Directory out = this->out();
  Result<Directory::Temporary> first = out.create_for("a"), second = out.create_for("a");
  ASSERT_TRUE(first && second);
  EXPECT_NE(first->name, second->name);
  EXPECT_TRUE(is_temporary_of(first->name, "a"));
  ASSERT_TRUE(write_all(first->file.get(), "text", "a"));
  ASSERT_TRUE(out.put(*first, "a"));
  EXPECT_EQ(*read_file(path("out/a")), "text");
  EXPECT_EQ(files(), 2u);
  out.discard_all_for("b");
  EXPECT_EQ(files(), 2u);
  out.discard_all_for("a");
  EXPECT_EQ(files(), 1u);
}

TEST_F(DirectoryTest, NamesOfTemporariesAreKnown) {
  EXPECT_TRUE(is_temporary_of("run.sqlite.0123abcd.new", "run.sqlite"));
  EXPECT_FALSE(is_temporary_of("run.sqlite.0123abcd.new", "run"));
  EXPECT_FALSE(is_temporary_of("run.sqlite.new", "run.sqlite"));
  EXPECT_FALSE(is_temporary_of("run.sqlite", "run.sqlite"));
  EXPECT_FALSE(is_temporary_of("run.sqlite.0123abcd.old", "run.sqlite"));
  EXPECT_FALSE(is_temporary_of("", "run.sqlite"));
}

TEST_F(DirectoryTest, StaysWhatItIsWhenItsPathBecomesAnothers) {
  const Directory held = out();
  fs::rename(path("out"), path("moved"));
  fs::create_directory(path("elsewhere"));
  fs::create_directory_symlink(path("elsewhere"), path("out"));
  ASSERT_TRUE(held.create("journal.jsonl"));
  EXPECT_TRUE(fs::exists(path("moved/journal.jsonl")));
  EXPECT_FALSE(fs::exists(path("elsewhere/journal.jsonl")));
}

TEST_F(DirectoryTest, IsListedAndEnteredWithoutLinks) {
  fs::create_directory(path("out/b"));
  std::ofstream(path("out/a")) << "text";
  plant("link", "victim");
  EXPECT_THAT(*out().names(), ElementsAre("a", "b", "link"));
  EXPECT_EQ(out().enter("b")->path(), path("out/b"));
  EXPECT_EQ(out().enter("a").error().code, ENOTDIR);
  EXPECT_EQ(out().enter("link").error().code, ELOOP);
  EXPECT_EQ(out().enter("..").error().code, EXDEV);
}

TEST_F(DirectoryTest, HasOneLock) {
  EXPECT_FALSE(is_locked(out()));
  std::optional<Fd> lock = *lock_directory(out());
  ASSERT_TRUE(lock);
  EXPECT_TRUE(is_locked(out()));
  EXPECT_FALSE(*lock_directory(out()));
  lock.reset();
  EXPECT_FALSE(is_locked(out()));
  EXPECT_TRUE(*lock_directory(out()));
}

TEST_F(DirectoryTest, IsFoundWhereItWasMovedTo) {
  const std::optional<Fd> held = *lock_directory(out());
  ASSERT_TRUE(held);
  EXPECT_EQ(present_path(*held, path("out")).value(), path("out"));
  fs::rename(path("out"), path("moved"));
  EXPECT_EQ(present_path(*held, path("out")).value(), path("moved"));
  fs::create_directory(path("out"));  // another one
  EXPECT_EQ(present_path(*held, path("out")).value(), path("moved"));
  fs::remove_all(path("moved"));
  const Result<std::string> gone = present_path(*held, path("out"));
  ASSERT_FALSE(gone);
  EXPECT_EQ(gone.error().kind, Error::Kind::kAborted);
  EXPECT_THAT(gone.error().text, HasSubstr("out: the directory was removed"));
}

TEST_F(DirectoryTest, WhatIsBelowNeverLeadsOut) {
  fs::create_directories(path("out/a/b"));
  std::ofstream(path("out/a/b/file")) << "text";
  plant("link", "out/a");
  plant("away", "victim");
  const Directory out = this->out();
  const auto code = [&](const std::string& below) {
    const Result<Fd> fd = out.open_below(below, O_RDONLY);
    return fd ? 0 : fd.error().code;
  };
  EXPECT_EQ(code("a/b/file"), 0);
  EXPECT_EQ(code("a/../a/b"), 0);
  EXPECT_EQ(code("."), 0);
  EXPECT_EQ(code(".."), EXDEV);
  EXPECT_EQ(code("a/../../victim"), EXDEV);
  EXPECT_EQ(code(path("victim")), EXDEV);
  EXPECT_EQ(code("link/b/file"), ELOOP);
  EXPECT_EQ(code("away"), ELOOP);
  EXPECT_EQ(code("none"), ENOENT);
}

TEST_F(DirectoryTest, OwnLinksOnTheWayAreFollowed) {
  fs::create_directories(path("disk/results"));
  fs::create_directory_symlink(path("disk"), path("abs"));
  fs::create_directory_symlink("abs/results", path("results"));
  ASSERT_TRUE(replace_file(path("results/a"), "text"));
  EXPECT_EQ(*read_file(path("disk/results/a")), "text");
  ASSERT_TRUE(Directory::make(path("results/x/y")));
  EXPECT_TRUE(fs::is_directory(path("disk/results/x/y")));
  fs::create_directory_symlink("loop", path("loop"));
  EXPECT_EQ(Directory::open(path("loop")).error().code, ELOOP);
  EXPECT_EQ(Directory::open(path("victim")).error().code, ENOTDIR);
  EXPECT_EQ(Directory::open(path("none/x")).error().text,
            "open " + path("none/x") + ": No such file or directory");
}

TEST_F(DirectoryTest, AnotherUsersLinksAreNotFollowed) {
  if (::geteuid() != 0) GTEST_SKIP() << "only root can give a link away";
  fs::create_directory(path("etc"));
  fs::create_directory_symlink(path("etc"), path("results"));
  ASSERT_EQ(::lchown(path("results").c_str(), kOther, kGroup), 0);
  for (const Result<Directory>& opened :
       {Directory::open(path("results")), Directory::make(path("results/x"))}) {
    ASSERT_FALSE(opened);
    EXPECT_EQ(opened.error().kind, Error::Kind::kMachine);
    EXPECT_THAT(opened.error().text, HasSubstr("results is a link of user 54321"));
  }
  EXPECT_FALSE(replace_file(path("results/a"), "text"));
  EXPECT_TRUE(fs::is_empty(path("etc")));
  // A link of the user who called sudo is followed, as they could have named its target themselves.
  call_by_sudo();
  EXPECT_TRUE(Directory::open(path("results")));
}

TEST_F(DirectoryTest, RootWritesToNoFileThatHasAnotherName) {
  if (::geteuid() != 0) GTEST_SKIP() << "others may";
  fs::create_hard_link(path("victim"), path("out/journal.jsonl"));
  EXPECT_FALSE(open_file(path("out/journal.jsonl"), O_RDWR));
  EXPECT_FALSE(append_file(path("out/journal.jsonl")));
  ASSERT_TRUE(replace_file(path("out/journal.jsonl"), "new"));
  EXPECT_EQ(victim(), "precious");
}

TEST_F(DirectoryTest, APipeIsNoFileAndNobodyWaitsForIt) {
  ASSERT_EQ(::mkfifo(path("out/log").c_str(), 0600), 0);
  EXPECT_FALSE(append_file(path("out/log")));
  EXPECT_FALSE(open_file(path("out/log"), O_RDWR));
}

TEST_F(DirectoryTest, AppendsToWhatIsThere) {
  for (const char* text : {"one\n", "two\n"}) {
    Result<Fd> file = append_file(path("out/log"));
    ASSERT_TRUE(file) << file.error().text;
    ASSERT_TRUE(write_all(file->get(), text, "log"));
  }
  EXPECT_EQ(*read_file(path("out/log")), "one\ntwo\n");
}

TEST_F(DirectoryTest, BySudoResultsAreTheCallers) {
  if (::geteuid() != 0) GTEST_SKIP() << "only root can give files away";
  ASSERT_TRUE(Directory::make(path("before")));
  call_by_sudo();
  ASSERT_TRUE(Directory::make(path("before/results/run")));
  ASSERT_TRUE(replace_file(path("before/results/run/summary.json"), "{}"));
  ASSERT_TRUE(append_file(path("before/results/run/log")));
  EXPECT_EQ(owner("before"), 0u);
  for (const char* made : {"before/results", "before/results/run",
                           "before/results/run/summary.json", "before/results/run/log"})
    EXPECT_EQ(owner(made), kOther) << made;
  // Files in a directory of root's stay root's, such as those of a run's own directory.
  ASSERT_TRUE(replace_file(path("out/run.json"), "{}"));
  EXPECT_EQ(owner("out/run.json"), 0u);
}

TEST_F(DirectoryTest, RemovesTreesAndFollowsNothing) {
  fs::create_directories(path("out/tree/a/b"));
  std::ofstream(path("out/tree/a/file")) << "text";
  fs::create_directory(path("outside"));
  std::ofstream(path("outside/file")) << "text";
  fs::create_directory_symlink(path("outside"), path("out/tree/a/link"));
  fs::create_directory_symlink(path("outside"), path("out/link"));
  const Directory out = this->out();
  ASSERT_TRUE(out.remove_all("tree"));
  ASSERT_TRUE(out.remove_all("link"));
  ASSERT_TRUE(out.remove_all("none"));
  EXPECT_EQ(files(), 0u);
  EXPECT_TRUE(fs::exists(path("outside/file")));
}

TEST_F(DirectoryTest, RemovesTreesThatAreDeeperThanTheLimitOfDescriptors) {
  constexpr int kLevels = 3000;
  const Directory out = this->out();
  Directory at = *out.make_new("deep");
  for (int i = 0; i < kLevels; ++i) {
    at = *at.make_new("d");
    if (i % 500 == 0) {
      ASSERT_TRUE(at.create("file"));
    }
  }
  rlimit before{};
  ASSERT_EQ(::getrlimit(RLIMIT_NOFILE, &before), 0);
  const rlimit few{200, before.rlim_max};
  ASSERT_EQ(::setrlimit(RLIMIT_NOFILE, &few), 0);
  const Result<void> removed = out.remove_all("deep");
  ASSERT_EQ(::setrlimit(RLIMIT_NOFILE, &before), 0);
  EXPECT_TRUE(removed) << removed.error().text;
  EXPECT_EQ(files(), 0u);
}

TEST_F(DirectoryTest, KeepsWhatIsMountedInATree) {
  fs::create_directories(path("out/tree/a/mounted"));
  std::ofstream(path("out/tree/a/file")) << "text";
  fs::create_directory(path("outside"));
  std::ofstream(path("outside/file")) << "text";
  if (::mount(path("outside").c_str(), path("out/tree/a/mounted").c_str(), nullptr, MS_BIND,
              nullptr) != 0)
    GTEST_SKIP() << "this process cannot mount";
  const Directory out = this->out();
  const Result<std::vector<std::string>> mounts = out.remove_tree("tree");
  const Result<void> removed = out.remove_all("tree");
  const Directory a = *Directory::open(path("out/tree/a"));
  const Result<Directory> entered = a.enter_same_mount("mounted");
  EXPECT_TRUE(a.enter("mounted"));
  ASSERT_EQ(::umount(path("out/tree/a/mounted").c_str()), 0);
  ASSERT_TRUE(mounts);
  EXPECT_THAT(*mounts, ElementsAre(path("out/tree/a/mounted")));
  ASSERT_FALSE(removed);
  EXPECT_EQ(removed.error().text,
            path("out/tree/a/mounted") + ": a file system is mounted there; it is kept");
  ASSERT_FALSE(entered);
  EXPECT_EQ(entered.error().code, EXDEV);
  EXPECT_FALSE(fs::exists(path("out/tree/a/file")));
  EXPECT_TRUE(fs::exists(path("outside/file")));
  EXPECT_TRUE(out.remove_all("tree"));
}

TEST_F(DirectoryTest, APrivateOneIsNewAndForNobodyElse) {
  const Directory out = this->out();
  ASSERT_TRUE(out.make_private("mine"));
  EXPECT_EQ(fs::status(path("out/mine")).permissions(), fs::perms::owner_all);
  EXPECT_EQ(out.make_private("mine").error().code, EEXIST);
  plant("planted", "victim");
  EXPECT_EQ(out.make_private("planted").error().code, EEXIST);
}

TEST(PathParts, OfPaths) {
  const auto parts = [](const std::string& path) {
    const PathParts found = parts_of(path);
    return found.directory + " " + found.name;
  };
  EXPECT_EQ(parts("/a/b/c"), "/a/b c");
  EXPECT_EQ(parts("a/b"), "a b");
  EXPECT_EQ(parts("a"), ". a");
  EXPECT_EQ(parts("/a"), "/ a");
}

TEST(SudoCallerOf, RootAloneHasOne) {
  EXPECT_EQ(sudo_caller(0, "1000", "100"), (SudoCaller{1000, 100}));
  EXPECT_EQ(sudo_caller(1, "1000", "100"), std::nullopt);
  EXPECT_EQ(sudo_caller(0, nullptr, nullptr), std::nullopt);
  EXPECT_EQ(sudo_caller(0, "1000", nullptr), std::nullopt);
  EXPECT_EQ(sudo_caller(0, "0", "0"), std::nullopt);
  EXPECT_EQ(sudo_caller(0, "4294967295", "100"), std::nullopt) << "leave it, to the kernel";
  EXPECT_EQ(sudo_caller(0, "-1", "100"), std::nullopt);
  EXPECT_EQ(sudo_caller(0, "ann", "100"), std::nullopt);
  EXPECT_EQ(sudo_caller(0, "1000 ", "100"), std::nullopt);
  EXPECT_EQ(sudo_caller(0, "", ""), std::nullopt);
}

}  // namespace heddle::directory_test
