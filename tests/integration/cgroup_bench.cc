#include "tests/integration/cgroup_bench.h"

#include <fcntl.h>
#include <signal.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <stdexcept>
#include <thread>

#include "common/file.h"

namespace heddle::cgroup {
namespace {

using std::chrono::milliseconds;
using std::chrono::seconds;

constexpr seconds kPatience(20);

}  // namespace

void RealGroups::SetUp() {
  Result<Home> home = find_home(std::nullopt);
  ASSERT_TRUE(home) << home.error().text;
  home_ = *std::move(home);
  run_ = "test-" + std::to_string(::getpid());
}

void RealGroups::TearDown() {
  if (!home_.driver) return;
  Result<void> removed = remove_tree(driver(), run_group(run_), seconds(10));
  EXPECT_TRUE(removed) << removed.error().text;
  for (pid_t child : children_) {
    ::kill(child, SIGKILL);
    ::waitpid(child, nullptr, 0);
  }
  Result<std::vector<std::string>> runs = runs_in(driver());
  ASSERT_TRUE(runs);
  EXPECT_EQ(std::count(runs->begin(), runs->end(), run_), 0);
  leave_home(home_);
}

std::unique_ptr<NodeTree> RealGroups::make_node(const NodeCaps& caps, const std::string& name) {
  Result<std::unique_ptr<NodeTree>> tree = NodeTree::create(driver(), run_, name, caps);
  if (!tree) throw std::runtime_error(tree.error().text);
  return *std::move(tree);
}

int RealGroups::acquire(NodeTree& tree, const ContainerCaps& caps) {
  Result<int> slot = tree.acquire(caps);
  EXPECT_TRUE(slot) << slot.error().text;
  return slot ? *slot : -1;
}

pid_t RealGroups::start(const std::string& group, const std::function<void()>& work) {
  Result<std::vector<Fd>> attach = driver().open_attach(group);
  EXPECT_TRUE(attach);
  int joined[2];
  EXPECT_EQ(::pipe2(joined, O_CLOEXEC), 0);
  pid_t child = ::fork();
  if (child == 0) {
    ::prctl(PR_SET_PDEATHSIG, SIGKILL);
    for (const Fd& fd : *attach)
      if (::write(fd.get(), "0", 1) != 1) ::_exit(99);
    if (::write(joined[1], "j", 1) != 1) ::_exit(99);
    // Closes descriptors as exec would; otherwise the child would hold the groups that the test
    // holds.
    ::close_range(3, ~0U, 0);
    work();
    ::_exit(0);
  }
  ::close(joined[1]);
  char byte = 0;
  EXPECT_EQ(::read(joined[0], &byte, 1), 1) << "the child can't join " << group;
  ::close(joined[0]);
  children_.push_back(child);
  return child;
}

int RealGroups::await_end(pid_t child) {
  int status = 0;
  bool ended = false;
  auto look = [&] { return ended = ::waitpid(child, &status, WNOHANG) == child; };
  wait_for(look, "the end of a process");
  if (!ended) {
    ::kill(child, SIGKILL);
    ::waitpid(child, &status, 0);
  }
  std::erase(children_, child);
  return status;
}

bool RealGroups::alive(pid_t child) {
  siginfo_t info{};
  return ::waitid(P_PID, static_cast<id_t>(child), &info, WEXITED | WNOHANG | WNOWAIT) == 0 &&
         info.si_pid == 0;
}

std::string RealGroups::file(const std::string& group, const std::string& name) {
  for (const std::string& directory : driver().directories(group)) {
    Result<std::string> text = read_file(directory + "/" + name);
    if (!text) continue;
    if (text->ends_with('\n')) text->pop_back();
    return *text;
  }
  ADD_FAILURE() << group << " has no " << name;
  return "";
}

void RealGroups::wait_for(const std::function<bool()>& done, const char* what) {
  auto deadline = std::chrono::steady_clock::now() + kPatience;
  while (!done()) {
    if (std::chrono::steady_clock::now() > deadline) {
      ADD_FAILURE() << "no sign of " << what;
      return;
    }
    std::this_thread::sleep_for(milliseconds(1));
  }
}

void burn() {
  for (;;) asm volatile("");
}

void touch_and_wait(std::int64_t bytes) {
  auto size = static_cast<std::size_t>(bytes);
  void* memory = ::mmap(nullptr, size, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  if (memory == MAP_FAILED) ::_exit(98);
  ::madvise(memory, size, MADV_NOHUGEPAGE);
  for (std::size_t at = 0; at < size; at += 4096)
    static_cast<volatile char*>(memory)[at] = static_cast<char>(at >> 12 | 1);
  for (;;) ::pause();
}

CpuCap cpu_cap(double cpus, bool burst) {
  return {real::Cpus{cpus}, std::chrono::microseconds(20000), burst};
}

}  // namespace heddle::cgroup
