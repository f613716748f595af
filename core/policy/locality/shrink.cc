#include "core/policy/locality/shrink.h"

#include <cmath>

#include "core/scenario/fit.h"
#include "core/scenario/trust.h"

namespace heddle {
namespace {

/// Rounded up; mu is a quotient, so a hair is left off first.
std::int64_t share_up(double share, std::int64_t whole) {
  return static_cast<std::int64_t>(std::ceil(share * static_cast<double>(whole) * (1 - 1e-12)));
}

std::int64_t percent(std::int64_t part, std::int64_t whole) {
  return std::llround(share_of(part, whole) * 100);
}

bool applies_to(const Request& request) { return request.kind == PhaseKind::kMap && !request.gang; }

}  // namespace

std::optional<Portion> shrunk(const Resources& free, const Resources& wanted,
                              const Resources& least, int local) {
  auto each = [&](int k) {
    return Resources{Millicores(free.cores.count() / k), EmuBytes(free.memory.count() / k)};
  };
  int k = local;
  while (k > 0 && !least.fits_in(each(k))) --k;
  if (k == 0) return std::nullopt;
  return Portion{min(wanted, each(k)), k};
}

std::string shrunk_in_words(const Resources& wanted, const Resources& size) {
  auto part = [](std::int64_t has, std::int64_t of, const char* what) {
    return std::to_string(percent(has, of)) + " % of its " + what;
  };
  const std::string cores = part(size.cores.count(), wanted.cores.count(), "cores");
  const std::string memory = part(size.memory.count(), wanted.memory.count(), "memory");
  if (size.memory == wanted.memory) return "shrunk to " + cores;
  if (size.cores == wanted.cores) return "shrunk to " + memory;
  return "shrunk to " + cores + " and " + memory;
}

Resources Shrink::least(const Resources& wanted) const {
  const std::int64_t all = local_ + elsewhere_;
  const double mu = all == 0 ? 1 : share_of(local_, all);
  return max(least_shrunk(scenario_, wanted), {Millicores(share_up(mu, wanted.cores.count())),
                                               EmuBytes(share_up(mu, wanted.memory.count()))});
}

std::optional<Portion> Shrink::portion(const Request& request, NodeId node,
                                       const Draft& draft) const {
  if (!applies_to(request)) return std::nullopt;
  const Resources lowest = least(request.resources);
  const Resources free = draft.free(node);
  if (!lowest.fits_in(free)) return std::nullopt;
  // More than these can't be accepted, so more need not be counted.
  const int most = static_cast<int>(std::min<std::int64_t>(times(lowest, free), request.pending));
  const int local = draft.local_tasks(request, node, most + 1);
  if (local <= times(request.resources, free)) return std::nullopt;
  return shrunk(free, request.resources, lowest, local);
}

bool Shrink::has_room(const Request& request, NodeId node, const Draft& draft) const {
  if (!applies_to(request) || draft.local_tasks(request, node, 1) == 0) return false;
  return request.resources.fits_in(draft.free(node)) || portion(request, node, draft).has_value();
}

void Shrink::settle(const Draft& draft) {
  local_ += draft.launches_by_data().local;
  elsewhere_ += draft.launches_by_data().elsewhere;
}

}  // namespace heddle
