#include "trace/import/alibaba.h"
#include "trace/import/alibaba_batch.h"

namespace heddle::trace {
namespace alibaba {
namespace {

const Format kFormat2017{
    .tasks = {8, 2, 3, 5, 0, 1, 6, 7, 4},
    .instances = {12, 2, 3, 5, 0, 1, 9, 11},
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
