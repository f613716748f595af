// heddle-task does the work of one map, reduce or executor container, as real CPU time, memory and
// wall time. The page that it shares with its worker says what to do, and how fast
// (common/cpu_line.h). Its arguments are for people who look at `ps`, except for a first argument
// "command": then it runs a program of the user's in the container. `heddle-task --burn SECONDS` is
// such a program itself: it uses that much CPU time, start-up included, and ends.

#include <fcntl.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <cstring>

#include "common/cpu_line.h"
#include "workloads/task/ballast.h"
#include "workloads/task/burner.h"
#include "workloads/task/command.h"
#include "workloads/task/kernel.h"
#include "workloads/task/order.h"

namespace heddle::task {
namespace {

TaskPage& open_page() {
  struct stat status;
  if (::fstat(kTaskPageFd, &status) < 0) die(kTaskExitPage, "no page at descriptor 3");
  if (status.st_size < static_cast<off_t>(sizeof(TaskPage)))
    die(kTaskExitPage, "page at descriptor 3 too small");
  void* memory =
      ::mmap(nullptr, sizeof(TaskPage), PROT_READ | PROT_WRITE, MAP_SHARED, kTaskPageFd, 0);
  if (memory == MAP_FAILED) die(kTaskExitPage, "can't map the page at descriptor 3");
  auto& page = *static_cast<TaskPage*>(memory);
  if (page.version != TaskPage::kVersion)
    die(kTaskExitPage, "page of another version: worker and heddle-task differ");
  if (const char* reason = unusable(page.order)) die(kTaskExitPage, "bad order", reason);
  if (::fcntl(kTaskDoorbellFd, F_GETFD) < 0) die(kTaskExitPage, "no doorbell at descriptor 4");
  return page;
}

/// Makes this process die with the worker, however that ends.
void bind_to_parent(std::int32_t parent_pid) {
  ::prctl(PR_SET_PDEATHSIG, SIGKILL);
  // If the worker had gone before, no signal would come.
  if (parent_pid != 0 && ::getppid() != parent_pid) die(kTaskExitOrphan, "the worker is gone");
}

int burn_unpaced(const char* seconds) {
  const auto goal_ns = static_cast<std::int64_t>(std::strtod(seconds, nullptr) * 1e9);
  while (process_cpu_ns() < goal_ns) {
  }
  return 0;
}

}  // namespace
}  // namespace heddle::task

int main(int argc, char** argv) {
  using namespace heddle::task;
  if (argc == 3 && std::strcmp(argv[1], "--burn") == 0) return burn_unpaced(argv[2]);
  if (argc == 2 && std::strcmp(argv[1], "--version") == 0)
    return std::puts("heddle-task " HEDDLE_VERSION) < 0;
  const bool command = argc > 1 && std::strcmp(argv[1], heddle::kCommandWord) == 0;
  heddle::TaskPage& page = open_page();
  if (command) supervise(page, argc, argv);
  bind_to_parent(page.order.parent_pid);
  ::prctl(PR_SET_TIMERSLACK, 1UL);  // threads inherit it
  Ballast ballast(page.ballast);
  if (!ballast.reserve(heddle::kTaskMemoryFd, peak_memory(page.order), page.order.huge_pages != 0))
    die(heddle::kTaskExitResource, "can't reserve address space for the memory profile");
  page.report.startup_cpu_ns.store(process_cpu_ns());

  Keeper keeper(page, ballast);
  for (std::int32_t done = 0;;) {
    keeper.wait(done);
    const heddle::PartOrder part = page.order.part;  // the next may come once this one is done
    if (const char* reason = unusable(part)) die(heddle::kTaskExitPage, "bad part", reason);
    do_part(page, keeper);
    keeper.finish(part);
    if (part.last != 0) ::_exit(0);  // nothing to flush or undo
    done = part.number;
  }
}
