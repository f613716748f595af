#include "tests/fuzz/targets.h"
#include "trace/import/formats.h"
#include "trace/import/replay_text.h"
#include "workloads/scenario_file.h"

namespace heddle::fuzz {
namespace {

/// Imports a trace of this format. A line "=== FILE" divides the input into files.
bool import(const char* name, std::string_view input) {
  constexpr std::string_view kDivider = "\n=== FILE\n";
  std::vector<trace::Input> files;
  for (std::size_t begin = 0; files.size() < 4;) {
    const std::size_t end = input.find(kDivider, begin);
    files.emplace_back("trace", std::string(input.substr(begin, end - begin)));
    if (end == std::string_view::npos) break;
    begin = end + kDivider.size();
  }
  const trace::ImportFormat& format = **trace::find_import_format(name);
  (void)format.recognises(files[0].head());
  trace::ImportOptions options;
  options.flops = 1e9;
  options.jobs = 100;
  options.max_tasks = 100;
  // Scenarios of the traces' own clusters, of up to 1000 nodes, take most of the time.
  if (input.size() % 64 != 0) options.nodes = 20;
  if (input.size() % 2 == 1) options.work = trace::ImportOptions::Work::kCpu;
  trace::ImportReport report;
  Result<trace::Imported> imported = trace::import_trace(format, files, options, report);
  (void)report.text();
  (void)report.json().dump(0, ' ', false, wire::Json::error_handler_t::replace);
  if (!imported) {
    require(imported.error().kind == Error::Kind::kUsage, "an error tells of the trace");
    return false;
  }
  const std::string text = trace::replay_text(*imported, "as-made");
  const auto read = workloads::read_scenario_text(text, "made.yaml");
  require(read || report.tasks > 100'000 || imported->scenario.cluster.nodes.size() > 1000,
          "a small trace becomes a valid scenario");
  return true;
}

}  // namespace

bool import_swf(std::string_view input) { return import("swf", input); }
bool import_batsim(std::string_view input) { return import("batsim", input); }
bool import_swim(std::string_view input) { return import("swim", input); }
bool import_sls(std::string_view input) { return import("sls", input); }
bool import_rumen(std::string_view input) { return import("rumen", input); }
bool import_alibaba_2017(std::string_view input) { return import("alibaba-2017", input); }
bool import_alibaba_2018(std::string_view input) { return import("alibaba-2018", input); }
bool import_alibaba_gpu_2023(std::string_view input) { return import("alibaba-gpu-2023", input); }
bool import_alibaba_gpu_2025(std::string_view input) { return import("alibaba-gpu-2025", input); }
bool import_alibaba_spot_gpu_2026(std::string_view input) {
  return import("alibaba-spot-gpu-2026", input);
}
bool import_google_2011(std::string_view input) { return import("google-2011", input); }
bool import_spark(std::string_view input) { return import("spark", input); }

}  // namespace heddle::fuzz
