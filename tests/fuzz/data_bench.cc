#include "tests/fuzz/data_bench.h"

#include <fmt/format.h>

#include <filesystem>
#include <fstream>
#include <iterator>

#include "tests/fuzz/results_dir.h"
#include "tests/fuzz/targets.h"
#include "worker/data/content.h"

namespace heddle::fuzz {
namespace {

using namespace std::chrono_literals;
using namespace heddle::worker;
using Kind = DataMessage::Kind;

constexpr double kRate = 1e9;
constexpr real::Duration kSilence = 3s;

/// Parts that are made once, because sockets have threads behind them.
struct Ground {
  Ground() : poller(*net::Poller::create()) {
    Result<std::unique_ptr<Links>> opened =
        Links::open(NodeId{0}, "ipc://" + dir.path() + "/data", std::nullopt, &poller);
    if (!opened) require(false, opened.error().text.c_str());
    links = *std::move(opened);
    links->cut_off(true);
    std::filesystem::create_directory(scratch());
  }
  std::string scratch() const { return dir.path() + "/scratch"; }

  ResultsDir dir;
  net::Poller poller;
  std::unique_ptr<Links> links;
};

Ground& ground() {
  static Ground ground;
  return ground;
}

bool has_text(Kind kind) { return kind == Kind::kRefused || kind == Kind::kCopied; }

}  // namespace

DataBench::DataBench()
    : node_{NodeId{0},
            Pacer(kRate, kRate),
            *Scratch::open(ground().scratch()),
            std::move(ground().links),
            kChunk,
            kSilence} {}

DataBench::~DataBench() {
  ground().links = std::move(node_.links);
  for (const auto& entry : std::filesystem::directory_iterator(ground().scratch()))
    std::filesystem::remove(entry.path());
}

void DataBench::put(std::uint64_t object, std::int64_t size) const {
  std::ofstream(ground().scratch() + "/" + file_of(object), std::ios::binary)
      << content_of(object, size);
}

std::map<std::string, std::string> DataBench::files() const {
  std::map<std::string, std::string> files;
  for (const auto& entry : std::filesystem::directory_iterator(ground().scratch())) {
    std::ifstream in(entry.path(), std::ios::binary);
    files[entry.path().filename()] = std::string(std::istreambuf_iterator<char>(in), {});
  }
  return files;
}

DataMessage message_from(Bytes& bytes, const std::vector<std::uint64_t>& objects) {
  DataMessage message;
  message.kind = static_cast<Kind>(1 + bytes.below(7));
  const std::uint64_t shape = bytes.below(8);
  message.kept = (shape & 1) != 0;
  message.node = NodeId{static_cast<std::int64_t>(bytes.below(4))};
  message.stream = bytes.below(32);
  message.object = objects[bytes.below(objects.size())];
  message.offset = static_cast<std::int64_t>(bytes.below(16)) * kChunk;
  message.size = kChunk;
  if ((shape & 6) == 2) {
    message.offset = static_cast<std::int64_t>(bytes.number(7) & ((1ULL << 50) - 1));
    message.size = static_cast<std::int64_t>(bytes.number(3));
    message.took = real::Duration(bytes.number(5));
    message.late = real::Duration(bytes.number(5));
  }
  const bool is_chunk = message.kind == Kind::kAsk || message.kind == Kind::kChunk;
  message.size = is_chunk ? 1 + message.size % kMaxChunk : message.size;
  if (message.kind == Kind::kCopy) message.object |= kFile;
  if (message.kind == Kind::kChunk)
    message.checksum = (shape & 6) == 4 ? bytes.number(8)
                                        : content_checksum(message.object, message.offset,
                                                           static_cast<std::size_t>(message.size));
  return message;
}

real::Duration time_from(Bytes& bytes) {
  static constexpr real::Duration kTimes[] = {0s, 1us, 1ms, 100ms, 1100ms, 4s};
  return kTimes[bytes.below(std::size(kTimes))];
}

zmq::message_t message_on_wire(const DataMessage& message, Bytes& bytes) {
  std::string body;
  if (has_text(message.kind)) body = bytes.text(bytes.below(64));
  if (message.kind == Kind::kChunk) {
    body.resize(static_cast<std::size_t>(message.size));
    fill_content(message.object, message.offset, body.data(), body.size());
    if (bytes.below(8) == 7) body[bytes.number(2) % body.size()] ^= 1;
  }
  return to_wire(message, body);
}

std::string file_of(std::uint64_t object) { return fmt::format("{:016x}", object); }

std::string content_of(std::uint64_t object, std::int64_t size) {
  std::string content(static_cast<std::size_t>(size), '\0');
  fill_content(object, 0, content.data(), content.size());
  return content;
}

}  // namespace heddle::fuzz
