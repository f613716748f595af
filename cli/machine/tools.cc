#include "cli/machine/tools.h"

#include <unistd.h>

#include <cstdlib>
#include <sstream>

namespace heddle::cli {
namespace {

std::string on_path(const std::string& program) {
  const char* path = std::getenv("PATH");
  std::istringstream in(std::string(path ? path : "") +
                        ":/usr/sbin:/sbin:/usr/lib/qemu:/usr/libexec");
  for (std::string directory; std::getline(in, directory, ':');) {
    std::string file = directory + "/" + program;
    if (::access(file.c_str(), X_OK) == 0) return file;
  }
  return "";
}

}  // namespace

const std::vector<Tool>& developer_tools() {
  const std::string build = "Heddle cannot be built";
  const std::string lint = "the sources cannot be checked";
  const std::string guest = "tests on a pure cgroup v2 kernel are skipped";
  const std::string page = "tests of the report page are skipped";
  const std::string words = "tests of manual pages and completions are skipped";
  const std::string package = "packages cannot be made or tried";
  static const std::vector<Tool> tools = {
      {"g++", install("g++", "gcc-c++", "gcc"), build},
      {"cmake", install("cmake", "cmake", "cmake"), build},
      {"ninja", install("ninja-build", "ninja-build", "ninja"), build},
      {"pkg-config", install("pkg-config", "pkgconf", "pkgconf"), build},
      {"ccache", install("ccache", "ccache", "ccache"), "builds take longer"},
      {"clang-format", install("clang-format", "clang-tools-extra", "clang"), lint},
      {"clang-tidy", install("clang-tidy", "clang-tools-extra", "clang"), lint},
      {"shellcheck", install("shellcheck", "ShellCheck", "shellcheck"), lint},
      {"mkdocs", install("mkdocs-material", "mkdocs-material", "mkdocs-material"), lint},
      {"clang++", install("clang", "clang", "clang"), "no sanitizers and no fuzzing"},
      {"qemu-system-x86_64", install("qemu-system-x86", "qemu-system-x86-core", "qemu-system-x86"),
       guest},
      {"virtiofsd", install("qemu-system-x86", "qemu-system-x86-core", "qemu-system-x86"), guest},
      {"busybox", install("busybox-static", "busybox", "busybox"), guest},
      {"node", install("nodejs", "nodejs", "nodejs"), page},
      {"chromium", install("chromium", "chromium", "chromium"), page},
      {"mandoc", install("mandoc", "mandoc", "mandoc"), words},
      {"zsh", install("zsh", "zsh", "zsh"), words},
      {"fish", install("fish", "fish", "fish"), words},
      {"patchelf", install("patchelf", "patchelf", "patchelf"), package},
      {"lintian", install("lintian", "-", "-"), package},
      {"debootstrap", install("debootstrap", "debootstrap", "debootstrap"), package},
  };
  return tools;
}

Check check_tool(const Tool& tool, Distribution distribution) {
  const std::string path = on_path(tool.program);
  return {tool.program,  false,
          !path.empty(), path.empty() ? "not found" : path,
          tool.cost,     command_on(distribution, tool.remedy)};
}

}  // namespace heddle::cli
