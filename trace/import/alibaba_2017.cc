#include "trace/import/alibaba.h"
#include "trace/import/alibaba_batch.h"

namespace heddle::trace {
namespace alibaba {
namespace {

const Format kFormat2017{
    .tasks = {.fields = 8,
              .job = 2,
              .task = 3,
              .status = 5,
              .start = 0,
              .end = 1,
              .cpu = 6,
              .memory = 7,
              .instances = 4},
    .instances = {.fields = 12,
                  .job = 2,
                  .task = 3,
                  .status = 5,
                  .start = 0,
                  .end = 1,
                  .cpu = 9,
                  .memory = 11},
    .machine = {Millicores(64'000), EmuBytes(256LL << 30)},
    .expected = "8 fields: create time, end time, job, task, instances, status, CPU, memory"};

}  // namespace
}  // namespace alibaba

Imported import_alibaba_2017(std::vector<Input>& files, const ImportOptions& options,
                             JobCollection& jobs, ImportReport& report) {
  return alibaba::import(alibaba::kFormat2017, files, options, jobs, report);
}

bool is_alibaba_2017(std::string_view head) {
  return alibaba::looks_like(head, alibaba::kFormat2017.tasks);
}

}  // namespace heddle::trace
