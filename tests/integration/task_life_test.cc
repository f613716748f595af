// Tests how heddle-task begins and ends: what it refuses, and that it never outlives its worker.
#include <signal.h>
#include <sys/eventfd.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <new>

#include "tests/integration/task_bench.h"
#include "tests/support/matchers.h"

namespace heddle::task_life_test {

struct Refusal {
  int exit_status;
  std::string words;
};

Fd page_of(const TaskPage& contents, off_t size = sizeof(TaskPage)) {
  Fd fd(::memfd_create("page", MFD_CLOEXEC));
  EXPECT_EQ(::pwrite(fd.get(), &contents, sizeof contents, 0),
            static_cast<ssize_t>(sizeof contents));
  EXPECT_EQ(::ftruncate(fd.get(), size), 0);
  return fd;
}

Refusal refusal(int page_fd, int doorbell_fd) {
  int out[2];
  EXPECT_EQ(::pipe(out), 0);
  Fd read_end(out[0]), write_end(out[1]);
  pid_t pid = spawn_task(page_fd, doorbell_fd, -1, write_end.get());
  write_end.reset();
  char text[512];
  ssize_t n = ::read(read_end.get(), text, sizeof text);
  std::string words(text, static_cast<std::size_t>(std::max<ssize_t>(n, 0)));
  while ((n = ::read(read_end.get(), text, sizeof text)) > 0)
    words.append(text, static_cast<std::size_t>(n));
  int status = 0;
  EXPECT_EQ(::waitpid(pid, &status, 0), pid);
  return {WIFEXITED(status) ? WEXITSTATUS(status) : -WTERMSIG(status), words};
}

TEST(TaskLife, RefusesWhatItCantUse) {
  Fd doorbell(::eventfd(0, EFD_CLOEXEC));
  Refusal no_page = refusal(-1, doorbell.get());
  EXPECT_EQ(no_page.exit_status, kTaskExitPage);
  EXPECT_EQ(no_page.words, "heddle-task: no page at descriptor 3\n");

  TaskPage page;
  Refusal no_doorbell = refusal(page_of(page).get(), -1);
  EXPECT_EQ(no_doorbell.exit_status, kTaskExitPage);
  EXPECT_EQ(no_doorbell.words, "heddle-task: no doorbell at descriptor 4\n");

  Refusal small = refusal(page_of(page, 64).get(), doorbell.get());
  EXPECT_EQ(small.exit_status, kTaskExitPage);
  EXPECT_THAT(small.words, HasSubstr("too small"));

  TaskPage bad_order;
  bad_order.order.part.threads = 0;
  Refusal order = refusal(page_of(bad_order).get(), doorbell.get());
  EXPECT_EQ(order.exit_status, kTaskExitPage);
  EXPECT_EQ(order.words, "heddle-task: bad order: threads out of range\n");

  TaskPage newer;
  newer.version = TaskPage::kVersion + 1;
  Refusal version = refusal(page_of(newer).get(), doorbell.get());
  EXPECT_EQ(version.exit_status, kTaskExitPage);
  EXPECT_THAT(version.words, HasSubstr("another version"));
}

TEST(TaskLife, EndsAtOnceIfItsParentIsAnother) {
  Fd doorbell(::eventfd(0, EFD_CLOEXEC));
  TaskPage page;
  page.order.parent_pid = 1;
  page.order.part.sleep_ns = 10'000'000'000;
  Refusal orphan = refusal(page_of(page).get(), doorbell.get());
  EXPECT_EQ(orphan.exit_status, kTaskExitOrphan);
  EXPECT_EQ(orphan.words, "heddle-task: the worker is gone\n");
}

TEST(TaskLife, NothingToDoIsDone) {
  TaskBench bench(1, 1);
  bench.start(1, 1, TaskOrder{});
  bench.serve_all();
  EXPECT_EQ(bench.run(1).status, 0);
  EXPECT_TRUE(bench.run(1).said.done);
}

/// Returns the wait status of a task whose worker was killed with SIGKILL.
int status_after_worker_died(bool stopped) {
  // The test reaps the task once its worker is gone.
  EXPECT_EQ(::prctl(PR_SET_CHILD_SUBREAPER, 1), 0);
  int out[2];
  EXPECT_EQ(::pipe(out), 0);
  Fd read_end(out[0]), write_end(out[1]);
  pid_t worker = ::fork();
  if (worker == 0) {
    TaskBench bench(1, 0.1);
    TaskOrder order;
    order.part.cpu_ns_per_thread = 1'000'000'000'000;
    bench.start(1, 1, order);
    // Before it runs, the task may notice by itself that its worker is gone, and leave.
    while (bench.said(1).cpu.count() == 0) bench.serve(std::chrono::milliseconds(10));
    pid_t task = bench.run(1).pid;
    if (stopped) {
      ::kill(task, SIGSTOP);
      ::waitpid(task, nullptr, WUNTRACED);
    }
    if (::write(out[1], &task, sizeof task) != sizeof task) ::_exit(1);
    for (;;) ::pause();
  }
  pid_t task = 0;
  EXPECT_EQ(::read(read_end.get(), &task, sizeof task), static_cast<ssize_t>(sizeof task));
  EXPECT_EQ(::kill(task, 0), 0);
  ::kill(worker, SIGKILL);
  EXPECT_EQ(::waitpid(worker, nullptr, 0), worker);
  int status = 0;
  EXPECT_EQ(::waitpid(task, &status, 0), task);  // a task that lives on runs into the time limit
  ::prctl(PR_SET_CHILD_SUBREAPER, 0);
  return status;
}

TEST(TaskLife, DiesWithItsWorker) {
  for (bool stopped : {false, true}) {
    int status = status_after_worker_died(stopped);
    ASSERT_TRUE(WIFSIGNALED(status)) << "stopped: " << stopped;
    EXPECT_EQ(WTERMSIG(status), SIGKILL) << "stopped: " << stopped;
  }
}

}  // namespace heddle::task_life_test
