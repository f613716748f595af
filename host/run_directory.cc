#include "host/run_directory.h"

#include <dirent.h>
#include <fcntl.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstdlib>
#include <filesystem>
#include <sstream>

#include "common/directory.h"
#include "common/file.h"
#include "common/random_id.h"
#include "common/text.h"
#include "wire/fields.h"

namespace heddle::host {
namespace {

namespace fs = std::filesystem;
using wire::BadField;
using wire::Fields;
using wire::Json;

constexpr const char* kLongestSocket = "/12345678/progress.sock";

/// Checks that the directory belongs to us and is closed to other users. Does not follow links.
Result<void> check_private(const std::string& path) {
  struct stat info {};
  if (::lstat(path.c_str(), &info) < 0) return system_error(path, errno);
  if (!S_ISDIR(info.st_mode) || info.st_uid != ::geteuid() || (info.st_mode & 077) != 0)
    return machine_error(path +
                         ": must be a directory that you own and nobody else may enter "
                         "(mode 0700); remove it or set XDG_RUNTIME_DIR to another place");
  return {};
}

Result<void> make_base(const std::string& base) {
  if (base.size() + std::string(kLongestSocket).size() >= sizeof(sockaddr_un::sun_path))
    return machine_error(base + ": too long a path for sockets (at most " +
                         std::to_string(sizeof(sockaddr_un::sun_path) - 1) +
                         " characters with a run's name); set XDG_RUNTIME_DIR to a shorter one");
  if (::mkdir(base.c_str(), 0700) < 0 && errno != EEXIST) {
    Error error = system_error("make directory " + base, errno);
    error.kind = Error::Kind::kMachine;
    return error;
  }
  return check_private(base);
}

Result<Fd> lock_base(const std::string& base) {
  Result<std::optional<Fd>> lock = lock_file(base + "/.lock", true);
  if (!lock) return std::move(lock).error();
  return std::move(**lock);
}

/// Reads the run.json of a run directory. Returns an error if it is not a regular file of this user
/// or root.
Result<std::string> read_record(const std::string& directory) {
  const std::string path = directory + "/run.json";
  Result<Fd> file = open_file(path, O_RDONLY);
  if (!file) return std::move(file).error();
  struct stat info {};
  if (::fstat(file->get(), &info) < 0) return system_error(path, errno);
  if (!S_ISREG(info.st_mode) || (info.st_uid != ::geteuid() && info.st_uid != 0))
    return machine_error(path + ": not a file of yours; expected a regular file that you own");
  return read_file(proc_path_of(*file));
}

bool is_private_directory(const std::string& path) {
  struct stat info {};
  return ::stat(path.c_str(), &info) == 0 && S_ISDIR(info.st_mode) && info.st_uid == ::geteuid() &&
         ::access(path.c_str(), W_OK) == 0;
}

}  // namespace

Result<std::optional<Fd>> lock_file(const std::string& path, bool wait) {
  Fd fd(::open(path.c_str(), O_RDWR | O_CREAT | O_CLOEXEC | O_NOFOLLOW, 0600));
  if (!fd) return system_error("open " + path, errno);
  int result = 0;
  do result = ::flock(fd.get(), LOCK_EX | (wait ? 0 : LOCK_NB));
  while (result < 0 && errno == EINTR);
  if (result == 0) return std::optional(std::move(fd));
  if (errno == EWOULDBLOCK) return std::optional<Fd>();
  return system_error("lock " + path, errno);
}

std::string to_text(const RunRecord& record) {
  Json processes = Json::array();
  for (const ProcessMark& mark : record.processes)
    processes.push_back({{"name", mark.name}, {"pid", mark.pid}, {"start_time", mark.start_time}});
  Json json = {{"run", record.run},
               {"cgroup", record.cgroup},
               {"out", path_text(record.out)},
               {"processes", std::move(processes)}};
  if (!record.node.empty()) json["node"] = record.node;
  return json.dump() + "\n";
}

Result<RunRecord> record_from(std::string_view text) {
  Json json = wire::parse_json(text);
  try {
    Fields fields(json, "run.json");
    RunRecord record{fields.text("run"), fields.text("cgroup"), path_from(fields.text("out")), {}};
    if (fields.has("node")) record.node = fields.text("node", 64);
    for (const Json& row : fields.array("processes", 100'000)) {
      Fields process(row, "run.json.processes");
      record.processes.push_back({process.text("name"),
                                  static_cast<pid_t>(process.integer("pid", 1, 1 << 30)),
                                  process.unsigned_integer("start_time")});
    }
    return record;
  } catch (const BadField& bad) {
    return aborted_error(bad.text);
  }
}

std::optional<std::uint64_t> start_time_in(std::string_view stat) {
  // The second field is the program's name. It is in parentheses and can contain any text. The
  // start time is field 22.
  std::size_t close = stat.rfind(')');
  if (close == std::string_view::npos) return std::nullopt;
  std::istringstream in{std::string(stat.substr(close + 1))};
  std::string skipped;
  for (int field = 3; field < 22; ++field) in >> skipped;
  std::uint64_t time = 0;
  if (!(in >> time)) return std::nullopt;
  return time;
}

std::optional<ProcessMark> mark_of(pid_t pid, const std::string& name) {
  Result<std::string> stat = read_file("/proc/" + std::to_string(pid) + "/stat");
  if (!stat) return std::nullopt;
  std::optional<std::uint64_t> time = start_time_in(*stat);
  if (!time) return std::nullopt;
  return ProcessMark{name, pid, *time};
}

std::vector<std::string> base_directories(const std::string& runtime_dir, uid_t uid) {
  std::vector<std::string> bases;
  if (!runtime_dir.empty()) bases.push_back(runtime_dir + "/heddle");
  bases.push_back(uid == 0 ? "/run/heddle" : "/tmp/heddle-" + std::to_string(uid));
  return bases;
}

std::vector<std::string> base_directories() {
  const char* variable = std::getenv("XDG_RUNTIME_DIR");
  std::string runtime_dir = variable ? variable : "";
  if (!runtime_dir.starts_with("/") || !is_private_directory(runtime_dir)) runtime_dir.clear();
  return base_directories(runtime_dir, ::geteuid());
}

Result<RunDirectory> RunDirectory::create(const std::string& base) {
  HEDDLE_TRY(make_base(base));
  Result<Fd> guard = lock_base(base);
  if (!guard) return std::move(guard).error();
  for (;;) {
    std::string run = random_id();
    std::string path = base + "/" + run;
    if (::mkdir(path.c_str(), 0700) < 0) {
      if (errno == EEXIST) continue;
      return system_error("make directory " + path, errno);
    }
    return lock_new(run, path);
  }
}

Result<RunDirectory> RunDirectory::create_again(const std::string& base, const std::string& run) {
  HEDDLE_TRY(make_base(base));
  Result<Fd> guard = lock_base(base);
  if (!guard) return std::move(guard).error();
  std::string path = base + "/" + run;
  if (::mkdir(path.c_str(), 0700) == 0) return lock_new(run, path);
  if (errno == EEXIST) return usage_error("run " + run + " is still running");
  return system_error("make directory " + path, errno);
}

Result<RunDirectory> RunDirectory::lock_new(const std::string& run, const std::string& path) {
  Result<std::optional<Fd>> lock = lock_file(path + "/lock", false);
  if (lock) return RunDirectory(run, path, std::move(**lock));
  ::rmdir(path.c_str());
  return std::move(lock).error();
}

std::vector<std::string> RunDirectory::runs(const std::string& base) {
  std::vector<std::string> names;
  if (!check_private(base)) return names;
  std::error_code error;
  for (const auto& entry : fs::directory_iterator(base, error)) {
    std::string name = entry.path().filename();
    if (valid_name(name) && entry.is_directory(error)) names.push_back(name);
  }
  std::sort(names.begin(), names.end());
  return names;
}

Result<std::vector<RunDirectory>> RunDirectory::take_dead(const std::string& base, int* live) {
  std::vector<RunDirectory> dead;
  *live = 0;
  if (::access(base.c_str(), F_OK) < 0) return dead;
  HEDDLE_TRY(check_private(base));
  Result<Fd> guard = lock_base(base);
  if (!guard) return std::move(guard).error();
  for (const std::string& run : runs(base)) {
    std::string path = base + "/" + run;
    Result<std::optional<Fd>> lock = lock_file(path + "/lock", false);
    if (!lock) return std::move(lock).error();
    if (*lock)
      dead.push_back(RunDirectory(run, path, std::move(**lock)));
    else
      ++*live;
  }
  return dead;
}

std::optional<RunRecord> run_record(const std::string& path) {
  Result<std::string> text = read_record(path);
  Result<RunRecord> record = text ? record_from(*text) : Result<RunRecord>(text.error());
  return record ? std::optional(*std::move(record)) : std::nullopt;
}

Result<void> RunDirectory::note_home(const std::string& directory) const {
  std::vector<std::string> homes = noted_homes();
  homes.push_back(directory);
  return replace_file(path_ + "/homes", join(homes, "\n") + "\n");
}

std::vector<std::string> RunDirectory::noted_homes() const {
  std::vector<std::string> homes;
  Result<std::string> text = read_file(path_ + "/homes");
  std::istringstream lines(text ? *text : "");
  for (std::string line; std::getline(lines, line);) homes.push_back(line);
  return homes;
}

Result<void> RunDirectory::note_program(const ProgramNote& program) const {
  std::string text;
  std::vector<ProgramNote> programs = noted_programs();
  programs.push_back(program);
  for (const ProgramNote& one : programs)
    text += std::to_string(one.user) + " " + one.directory + "\n";
  return replace_file(path_ + "/programs", text);
}

std::vector<ProgramNote> RunDirectory::noted_programs() const {
  std::vector<ProgramNote> programs;
  Result<std::string> text = read_file(path_ + "/programs");
  std::istringstream lines(text ? *text : "");
  ProgramNote program;
  while (lines >> program.user && lines.ignore() && std::getline(lines, program.directory))
    programs.push_back(program);
  return programs;
}

Result<void> RunDirectory::write(const RunRecord& record) const {
  return replace_file(path_ + "/run.json", to_text(record));
}

Result<RunRecord> RunDirectory::read() const {
  Result<std::string> text = read_record(path_);
  if (!text) return std::move(text).error();
  Result<RunRecord> record = record_from(*text);
  if (!record) return std::move(record).error().in(path_);
  return record;
}

Result<void> RunDirectory::remove() const {
  // Hold the base's lock. Otherwise another process could find the directory without its lock file
  // and remove it as the directory of a dead run.
  Result<Fd> guard = lock_base(fs::path(path_).parent_path().string());
  if (!guard) return std::move(guard).error();
  std::error_code error;
  fs::remove_all(path_, error);
  if (error) return system_error("remove " + path_, error.value());
  return {};
}

}  // namespace heddle::host
