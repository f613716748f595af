#include "net/zap.h"

#include <zmq.h>

#include <cstdint>

#include "tests/fuzz/bytes.h"
#include "tests/fuzz/targets.h"

namespace heddle::fuzz {
namespace {

/// Keys of 32 bytes: one listed for workers, one for readers of progress.
constexpr std::string_view kWorker = "0123456789abcdef0123456789abcdef";
constexpr std::string_view kTop = "fedcba9876543210fedcba9876543210";

std::string z85(std::string_view bytes) {
  char text[41];
  zmq_z85_encode(text, reinterpret_cast<const std::uint8_t*>(bytes.data()), bytes.size());
  return text;
}

/// Plays libzmq's side of admission, and checks Heddle's side.
class Admission {
 public:
  Admission() : handler_(context_), asker_(context_, zmq::socket_type::dealer) {
    asker_.set(zmq::sockopt::linger, 0);
    asker_.connect("inproc://zeromq.zap.01");
  }

  /// Sends a request and checks the answer. Returns true if the request was well-formed.
  bool ask(const std::vector<std::string>& frames) {
    for (std::size_t i = 0; i < frames.size(); ++i)
      asker_.send(zmq::buffer(frames[i]),
                  i + 1 < frames.size() ? zmq::send_flags::sndmore : zmq::send_flags::none);
    const std::optional<net::ZapHandler::Question> question = handler_.take();
    require(question.has_value(), "each question is taken");
    require(!handler_.take(), "a question is taken once, with all of its frames");
    const net::ZapAnswer answer = net::decide(question->request, allow_list_);
    handler_.reply(*question, answer);
    check(*question, answer);
    return !question->request.version.empty();
  }

 private:
  /// An answer is an empty frame, version, id, status, text, name, metadata: RFC 27.
  void check(const net::ZapHandler::Question& question, const net::ZapAnswer& answer) {
    std::vector<std::string> frames;
    zmq::message_t frame;
    do {
      require(asker_.recv(frame, zmq::recv_flags::dontwait).has_value(), "each is answered");
      frames.push_back(frame.to_string());
    } while (frame.more());
    require(frames.size() == 7 && frames[1] == "1.0", "an answer has its frames");
    require(frames[2] == question.id, "an answer is to its question");
    require(frames[3] == (answer.why.empty() ? "200" : "400"), "an answer says what was decided");
    if (!answer.why.empty()) return;
    const auto& names = allow_list_.at(question.request.domain);
    require(question.request.mechanism == "CURVE" && names.contains(question.request.public_key) &&
                names.at(question.request.public_key) == frames[5],
            "only the listed come in, each by its name, where it is listed");
  }

  zmq::context_t context_{1};
  net::ZapHandler handler_;
  zmq::socket_t asker_;
  net::AllowList allow_list_ = {{"control", {{z85(kWorker), "w1"}}},
                                {"progress", {{z85(kTop), "me"}}}};
};

}  // namespace

/// Splits the input into frames, each preceded by a byte with its length.
bool zap(std::string_view input) {
  static Admission door;
  std::vector<std::string> frames;
  for (Bytes bytes(input); !bytes.empty() && frames.size() < 16;)
    frames.emplace_back(bytes.text(bytes.number(1)));
  if (frames.empty()) frames.emplace_back();
  return door.ask(frames);
}

}  // namespace heddle::fuzz
