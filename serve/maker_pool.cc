#include "serve/maker_pool.h"

#include <fmt/core.h>
#include <poll.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <condition_variable>
#include <csignal>
#include <cstdlib>
#include <new>
#include <stop_token>
#include <thread>
#include <utility>

#include "common/number.h"

namespace heddle::serve {
namespace {

using namespace std::chrono_literals;
using Clock = std::chrono::steady_clock;

constexpr auto kReportPeriod = 500ms;
constexpr std::size_t kMostRequestBytes = 16 << 20;

/// Precedes the text of a message. A request has the status 0. A message about progress has the
/// status kProgress, and its text is the share and the id of the result.
struct Head {
  std::uint64_t bytes = 0;
  std::int64_t status = 0;
};
constexpr std::int64_t kProgress = 1;

bool send_all(int socket, const void* from, std::size_t bytes) {
  for (const auto* at = static_cast<const char*>(from); bytes > 0;) {
    const ssize_t n = ::send(socket, at, bytes, MSG_NOSIGNAL);
    if (n < 0 && errno == EINTR) continue;
    if (n <= 0) return false;
    at += n;
    bytes -= static_cast<std::size_t>(n);
  }
  return true;
}

bool send_message(int socket, std::int64_t status, std::string_view text) {
  const Head head{text.size(), status};
  return send_all(socket, &head, sizeof head) && send_all(socket, text.data(), text.size());
}

enum class Read { kWhole, kEnd, kLate };

/// Reads so many bytes, unless `give_up`, which is asked again and again, returns true.
Read read_all(int socket, void* to, std::size_t bytes, const std::function<bool()>& give_up = {}) {
  constexpr int kAskMilliseconds = 50;
  for (auto* at = static_cast<char*>(to); bytes > 0;) {
    if (give_up) {
      if (give_up()) return Read::kLate;
      pollfd item{socket, POLLIN, 0};
      if (::poll(&item, 1, kAskMilliseconds) <= 0) continue;
    }
    const ssize_t n = ::recv(socket, at, bytes, 0);
    if (n < 0 && errno == EINTR) continue;
    if (n <= 0) return Read::kEnd;
    at += n;
    bytes -= static_cast<std::size_t>(n);
  }
  return Read::kWhole;
}

/// Closes all descriptors but the standard ones and `kept`. Connections of browsers may be among
/// them.
void close_others(int kept) {
  if (kept > 3) (void)::syscall(SYS_close_range, 3U, static_cast<unsigned>(kept - 1), 0U);
  (void)::syscall(SYS_close_range, static_cast<unsigned>(kept + 1), ~0U, 0U);
}

/// Sends how far a maker has read the journals of large runs, while it makes data.
class Reporter {
 public:
  Reporter(int socket, const PageMaker& maker) : socket_(socket), maker_(maker) {}

  void begin(const std::vector<std::string>& ids) {
    const std::lock_guard lock(mutex_);
    ids_ = ids;
  }
  /// Sends the answer. No message about progress comes after it.
  bool end(const ResponseText& made) {
    const std::lock_guard lock(mutex_);
    ids_.clear();
    return send_message(socket_, made.status, *made.text);
  }

 private:
  void report(const std::stop_token& stop) {
    std::unique_lock lock(mutex_);
    while (!stop.stop_requested()) {
      wake_.wait_for(lock, stop, kReportPeriod, [] { return false; });
      for (const std::string& id : ids_)
        if (const std::optional<double> share = maker_.share_read(id))
          (void)send_message(socket_, kProgress, fmt::format("{:.3f} {}", *share, id));
    }
  }

  const int socket_;
  const PageMaker& maker_;
  std::mutex mutex_;
  std::condition_variable_any wake_;
  std::vector<std::string> ids_;
  std::jthread thread_{[this](const std::stop_token& stop) { report(stop); }};
};

}  // namespace

MakerPool::MakerPool(std::size_t count, PageBounds bounds, Command command)
    : bounds_(bounds), command_(std::move(command)) {
  makers_.resize(count + 1);
  makers_.back().slow = true;
}

MakerPool::Maker* MakerPool::find_idle(bool slow, const std::string& result) {
  Maker* best = nullptr;
  const auto is_better = [&](const Maker& one) {
    if (!best || one.last == result) return true;
    return best->last != result && one.turn < best->turn;
  };
  for (Maker& maker : makers_)
    if (!maker.busy && maker.slow == slow && is_better(maker)) best = &maker;
  return best;
}

MakerPool::Maker* MakerPool::take(bool slow, const std::string& result, Time deadline) {
  std::unique_lock lock(mutex_);
  Maker* maker = nullptr;
  const std::size_t waits = slow ? 0 : 1;
  waiting_ += waits;
  idle_.wait_until(lock, deadline, [&] { return (maker = find_idle(slow, result)) != nullptr; });
  waiting_ -= waits;
  if (!maker) return nullptr;
  maker->busy = true;
  maker->last = result;
  maker->turn = ++turns_;
  return maker;
}

void MakerPool::release(Maker& maker) {
  const std::lock_guard lock(mutex_);
  maker.busy = false;
  if (std::exchange(maker.leaving, false)) --leaving_;
  idle_.notify_all();
}

bool MakerPool::gives_way(Maker& maker, Time begun) {
  if (maker.slow || Clock::now() < begun + bounds_.turn) return false;
  const std::lock_guard lock(mutex_);
  if (waiting_ <= leaving_ || find_idle(false, {})) return false;
  ++leaving_;
  maker.leaving = true;
  return true;
}

/// Gives the process back. If its request was not answered, because of an exception, ends it.
class MakerPool::Lease {
 public:
  Lease(MakerPool& pool, Maker& maker) : pool_(pool), maker_(maker) {}
  ~Lease() {
    if (!answered && maker_.child) pool_.end(maker_);
    pool_.release(maker_);
  }
  Lease(const Lease&) = delete;
  Lease& operator=(const Lease&) = delete;

  bool answered = false;

 private:
  MakerPool& pool_;
  Maker& maker_;
};

Result<void> MakerPool::start(Maker& maker) {
  int ends[2];
  if (::socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, ends) != 0)
    return system_error("make a socket", errno);
  maker.socket = Fd(ends[0]);
  const Fd its(ends[1]);
  Result<host::Child> child = host::Child::spawn(command_(its.get()), its.get());
  if (!child) return std::move(child).error();
  maker.child = *std::move(child);
  return {};
}

host::ChildEnd MakerPool::end(Maker& maker) {
  maker.socket.reset();
  maker.child->signal(SIGKILL);
  maker.child->wait();
  const host::ChildEnd end = maker.child->end().value_or(host::ChildEnd{SIGKILL, true});
  maker.child.reset();
  return end;
}

std::optional<MakerPool::Answer> MakerPool::read_answer(Maker& maker, Time deadline) {
  const Time begun = Clock::now();
  Met met = Met::kNothing;
  const auto late = [&] {
    if (Clock::now() >= deadline) met = Met::kTime;
    return met != Met::kNothing;
  };
  const auto late_or_leaving = [&] {
    if (!late() && gives_way(maker, begun)) met = Met::kTurn;
    return met != Met::kNothing;
  };
  for (;;) {
    Head head;
    Read read = read_all(maker.socket.get(), &head, sizeof head, late_or_leaving);
    if (read == Read::kWhole && head.bytes > kMostPageBytes) return Answer{{}, Met::kBytes};
    std::string text(read == Read::kWhole ? head.bytes : 0, '\0');
    if (read == Read::kWhole) read = read_all(maker.socket.get(), text.data(), text.size(), late);
    if (read == Read::kLate) return Answer{{}, met};
    if (read == Read::kEnd) return std::nullopt;
    if (head.status != kProgress)
      return Answer{ResponseText{static_cast<int>(head.status),
                                 std::make_shared<const std::string>(std::move(text))}};
    const std::size_t space = text.find(' ');
    const std::lock_guard lock(mutex_);
    if (const auto share = read_number<double>(std::string_view(text).substr(0, space)))
      shares_[text.substr(space + 1)] = *share;
  }
}

MakerPool::Answer MakerPool::ask(Maker& maker, const std::string& request, Time deadline) {
  if (!maker.child)
    if (const Result<void> started = start(maker); !started)
      return {{}, Met::kNothing, started.error().text};
  std::optional<Answer> answer;
  if (send_message(maker.socket.get(), 0, request)) answer = read_answer(maker, deadline);
  if (answer && answer->made) return *std::move(answer);
  // A process that has closed its socket ends by itself, and its status says why.
  if (!answer) {
    pollfd ended{maker.child->pidfd(), POLLIN, 0};
    (void)::poll(&ended, 1, 1000);
  }
  const host::ChildEnd end = this->end(maker);
  if (answer) return *std::move(answer);
  const bool memory = end == host::ChildEnd{kOutOfMemory, false};
  return {{}, memory ? Met::kMemory : Met::kNothing, host::describe(end)};
}

ResponseText MakerPool::failure(const Answer& answer) const {
  constexpr double kGiB = 1 << 30;
  std::string why = "the process that made it has ended: " + answer.end;
  if (answer.met == Met::kMemory)
    why =
        fmt::format("it needs more than {:.2g} GiB of memory, the limit of a page (--page-memory)",
                    static_cast<double>(bounds_.memory) / kGiB);
  if (answer.met == Met::kTime)
    why = fmt::format("it takes more than {:g} s, the limit of a page (--page-time)",
                      std::chrono::duration<double>(bounds_.time).count());
  if (answer.met == Met::kBytes)
    why = fmt::format("its data are larger than {:g} GiB",
                      static_cast<double>(kMostPageBytes) / kGiB);
  return {500, std::make_shared<const std::string>("500: this page cannot be made: " + why + "\n")};
}

MakerPool::Answer MakerPool::make_in(bool slow, const PageRequest& request, Time deadline) {
  const std::string text = to_text(request);
  Maker* const maker = take(slow, request.ids.empty() ? "" : request.ids.front(), deadline);
  if (!maker) return {{}, Met::kTime};
  Lease lease(*this, *maker);
  const bool had_others = maker->child.has_value();
  Answer answer = ask(*maker, text, deadline);
  // The memory that earlier pages left in the process, and its end since then, are not this page's.
  if (!answer.made && had_others && (answer.met == Met::kMemory || answer.met == Met::kNothing))
    answer = ask(*maker, text, deadline);
  lease.answered = true;
  return answer;
}

ResponseText MakerPool::make(const PageRequest& request) {
  const Time deadline = Clock::now() + bounds_.time;
  Answer answer = make_in(false, request, deadline);
  if (answer.met == Met::kTurn) answer = make_in(true, request, deadline);
  const std::lock_guard lock(mutex_);
  for (const std::string& id : request.ids) shares_.erase(id);
  return answer.made ? *std::move(answer.made) : failure(answer);
}

std::optional<double> MakerPool::share_read(const std::string& id) const {
  const std::lock_guard lock(mutex_);
  const auto share = shares_.find(id);
  return share == shares_.end() ? std::nullopt : std::optional(share->second);
}

int make_pages(int socket, std::int64_t memory, std::vector<std::string> dirs) {
  close_others(socket);
  PageMaker maker(std::move(dirs));
  Reporter reporter(socket, maker);
  const rlimit limit{static_cast<rlim_t>(memory), static_cast<rlim_t>(memory)};
  if (::setrlimit(RLIMIT_AS, &limit) != 0) return EXIT_FAILURE;
  std::set_new_handler([] { ::_exit(kOutOfMemory); });
  for (Head head; read_all(socket, &head, sizeof head) == Read::kWhole;) {
    if (head.bytes > kMostRequestBytes) return EXIT_FAILURE;
    std::string text(head.bytes, '\0');
    if (read_all(socket, text.data(), text.size()) != Read::kWhole) break;
    const std::optional<PageRequest> request = parse_page_request(text);
    if (!request) return EXIT_FAILURE;
    reporter.begin(request->ids);
    if (!reporter.end(made_by([&] { return maker.make(*request); }))) break;
  }
  return EXIT_SUCCESS;
}

}  // namespace heddle::serve
