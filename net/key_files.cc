#include "net/key_files.h"

#include <fcntl.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstdlib>
#include <filesystem>
#include <set>

#include "common/directory.h"
#include "common/fd.h"
#include "common/file.h"
#include "common/text.h"
#include "net/key_text.h"

namespace heddle::net {
namespace {

namespace fs = std::filesystem;

constexpr const char* kHowMade = "make keys with `heddle keys make` on the master's host";

std::string path_of(const std::string& dir, const std::string& name) {
  return dir + "/" + name + ".key";
}

std::string octal(mode_t mode) {
  std::string text = "0";
  for (int shift : {6, 3, 0}) text += static_cast<char>('0' + (mode >> shift & 7));
  return text;
}

/// Checks that only the owner has access, and that the owner is this user. Root is allowed to use
/// the files of all users.
Result<void> check_closed(const std::string& path, bool directory) {
  struct stat info {};
  if (::stat(path.c_str(), &info) < 0) {
    if (errno != ENOENT) return system_error(path, errno);
    return usage_error(path + ": does not exist; " + kHowMade +
                       (directory ? ", or give their directory with --keys DIR" : ""));
  }
  if (directory ? !S_ISDIR(info.st_mode) : !S_ISREG(info.st_mode))
    return usage_error(path + ": expected a " + (directory ? "directory" : "file") + " of keys");
  const std::string uid = std::to_string(::geteuid());
  if (::geteuid() != 0 && info.st_uid != ::geteuid())
    return usage_error(path + ": belongs to user " + std::to_string(info.st_uid) +
                       "; expected you as its owner: chown " + uid + " " + path);
  if ((info.st_mode & 077) != 0)
    return usage_error(path + ": accessible to others (mode " + octal(info.st_mode) +
                       "); run chmod " + (directory ? "700 " : "600 ") + path);
  return {};
}

/// Reads a file in a directory that has been checked.
Result<std::string> read_closed(const std::string& path) {
  HEDDLE_TRY(check_closed(path, false));
  return read_file(path);
}

Result<KeyFile> read_key(const std::string& dir, const std::string& name) {
  const std::string path = path_of(dir, name);
  Result<std::string> text = read_closed(path);
  if (!text) return std::move(text).error();
  Result<KeyFile> key = key_file_from(*text, path);
  if (key && key->name != name)
    return usage_error(path + ": holds the key \"" + key->name + "\"; expected \"" + name + "\"");
  return key;
}

/// Returns the names of the NAME.key files in the directory, sorted.
std::vector<std::string> key_names(const std::string& dir) {
  std::vector<std::string> names;
  std::error_code error;
  for (fs::directory_iterator entry(dir, error); !error && entry != fs::directory_iterator();
       entry.increment(error))
    if (entry->path().extension() == ".key" && valid_name(entry->path().stem().string()))
      names.push_back(entry->path().stem());
  std::sort(names.begin(), names.end());
  return names;
}

/// Writes a file of mode 0600, completely or not at all. If the file exists, replaces it if
/// `replace` is true, and returns an error otherwise.
Result<void> put(const std::string& path, const std::string& text, bool replace) {
  const std::string temporary = path + ".new";
  ::unlink(temporary.c_str());  // a process that was killed at this place has left it
  {
    Fd fd(::open(temporary.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0600));
    if (!fd) return system_error("create " + temporary, errno);
  }
  Result<void> done = write_control(temporary, text);
  if (done && replace && ::rename(temporary.c_str(), path.c_str()) < 0)
    done = system_error("write " + path, errno);
  if (done && !replace && ::link(temporary.c_str(), path.c_str()) < 0)
    done = system_error("make " + path, errno);
  ::unlink(temporary.c_str());
  return done;
}

/// Makes the directory if it is missing, and checks that it is closed to other users and that no
/// link of another user leads to it. Locks it, so that no other process changes keys in it.
Result<Fd> enter(const std::string& dir) {
  const std::size_t end = std::max<std::size_t>(dir.find_last_not_of('/') + 1, 1);
  const PathParts parts = parts_of(dir.substr(0, end));
  Result<Directory> parent = Directory::make(parts.directory);
  if (!parent) return std::move(parent).error();
  if (Result<Directory> made = parent->make_private(parts.name);
      !made && made.error().code != EEXIST)
    return std::move(made).error().in("make directory " + dir);
  Result<Directory> opened = Directory::open(dir);
  if (!opened) return std::move(opened).error();
  HEDDLE_TRY(check_closed(dir, true));
  Result<Fd> lock = opened->open_below(".", O_RDONLY | O_DIRECTORY);
  if (!lock) return std::move(lock).error();
  if (::flock(lock->get(), LOCK_EX) < 0) return system_error("lock " + dir, errno);
  return lock;
}

Result<void> check_new(const std::string& dir, const std::vector<Admitted>& admitted,
                       const std::vector<std::pair<KeyRole, std::string>>& names) {
  std::set<std::string> seen;
  for (const auto& [role, name] : names) {
    if (!valid_name(name) || name == name_of(KeyRole::kMaster))
      return usage_error("key \"" + name +
                         "\": expected a name of up to 64 letters, digits, dots, dashes and "
                         "underscores, other than master");
    const bool known = std::any_of(admitted.begin(), admitted.end(),
                                   [&name = name](const auto& a) { return a.name == name; });
    if (known || !seen.insert(name).second || ::access(path_of(dir, name).c_str(), F_OK) == 0)
      return usage_error("key \"" + name + "\" exists already in " + dir +
                         " and is not overwritten; to replace it, run heddle keys remove " + name +
                         " first");
  }
  return {};
}

/// Returns the admitted peers. Returns no peer if the file is missing.
Result<std::vector<Admitted>> admitted_so_far(const std::string& dir) {
  if (::access((dir + "/admitted").c_str(), F_OK) < 0) return std::vector<Admitted>{};
  return read_admitted(dir);
}

/// Returns the existing pair, or makes a new one.
Result<KeyFile> master_key(const std::string& dir, std::vector<KeyFile>& made) {
  const std::string name = name_of(KeyRole::kMaster);
  if (::access(path_of(dir, name).c_str(), F_OK) == 0) return read_key(dir, name);
  Result<KeyPair> own = make_key_pair();
  if (!own) return std::move(own).error();
  KeyFile key{KeyRole::kMaster, name, *own, ""};
  HEDDLE_TRY(put(path_of(dir, name), to_text(key), false));
  made.push_back(key);
  return key;
}

}  // namespace

std::string key_directory(const std::string& config_home, const std::string& home) {
  if (config_home.starts_with("/")) return config_home + "/heddle/keys";
  return home.empty() ? "" : home + "/.config/heddle/keys";
}

std::string default_key_directory() {
  const auto variable = [](const char* name) {
    const char* value = std::getenv(name);
    return std::string(value ? value : "");
  };
  return key_directory(variable("XDG_CONFIG_HOME"), variable("HOME"));
}

Result<std::vector<Admitted>> read_admitted(const std::string& dir) {
  Result<std::string> text = read_closed(dir + "/admitted");
  if (!text) return std::move(text).error();
  return admitted_from(*text, dir + "/admitted");
}

Result<MasterKeys> read_master_keys(const std::string& dir) {
  HEDDLE_TRY(check_closed(dir, true));
  Result<KeyFile> key = read_key(dir, name_of(KeyRole::kMaster));
  if (!key) return std::move(key).error();
  Result<std::vector<Admitted>> admitted = read_admitted(dir);
  if (!admitted) return std::move(admitted).error();
  return MasterKeys{{key->own}, *std::move(admitted)};
}

Result<ClientKeys> read_client_keys(const std::string& dir, KeyRole role, const std::string& name) {
  HEDDLE_TRY(check_closed(dir, true));
  const std::string wanted = std::string("a ") + name_of(role) + "'s key";
  std::vector<std::string> names;
  std::vector<KeyFile> fitting;
  for (const std::string& there : key_names(dir)) {
    if (there == name_of(KeyRole::kMaster) || (!name.empty() && there != name)) continue;
    Result<KeyFile> key = read_key(dir, there);
    if (!key) return std::move(key).error();
    if (key->role == role) {
      names.push_back(there);
      fitting.push_back(*std::move(key));
    } else if (!name.empty()) {
      return usage_error(path_of(dir, name) + ": is a " + name_of(key->role) + "'s key; expected " +
                         wanted);
    }
  }
  if (fitting.size() == 1) return ClientKeys{fitting[0].name, {fitting[0].own, fitting[0].master}};
  if (fitting.size() > 1)
    return usage_error(dir + ": has several keys: " + join(names) + "; choose one with --key NAME");
  if (name.empty())
    return usage_error(dir + ": contains no " + name_of(role) + "'s key; " + kHowMade);
  const std::string near = nearest_word(name, key_names(dir));
  return usage_error(dir + ": no key \"" + name + "\"" +
                     (near.empty() ? "" : "; did you mean \"" + near + "\"?") +
                     " (there: " + join(key_names(dir)) + ")");
}

Result<std::vector<KeyFile>> read_key_files(const std::string& dir) {
  HEDDLE_TRY(check_closed(dir, true));
  std::vector<KeyFile> keys;
  for (const std::string& name : key_names(dir)) {
    Result<KeyFile> key = read_key(dir, name);
    if (!key) return std::move(key).error();
    keys.push_back(*std::move(key));
  }
  std::stable_partition(keys.begin(), keys.end(),
                        [](const KeyFile& key) { return key.role == KeyRole::kMaster; });
  return keys;
}

Result<std::vector<KeyFile>> make_keys(const std::string& dir,
                                       const std::vector<std::pair<KeyRole, std::string>>& names) {
  Result<Fd> held = enter(dir);
  if (!held) return std::move(held).error();
  Result<std::vector<Admitted>> admitted = admitted_so_far(dir);
  if (!admitted) return std::move(admitted).error();
  HEDDLE_TRY(check_new(dir, *admitted, names));
  std::vector<KeyFile> made;
  Result<KeyFile> master = master_key(dir, made);
  if (!master) return std::move(master).error();
  for (const auto& [role, name] : names) {
    Result<KeyPair> own = make_key_pair();
    if (!own) return std::move(own).error();
    made.push_back({role, name, *own, master->own.public_key});
    HEDDLE_TRY(put(path_of(dir, name), to_text(made.back()), false));
    admitted->push_back({role, name, own->public_key});
  }
  HEDDLE_TRY(put(dir + "/admitted", to_text(*admitted), true));
  return made;
}

Result<void> remove_key(const std::string& dir, const std::string& name) {
  HEDDLE_TRY(check_closed(dir, true));
  if (!valid_name(name) || name == name_of(KeyRole::kMaster))
    return usage_error("key \"" + name + "\": expected the name of a worker's or a top's key; " +
                       dir + " has " + join(key_names(dir)));
  Result<Fd> held = enter(dir);
  if (!held) return std::move(held).error();
  Result<std::vector<Admitted>> admitted = admitted_so_far(dir);
  if (!admitted) return std::move(admitted).error();
  const bool was_admitted =
      std::erase_if(*admitted, [&](const Admitted& one) { return one.name == name; }) > 0;
  // End the admission before the pair is removed.
  if (was_admitted) HEDDLE_TRY(put(dir + "/admitted", to_text(*admitted), true));
  if (::unlink(path_of(dir, name).c_str()) < 0) {
    if (errno != ENOENT) return system_error("remove " + path_of(dir, name), errno);
    if (!was_admitted)
      return usage_error(dir + ": no key \"" + name + "\" (there: " + join(key_names(dir)) + ")");
  }
  return {};
}

}  // namespace heddle::net
