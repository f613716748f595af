#include "net/zap.h"

#include <zmq.h>

#include <array>
#include <cstdint>
#include <vector>

namespace heddle::net {
namespace {

constexpr const char* kEndpoint = "inproc://zeromq.zap.01";
constexpr const char* kVersion = "1.0";
constexpr std::size_t kZapKeyBytes = 32;

/// Frames of a request, RFC 27: version, id, domain, address, routing id, mechanism, credentials.
enum Frame : std::size_t { kVersionAt, kIdAt, kDomainAt, kAddressAt, kIdentityAt, kMechanismAt };
constexpr std::size_t kCredentialsAt = kMechanismAt + 1;

std::string z85_of(const std::string& bytes) {
  std::array<char, 41> text{};
  zmq_z85_encode(text.data(), reinterpret_cast<const std::uint8_t*>(bytes.data()), bytes.size());
  return text.data();
}

ZapRequest request_from(const std::vector<std::string>& frames) {
  ZapRequest request;
  if (frames.size() < kCredentialsAt) return request;  // a request without a version is refused
  request.version = frames[kVersionAt];
  request.domain = frames[kDomainAt];
  request.address = frames[kAddressAt];
  request.mechanism = frames[kMechanismAt];
  if (request.mechanism == "CURVE" && frames.size() == kCredentialsAt + 1 &&
      frames[kCredentialsAt].size() == kZapKeyBytes)
    request.public_key = z85_of(frames[kCredentialsAt]);
  return request;
}

}  // namespace

ZapAnswer decide(const ZapRequest& request, const AllowList& allow_list) {
  if (request.version != kVersion)
    return {"", "ZAP \"" + request.version + "\" is an unknown version"};
  if (request.mechanism != "CURVE" || request.public_key.empty())
    return {"", "it speaks " + request.mechanism + ", not CURVE"};
  const auto door = allow_list.find(request.domain);
  if (door != allow_list.end())
    if (const auto guest = door->second.find(request.public_key); guest != door->second.end())
      return {guest->second, ""};
  for (const auto& [domain, names] : allow_list)
    if (const auto guest = names.find(request.public_key); guest != names.end())
      return {"",
              "its key (" + guest->second + ") is for " + domain + ", not for " + request.domain};
  return {"", "its key is not listed: " + request.public_key};
}

ZapHandler::ZapHandler(zmq::context_t& context) : socket_(context, zmq::socket_type::router) {
  socket_.set(zmq::sockopt::linger, 0);
  socket_.bind(kEndpoint);
}

std::optional<ZapHandler::Question> ZapHandler::take() {
  zmq::message_t frame;
  if (!socket_.recv(frame, zmq::recv_flags::dontwait)) return std::nullopt;
  Question question;
  question.asker = frame.to_string();
  std::vector<std::string> frames;
  while (frame.more() && socket_.recv(frame, zmq::recv_flags::dontwait))
    frames.push_back(frame.to_string());
  if (!frames.empty()) frames.erase(frames.begin());  // an empty frame after the asker
  if (frames.size() > kIdAt) question.id = frames[kIdAt];
  question.request = request_from(frames);
  return question;
}

void ZapHandler::reply(const Question& question, const ZapAnswer& answer) {
  const bool in = answer.why.empty();
  // libzmq does not need the reason for a refusal.
  const std::array<std::string, 8> frames = {
      question.asker,      "",          kVersion, question.id, in ? "200" : "400",
      in ? "" : "refused", answer.name, ""};
  for (std::size_t i = 0; i < frames.size(); ++i)
    socket_.send(zmq::buffer(frames[i]),
                 (i + 1 < frames.size() ? zmq::send_flags::sndmore : zmq::send_flags::none) |
                     zmq::send_flags::dontwait);
}

std::string key_name_of(zmq::message_t& message) {
  // The result is null if libzmq did not ask whether to admit the peer. That is so for every
  // message over ipc, so exceptions would be too slow.
  const char* name = ::zmq_msg_gets(message.handle(), "User-Id");
  return name ? name : "";
}

std::string peer_address(zmq::message_t& message) {
  const char* address = ::zmq_msg_gets(message.handle(), "Peer-Address");
  return address ? address : "";
}

}  // namespace heddle::net
