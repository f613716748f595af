#include "trace/import/alibaba_batch.h"

namespace heddle::trace {
namespace alibaba {
namespace {

constexpr auto kTasks2017 = task_columns(
    {.job = 2, .task = 3, .status = 5, .start = 0, .end = 1, .cpu = 6, .memory = 7}, 4, 1);
constexpr auto kInstances2017 = instance_columns(
    {.job = 2, .task = 3, .status = 5, .start = 0, .end = 1, .cpu = 9, .memory = 11}, 1, 1);
const Year kYear2017{
    .tasks = {kTasks2017, {.fields = 8, .header = true}},
    .instances = {kInstances2017, {.fields = 12, .header = true}},
    .instances_have_names = false,
    .machine = {Millicores(64'000), EmuBytes(256LL << 30)},
    .expected = "8 fields: create time, end time, job, task, instances, status, CPU, memory"};

}  // namespace
}  // namespace alibaba

const FormatCode formats::alibaba_2017{
    [](std::string_view head) { return looks_like(alibaba::kYear2017.tasks, head); },
    [](std::vector<Input>& files, const ImportOptions& options, JobCollection& jobs,
       ImportReport& report) {
      return alibaba::import(alibaba::kYear2017, files, options, jobs, report);
    }};

}  // namespace heddle::trace
