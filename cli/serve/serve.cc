#include "cli/serve/serve.h"

#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cctype>
#include <cerrno>
#include <cstdlib>
#include <filesystem>
#include <iostream>
#include <optional>

#include "cli/base/browser.h"
#include "cli/base/exit_status.h"
#include "cli/base/signals.h"
#include "cli/serve/live_feed.h"
#include "common/directory.h"
#include "common/file.h"
#include "common/sudo_caller.h"
#include "core/scenario/quantity_text.h"
#include "host/host_resources.h"
#include "serve/http_server.h"
#include "serve/maker_pool.h"
#include "serve/metrics_socket.h"
#include "serve/site.h"

namespace heddle::cli {
namespace {

constexpr std::size_t kShortestToken = 32, kLongestToken = 256;
constexpr int kLowestPriority = 19;
/// Pages that are made at the same time, besides one that is slow.
constexpr std::size_t kPageMakers = 2;

Result<void> check_dirs(const std::vector<std::string>& dirs) {
  for (const std::string& dir : dirs) {
    const Result<Directory> directory = Directory::open(dir);
    if (directory) continue;
    // An error without a code is about a link of another user.
    if (directory.error().code == 0) return directory.error();
    return usage_error(dir + ": not a directory; expected a directory with results in or below it");
  }
  return {};
}

/// A file that leads a browser to the server. The arguments of the browser, which other users can
/// read, name this file and not the token. Only this user can read the file. Under sudo, it belongs
/// to the user who called sudo, because the browser runs as that user.
class LeadingFile {
 public:
  explicit LeadingFile(const std::string& url) {
    path_ = std::filesystem::temp_directory_path() / "heddle-serve-XXXXXX.html";
    const Fd file(::mkstemps(path_.data(), 5));
    if (!file) {
      path_.clear();
      return;
    }
    if (const std::optional<SudoCaller> caller = sudo_caller())
      (void)::fchown(file.get(), caller->uid, caller->gid);
    (void)write_all(file.get(),
                    "<!doctype html><meta name=\"referrer\" content=\"no-referrer\">"
                    "<meta http-equiv=\"refresh\" content=\"0; url=" +
                        url + "\">\n",
                    path_);
  }
  void open() const {
    if (path_.empty())
      say("no browser is opened: no file can be made in the directory for temporary files");
    else
      open_in_browser(path_);
  }
  void remove() const {
    if (!path_.empty()) ::unlink(path_.c_str());
  }

 private:
  std::string path_;
};

/// Returns how to start a process that makes pages: this program with other arguments. If it was
/// replaced by another version since, the running version is started.
serve::MakerPool::Command maker_command(const std::vector<std::string>& dirs,
                                        const serve::PageBounds& bounds) {
  return [=](int socket) {
    std::vector<std::string> words = {"/proc/self/exe", kMakePages, std::to_string(socket),
                                      std::to_string(bounds.memory)};
    words.insert(words.end(), dirs.begin(), dirs.end());
    return words;
  };
}

/// `pool` must outlive the result.
serve::PageMakers makers_of(serve::MakerPool& pool, std::size_t count) {
  return {[&](const serve::PageRequest& request) { return pool.make(request); },
          [&](const std::string& id) { return pool.share_read(id); }, count};
}

}  // namespace

Result<serve::PageBounds> page_bounds(const ServeOptions& options, std::int64_t available) {
  constexpr std::int64_t kGiB = std::int64_t{1} << 30;
  serve::PageBounds bounds{std::max(kGiB, available / 4), serve::kPageTime};
  if (!options.page_memory.empty()) {
    const Result<EmuBytes> bytes = parse_bytes(options.page_memory);
    if (!bytes || bytes->count() < serve::kLeastPageMemory)
      return usage_error("--page-memory " + options.page_memory +
                         ": expected a size of at least 256 MiB, such as 2GiB");
    bounds.memory = bytes->count();
  }
  if (!options.page_time.empty()) {
    const Result<EmuTime> time = parse_duration(options.page_time);
    if (!time || *time <= EmuTime(0) || to_seconds(*time) > serve::kResponseSeconds)
      return usage_error("--page-time " + options.page_time +
                         ": expected a time above 0 and of at most " +
                         std::to_string(serve::kResponseSeconds) + " s, such as 60s");
    bounds.time = std::chrono::milliseconds(std::max<std::int64_t>(1, time->count() / 1000));
  }
  return bounds;
}

Result<std::string> read_token(const std::string& file) {
  const std::string option = "--token-file " + file;
  Result<Fd> opened = open_file(file, O_RDONLY);
  if (!opened) return std::move(opened).error().in(option);
  struct stat info {};
  if (::fstat(opened->get(), &info) < 0) return system_error(option, errno);
  if (info.st_uid != ::geteuid() || (info.st_mode & 077) != 0)
    return usage_error(option +
                       ": other users can read or change this file; expected a file of "
                       "your own with mode 0600 (chmod 600)");
  Result<std::string> token = read_named_file(proc_path_of(*opened), 2 * kLongestToken);
  if (!token) return std::move(token).error().in(option);
  while (token->ends_with('\n')) token->pop_back();
  const bool plain =
      std::ranges::all_of(*token, [](unsigned char c) { return c < 128 && std::isalnum(c) != 0; });
  if (!plain || token->size() < kShortestToken || token->size() > kLongestToken)
    return usage_error(option + ": not a token; expected " + std::to_string(kShortestToken) +
                       " to " + std::to_string(kLongestToken) +
                       " letters and digits (openssl rand -hex 16 prints such a token)");
  return token;
}

Result<int> serve_command(const ServeOptions& options) {
  HEDDLE_TRY(check_dirs(options.dirs));
  serve::Access access;
  HEDDLE_TRY(put(options.token_file.empty() ? Result<std::string>(serve::random_token())
                                            : read_token(options.token_file),
                 access.token));
  const Result<serve::PageBounds> bounds =
      page_bounds(options, host::host_resources().memory.count());
  if (!bounds) return bounds.error();
  Result<serve::Listener> listener = serve::listen_on(options.port);
  if (!listener) return std::move(listener).error();
  std::optional<serve::MetricsSocket> metrics;
  if (options.metrics_socket.empty() && !options.metrics_group.empty())
    return usage_error("--metrics-group needs --metrics-socket; expected both");
  if (!options.metrics_socket.empty()) {
    Result<serve::MetricsSocket> made =
        serve::MetricsSocket::listen(options.metrics_socket, options.metrics_group);
    if (!made) return std::move(made).error();
    metrics.emplace(*std::move(made));
  }
  access.port = listener->port;
  const std::string url =
      "http://127.0.0.1:" + std::to_string(access.port) + "/?token=" + access.token;
  std::optional<LeadingFile> leading;
  // The browser has the usual priority and signals. Its request waits for the server.
  if (options.open) leading.emplace(url).open();
  // Before the first thread, so that all threads have these.
  const Fd signals = take_signals();
  if (!signals) return system_error("make a signal descriptor", errno);
  (void)::setpriority(PRIO_PROCESS, 0, kLowestPriority);

  const std::vector<std::string> dirs =
      options.dirs.empty() ? std::vector<std::string>{"results"} : options.dirs;
  serve::LiveBoard live;
  const LiveFeed feed(live);
  serve::MakerPool lists(1, *bounds, maker_command(dirs, *bounds)),
      pages(kPageMakers, *bounds, maker_command(dirs, *bounds));
  serve::Site site(dirs, access, live, makers_of(lists, 1), makers_of(pages, serve::kMostWaiting));
  std::vector<serve::Door> doors = {
      {listener->socket.get(), AF_INET,
       [&](const serve::Request& request, const serve::Respond& respond) {
         site.handle(request, respond);
       }}};
  if (metrics)
    doors.push_back(
        {metrics->fd(), AF_UNIX, [&](const serve::Request& request, const serve::Respond& respond) {
           respond(site.metrics(request));
         }});
  std::cout << url << std::endl;
  serve::serve_http(doors, signals.get());
  if (leading) leading->remove();
  if (metrics) metrics->remove();
  // The threads can be busy for seconds. Nothing of theirs has to be kept.
  ::_exit(kExitDone);
}

}  // namespace heddle::cli
