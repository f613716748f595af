#include "report/archive/archive_file.h"

#include <fcntl.h>
#include <sys/stat.h>

#include <algorithm>
#include <cctype>
#include <cerrno>
#include <fstream>
#include <memory>
#include <set>

#include "common/dead_temporaries.h"
#include "common/file.h"
#include "common/text.h"
#include "common/ustar.h"
#include "common/zstd.h"

namespace heddle::report {
namespace {

constexpr std::int64_t kExpansion = 200, kAlwaysAllowed = std::int64_t{16} << 20;
constexpr std::size_t kLongestName = 250, kDeepest = 8;
constexpr std::size_t kPiece = 1 << 16;
/// Zeros at the end of an archive.
constexpr std::size_t kMostAtEnd = 1 << 20;

std::string mib(std::int64_t bytes) { return std::to_string(bytes >> 20) + " MiB"; }

/// Splits a path at its slashes.
std::vector<std::string> components_of(std::string_view path) {
  std::vector<std::string> components;
  while (true) {
    const std::size_t slash = path.find('/');
    components.emplace_back(path.substr(0, slash));
    if (slash == std::string_view::npos) return components;
    path.remove_prefix(slash + 1);
  }
}

bool is_usual(char c) {
  return std::isalnum(static_cast<unsigned char>(c)) != 0 ||
         std::string_view("._-+=#,").find(c) != std::string_view::npos;
}

/// The names that an archive has so far.
class Names {
 public:
  /// Adds a name. Error (kUsage): it is not accepted, or is there already.
  Result<void> add(const std::string& name) {
    if (const std::string problem = problem_of_name(name); !problem.empty())
      return usage_error(printable_line(name) + ": " + problem);
    std::string above;
    for (std::size_t slash = name.find('/'); slash != std::string::npos;
         slash = name.find('/', slash + 1)) {
      above = name.substr(0, slash);
      if (files_.contains(above))
        return usage_error(above + ": is a file and a directory; expected one of them");
      directories_.insert(above);
    }
    if (directories_.contains(name))
      return usage_error(name + ": is a file and a directory; expected one of them");
    if (!files_.insert(name).second)
      return usage_error(name + ": occurs twice; expected each name once");
    return {};
  }
  std::size_t size() const { return files_.size(); }

 private:
  std::set<std::string> files_, directories_;
};

/// Checks a file before it is written or read. `names` has the file already.
Result<void> check_size(const UstarFile& file, const ArchiveLimits& limits, const Names& names,
                        std::int64_t bytes) {
  if (names.size() > limits.files)
    return usage_error("has more than " + std::to_string(limits.files) +
                       " files, which is the limit");
  if (file.bytes > limits.file_bytes)
    return usage_error(file.name + ": has " + mib(file.bytes) + "; the limit of a file is " +
                       mib(limits.file_bytes));
  if (bytes > limits.all_bytes)
    return usage_error("has more than " + mib(limits.all_bytes) +
                       " when it is unpacked, which is the limit for its size");
  return {};
}

/// Returns the bytes that a file takes in a tar archive.
std::int64_t bytes_in_tar(std::int64_t bytes) {
  const std::int64_t block = kUstarBlock;
  return block + (bytes + block - 1) / block * block;
}

/// Writes compressed bytes into a file.
class Output {
 public:
  Output(int fd, std::string path) : fd_(fd), path_(std::move(path)) {}
  Result<void> add(std::string_view bytes) { return write_all(fd_, zstd_.add(bytes), path_); }
  Result<void> finish() { return write_all(fd_, zstd_.finish(), path_); }

 private:
  int fd_;
  std::string path_;
  ZstdWriter zstd_;
};

Result<void> write_tar(const std::vector<FileToArchive>& files, std::int64_t time_s, int fd,
                       const std::string& path) {
  Output output(fd, path);
  Names names;
  const ArchiveLimits limits;
  std::int64_t bytes = 0;
  for (const FileToArchive& one : files) {
    const UstarFile file{one.name, static_cast<std::int64_t>(one.text.size()), time_s,
                         one.executable};
    HEDDLE_TRY(names.add(file.name));
    bytes += bytes_in_tar(file.bytes);
    HEDDLE_TRY(check_size(file, limits, names, bytes));
    if (!fits_ustar(file.name)) return usage_error(file.name + ": the name is too long");
    HEDDLE_TRY(output.add(ustar_header(file)));
    HEDDLE_TRY(output.add(one.text));
    HEDDLE_TRY(output.add(ustar_padding(file.bytes)));
  }
  HEDDLE_TRY(output.add(std::string(2 * kUstarBlock, '\0')));
  return output.finish();
}

/// Reads so many bytes. Error (kUsage): there are fewer.
Result<void> read_exactly(std::istream& in, char* to, std::size_t size) {
  in.read(to, static_cast<std::streamsize>(size));
  if (in.bad()) return usage_error("is damaged; expected a tar archive compressed with Zstandard");
  if (static_cast<std::size_t>(in.gcount()) != size)
    return usage_error("is cut off; expected two blocks of zeros at its end");
  return {};
}

/// Reads what follows the first block of zeros: at least one more, and then zeros up to a limit,
/// with which other programs fill their records.
Result<void> read_end(std::istream& tar) {
  std::string zeros(kMostAtEnd + 1, 'x');
  tar.read(zeros.data(), static_cast<std::streamsize>(zeros.size()));
  if (tar.bad()) return usage_error("is damaged; expected a tar archive compressed with Zstandard");
  zeros.resize(static_cast<std::size_t>(tar.gcount()));
  if (zeros.size() < kUstarBlock)
    return usage_error("is cut off; expected two blocks of zeros at its end");
  if (zeros.size() > kMostAtEnd || zeros.find_first_not_of('\0') != std::string::npos)
    return usage_error("has data behind its end; expected blocks of zeros and nothing else");
  return {};
}

/// Unpacks files into a directory.
class Unpacking {
 public:
  explicit Unpacking(const Directory& into) : into_(into) {}

  Result<void> begin(const std::string& name, bool executable) {
    std::vector<std::string> components = components_of(name);
    path_ = into_.path() + "/" + name;
    const std::string last = components.back();
    components.pop_back();
    const Directory* at = &into_;
    std::unique_ptr<Directory> below;
    for (const std::string& component : components) {
      Result<Directory> entered = at->enter(component);
      if (!entered && entered.error().code == ENOENT) entered = at->make_new(component);
      if (!entered) return std::move(entered).error();
      below = std::make_unique<Directory>(*std::move(entered));
      at = below.get();
    }
    constexpr mode_t kFile = 0644, kProgram = 0755;
    return put(at->create(last, O_WRONLY, executable ? kProgram : kFile), file_);
  }
  Result<void> add(std::string_view bytes) { return write_all(file_.get(), bytes, path_); }

 private:
  const Directory& into_;
  std::string path_;
  Fd file_;
};

}  // namespace

ArchiveLimits limits_of(std::int64_t bytes) {
  ArchiveLimits limits;
  limits.all_bytes = std::min(
      limits.all_bytes, std::max(kAlwaysAllowed, kExpansion * std::min(bytes, limits.all_bytes)));
  return limits;
}

std::string problem_of_name(std::string_view name) {
  if (name.empty() || name.size() > kLongestName)
    return "the name has " + std::to_string(name.size()) + " bytes; expected 1 to " +
           std::to_string(kLongestName);
  const std::vector<std::string> components = components_of(name);
  if (components.size() > kDeepest)
    return "the path has " + std::to_string(components.size()) + " components; expected at most " +
           std::to_string(kDeepest);
  for (const std::string& component : components)
    if (component.empty() || component[0] == '.' || component[0] == '-' ||
        !std::ranges::all_of(component, is_usual))
      return "the name leads elsewhere or is unusual; expected a relative path of letters, digits "
             "and \"._-+=#,\", without a dot or dash at the beginning of a component";
  return "";
}

Result<void> write_archive(const std::string& path, std::vector<FileToArchive> files,
                           std::int64_t time_s, bool overwrite) {
  const PathParts parts = parts_of(path);
  const Result<Directory> directory = Directory::open(parts.directory);
  if (!directory) return directory.error();
  std::ranges::sort(files, {}, &FileToArchive::name);
  remove_dead_temporaries(*directory, [&](std::string_view name) { return name == parts.name; });
  const Result<Directory::Temporary> temporary = directory->create_for(parts.name);
  if (!temporary) return temporary.error();
  Result<void> written = write_tar(files, time_s, temporary->file.get(), path);
  struct stat info {};
  if (written && !overwrite &&
      ::fstatat(directory->fd(), parts.name.c_str(), &info, AT_SYMLINK_NOFOLLOW) == 0)
    written = usage_error(path + ": exists already; files are only replaced with --overwrite");
  if (written) written = directory->put(*temporary, parts.name);
  if (!written) directory->discard(*temporary);
  return written;
}

Result<void> read_tar(std::istream& tar, const ArchiveLimits& limits, const ArchiveSink& sink) {
  Names names;
  std::int64_t bytes = 0;
  std::string block(kUstarBlock, '\0'), piece(kPiece, '\0');
  while (true) {
    HEDDLE_TRY(read_exactly(tar, block.data(), block.size()));
    Result<std::optional<UstarFile>> header = read_ustar_header(block);
    if (!header) return std::move(header).error();
    if (!*header) break;
    const UstarFile& file = **header;
    HEDDLE_TRY(names.add(file.name));
    if (file.bytes <= limits.file_bytes) bytes += bytes_in_tar(file.bytes);
    HEDDLE_TRY(check_size(file, limits, names, bytes));
    HEDDLE_TRY(sink.begin(file.name, file.executable));
    for (std::int64_t left = file.bytes; left > 0;) {
      const std::size_t size = std::min(piece.size(), static_cast<std::size_t>(left));
      HEDDLE_TRY(read_exactly(tar, piece.data(), size));
      HEDDLE_TRY(sink.add(std::string_view(piece).substr(0, size)));
      left -= static_cast<std::int64_t>(size);
    }
    HEDDLE_TRY(read_exactly(tar, block.data(), ustar_padding(file.bytes).size()));
  }
  return read_end(tar);
}

Result<void> unpack_archive(const std::string& path, const Directory& into) {
  const Result<Fd> file = open_to_read(path);
  if (!file) return usage_error(file.error().text);
  struct stat info {};
  if (::fstat(file->get(), &info) < 0) return system_error("look at " + path, errno);
  auto bytes = std::make_unique<std::filebuf>();
  if (!bytes->open(proc_path_of(*file), std::ios::in | std::ios::binary))
    return system_error("read " + path, errno);
  ZstdReader text(std::move(bytes));
  std::istream tar(&text);
  Unpacking unpacking(into);
  const ArchiveSink sink{
      [&](const std::string& name, bool executable) { return unpacking.begin(name, executable); },
      [&](std::string_view some) { return unpacking.add(some); }};
  Result<void> read = read_tar(tar, limits_of(info.st_size), sink);
  if (read && text.within()) read = usage_error("is cut off; expected the whole archive");
  if (!read && read.error().kind == Error::Kind::kUsage) return std::move(read).error().in(path);
  return read;
}

}  // namespace heddle::report
