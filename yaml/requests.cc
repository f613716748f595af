// Computes the requests of a job if they are not written in its phases (`requests`).

#include <cmath>

#include "common/text.h"
#include "core/scenario/draw.h"
#include "core/scenario/quantity_text.h"
#include "core/scenario/usage.h"
#include "yaml/keys.h"
#include "yaml/sections.h"

namespace heddle {
namespace {

constexpr Range<double> kRequestFactors{0.01, 100};
constexpr std::int64_t kBytesPerMiB = 1LL << 20;

/// Returns the x of "scaled(x)". Reports any other text.
std::optional<double> factor_of(const Field& field, std::string_view text) {
  constexpr std::string_view kWord = "scaled(";
  if (!text.starts_with(kWord) || !text.ends_with(')')) {
    field.error(
        with_nearest("unknown word \"" + std::string(text) +
                         "\"; expected as-made, exact-fit or scaled(x), such as scaled(1.5)",
                     text, {"as-made", "exact-fit", "scaled"}));
    return std::nullopt;
  }
  text.remove_prefix(kWord.size());
  text.remove_suffix(1);
  auto factor = parse_fraction(text);
  if (factor && *factor >= kRequestFactors.least && *factor <= kRequestFactors.most) return *factor;
  field.error("\"" + std::string(text) + "\" is not a valid factor; expected " +
              print_fraction(kRequestFactors.least) + " to " +
              print_fraction(kRequestFactors.most) + ", such as scaled(1.5)");
  return std::nullopt;
}

/// Returns `amount` times `factor`, rounded up to whole units, but at least 1. A rounding error
/// does not add a unit.
std::int64_t units(double amount, double factor) {
  return std::max<std::int64_t>(std::llround(std::ceil(amount * factor - 1e-9)), 1);
}

/// Returns the request that is large enough for the peak use of any task. If the use of a resource
/// is unknown, its request stays the same.
Resources fitted(const PhasePeak& peak, double factor, Resources request) {
  if (peak.threads > 0) request.cores = Millicores(units(1000.0 * peak.threads, factor));
  if (peak.memory > EmuBytes(0))
    request.memory = EmuBytes(
        kBytesPerMiB * units(static_cast<double>(peak.memory.count()) / kBytesPerMiB, factor));
  return request;
}

/// Sets the number of threads. The default of this number depends on the request. The work of the
/// tasks must not change when the request changes.
void pin_threads(PhaseSpec& phase) {
  const Millicores cores = phase.request.cores;
  for (TaskSpec& task : phase.each) task.threads = threads_of(task, cores);
  phase.threads = threads_of(phase, cores);
}

std::optional<MadeRequests> fixed_from(const Field& field) {
  MadeRequests made;
  const std::size_t wrong = field.findings().wrong();
  Section(field, resources_keys(false)).read(&made.fixed);
  if (field.findings().wrong() > wrong) return std::nullopt;
  if (made.fixed == Resources{}) {
    field.error("is empty; expected cores, memory or both");
    return std::nullopt;
  }
  made.text = "{cores, memory}";
  return made;
}

std::optional<MadeRequests> fitted_from(const Section& job, const Field& field) {
  auto text = job.text("requests");
  if (!text || *text == "as-made") return std::nullopt;
  std::optional<double> factor = *text == "exact-fit" ? 1.0 : factor_of(field, *text);
  if (!factor) return std::nullopt;
  return MadeRequests{factor, {}, *text};
}

}  // namespace

std::optional<MadeRequests> read_requests(const Section& job, Framework framework) {
  auto field = job.get("requests");
  if (!field) return std::nullopt;
  std::optional<MadeRequests> made =
      field->is(YamlNode::Kind::kMap) ? fixed_from(*field) : fitted_from(job, *field);
  if (!made) return std::nullopt;
  if (framework == Framework::kSpark) {
    field->error("executors are always requested as written; expected as-made");
    return std::nullopt;
  }
  return made;
}

void refuse_commands(const Section& job, const std::vector<PhaseSpec>& phases) {
  for (const PhaseSpec& phase : phases)
    if (phase.kind == PhaseKind::kCommand)
      return job.get("requests")
          ->error("phase \"" + phase.name +
                  "\" runs a command, whose resource usage is unknown; expected as-made");
}

void make_requests(const MadeRequests& made, const ClusterSpec& cluster, std::uint64_t seed,
                   JobId id, JobSpec& job) {
  for (std::size_t i = 0; i < job.phases.size(); ++i) {
    PhaseSpec& phase = job.phases[i];
    if (phase.kind == PhaseKind::kAm) continue;
    pin_threads(phase);
    if (made.factor) {
      const PhasePeak peak = draw_peak(seed, job, {id, static_cast<int>(i)});
      phase.request = fitted(peak, *made.factor, phase.request);
    }
    const auto replaced = [](std::int64_t asked, std::int64_t fixed) {
      return fixed > 0 ? fixed : asked;
    };
    phase.request = combined(phase.request, made.fixed, replaced);
    phase.request = normalised(phase.request, cluster);
  }
}

}  // namespace heddle
