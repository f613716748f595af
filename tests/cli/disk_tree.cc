#include "disk_tree.h"

#include <fcntl.h>
#include <sys/ptrace.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <csignal>
#include <filesystem>
#include <fstream>
#include <set>
#include <utility>

#include "common/directory.h"
#include "common/file.h"
#include "tests/master/model_disk.h"

namespace heddle::cli {
namespace {

namespace fs = std::filesystem;

ino_t inode_of(const std::string& path) {
  struct stat info {};
  return ::stat(path.c_str(), &info) == 0 ? info.st_ino : 0;
}

/// Returns the file that a system call is about to change, "/" for one that changes names, or ""
/// for a call that changes nothing.
std::string changed_by(const __ptrace_syscall_info& info, pid_t pid) {
  const auto fd = [&] {
    return "/proc/" + std::to_string(pid) + "/fd/" + std::to_string(info.entry.args[0]);
  };
  switch (info.entry.nr) {
    case SYS_write:
    case SYS_writev:
    case SYS_pwrite64:
    case SYS_ftruncate:
    case SYS_fsync:
    case SYS_fdatasync:
      return fd();
    case SYS_rename:
    case SYS_renameat:
    case SYS_renameat2:
    case SYS_link:
    case SYS_linkat:
    case SYS_unlink:
    case SYS_unlinkat:
    case SYS_rmdir:
    case SYS_mkdir:
    case SYS_mkdirat:
      return "/";
    case SYS_openat:
      return (info.entry.args[2] & O_CREAT) != 0 ? "/" : "";
    default:
      return "";
  }
}

bool syncs(const __ptrace_syscall_info& info) {
  return info.entry.nr == SYS_fsync || info.entry.nr == SYS_fdatasync;
}

[[noreturn]] void become(const std::vector<std::string>& words, const std::string& directory) {
  std::vector<char*> pointers;
  for (const std::string& word : words) pointers.push_back(const_cast<char*>(word.c_str()));
  pointers.push_back(nullptr);
  const int null = ::open("/dev/null", O_RDWR | O_CLOEXEC);
  for (const int fd : {STDIN_FILENO, STDOUT_FILENO, STDERR_FILENO}) ::dup2(null, fd);
  if (::ptrace(PTRACE_TRACEME, 0, nullptr, nullptr) == 0 && ::chdir(directory.c_str()) == 0)
    ::execv(pointers[0], pointers.data());
  ::_exit(127);
}

}  // namespace

Tree tree_at(const std::string& directory) {
  Tree tree;
  for (const fs::directory_entry& entry : fs::recursive_directory_iterator(directory))
    if (entry.is_regular_file())
      tree[fs::relative(entry.path(), directory)] = *read_file(entry.path());
  return tree;
}

void write_tree(const Tree& tree, const std::string& directory) {
  for (const auto& [path, contents] : tree) {
    const fs::path file = fs::path(directory) / path;
    fs::create_directories(file.parent_path());
    std::ofstream(file, std::ios::binary) << contents;
  }
}

DiskTree::DiskTree(std::string root) : root_(std::move(root)), top_(inode_of(root_)) {
  look();
  synced_names_ = names_;
  for (auto& [inode, file] : files_) file.synced = contents(inode);
}

void DiskTree::look() {
  names_.clear();
  scan(root_);
}

void DiskTree::scan(const std::string& path) {
  const ino_t inode = inode_of(path);
  if (!directories_.contains(inode))
    directories_[inode] = Fd(::open(path.c_str(), O_PATH | O_CLOEXEC));
  Names& names = names_[inode];
  for (const fs::directory_entry& entry : fs::directory_iterator(path)) {
    const ino_t below = inode_of(entry.path());
    names[entry.path().filename()] = below;
    if (entry.is_directory())
      scan(entry.path());
    else if (!files_.contains(below))
      files_[below].fd = Fd(::open(entry.path().c_str(), O_RDONLY | O_CLOEXEC));
  }
}

bool DiskTree::has(const std::string& proc) const {
  const ino_t inode = inode_of(proc);
  return files_.contains(inode) || names_.contains(inode);
}

void DiskTree::sync(const std::string& proc) {
  const ino_t inode = inode_of(proc);
  if (names_.contains(inode)) synced_names_[inode] = names_[inode];
  if (files_.contains(inode)) files_[inode].synced = contents(inode);
}

std::string DiskTree::contents(ino_t file) const {
  return *read_file(proc_path_of(files_.at(file).fd));
}

Tree DiskTree::power_fails(std::mt19937_64& random) const {
  Tree left;
  leave(top_, "", random, left);
  return left;
}

void DiskTree::leave(ino_t directory, const std::string& below, std::mt19937_64& random,
                     Tree& left) const {
  const Names none;
  const auto of = [&](const std::map<ino_t, Names>& all) -> const Names& {
    const auto found = all.find(directory);
    return found == all.end() ? none : found->second;
  };
  const Names &seen = of(names_), &synced = of(synced_names_);
  std::set<std::string> all;
  for (const Names* names : {&seen, &synced})
    for (const auto& [name, inode] : *names) all.insert(name);
  for (const std::string& name : all) {
    const bool old = random() % 2 == 0;
    const Names& chosen = old ? synced : seen;
    const auto found = chosen.find(name);
    if (found == chosen.end()) continue;
    if (directories_.contains(found->second)) {
      leave(found->second, below + name + "/", random, left);
      continue;
    }
    master::ModelDisk file;
    file.bytes = contents(found->second);
    const std::string& on_disk = files_.at(found->second).synced;
    file.synced =
        static_cast<std::size_t>(std::ranges::mismatch(on_disk, file.bytes).in1 - on_disk.begin());
    file.power_fails(random);
    left[below + name] = std::move(file.bytes);
  }
}

int run_on(DiskTree& disk, const std::vector<std::string>& words, const std::string& directory,
           const std::function<void()>& before) {
  const pid_t program = ::fork();
  if (program == 0) become(words, directory);
  int status = 0;
  if (::waitpid(program, &status, 0) != program || !WIFSTOPPED(status)) return -1;
  ::ptrace(PTRACE_SETOPTIONS, program, nullptr,
           PTRACE_O_TRACESYSGOOD | PTRACE_O_EXITKILL | PTRACE_O_TRACEFORK | PTRACE_O_TRACEVFORK |
               PTRACE_O_TRACECLONE | PTRACE_O_TRACEEXEC);
  std::set<pid_t> known = {program};
  int ended = -1;
  for (pid_t pid = program; pid > 0; pid = ::waitpid(-1, &status, __WALL)) {
    if (!WIFSTOPPED(status)) {
      if (pid == program) ended = WIFEXITED(status) ? WEXITSTATUS(status) : -1;
      continue;
    }
    int signal = WSTOPSIG(status);
    if (signal == (SIGTRAP | 0x80)) {
      signal = 0;
      __ptrace_syscall_info info{};
      ::ptrace(PTRACE_GET_SYSCALL_INFO, pid, sizeof info, &info);
      const std::string changed =
          info.op == PTRACE_SYSCALL_INFO_ENTRY ? changed_by(info, pid) : std::string();
      if (!changed.empty()) {
        disk.look();
        if (changed == "/" || disk.has(changed)) before();
        if (syncs(info)) disk.sync(changed);
      }
    } else if (signal == SIGTRAP || (signal == SIGSTOP && known.insert(pid).second)) {
      signal = 0;  // of the tracing itself
    }
    ::ptrace(PTRACE_SYSCALL, pid, nullptr, signal);
  }
  disk.look();
  return ended;
}

}  // namespace heddle::cli
