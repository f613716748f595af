#include "cgroup/cpu_reach.h"

#include <unistd.h>

#include <algorithm>

#include "cgroup/formats.h"
#include "common/file.h"

namespace heddle::cgroup {
namespace {

std::optional<CpuWeight> weight_of(const Layout& layout, const std::string& path) {
  const bool v1 = layout.version == Version::kV1;
  if (v1 && path == "/") return std::nullopt;  // the root has a file, but no siblings
  const std::string directory = directory_of({{}, layout.hierarchies[0].mount, path});
  const Result<std::string> text = read_file(directory + (v1 ? "/cpu.shares" : "/cpu.weight"));
  const std::optional<std::int64_t> number = text ? parse_number(*text) : std::nullopt;
  if (!number) return std::nullopt;
  return v1 ? weight_of_shares(*number) : CpuWeight{static_cast<int>(*number)};
}

}  // namespace

std::vector<GroupWeight> weights_from(const Layout& group) {
  std::vector<GroupWeight> weights;
  for (std::string path = group.hierarchies[0].path;;) {
    if (const std::optional<CpuWeight> weight = weight_of(group, path))
      weights.push_back({path, *weight});
    if (path == "/") return weights;
    const std::size_t slash = path.rfind('/');
    path = slash == 0 ? "/" : path.substr(0, slash);
  }
}

std::string cpu_reach(const std::vector<GroupWeight>& home_and_above) {
  const auto usual = std::ranges::find_if(home_and_above, [](const GroupWeight& one) {
    return one.weight.value < CpuWeight::kUrgent.value;
  });
  return usual == home_and_above.end() ? "/" : usual->group;
}

std::string scope_cpu_reach(const Layout& own, bool root) {
  if (root) return "/";
  const std::string uid = std::to_string(::geteuid());
  Layout manager = own;
  manager.hierarchies[0].path = "/user.slice/user-" + uid + ".slice/user@" + uid + ".service";
  return cpu_reach(weights_from(manager));
}

}  // namespace heddle::cgroup
