// What is said on the socket of a tmux server, as bytes.
#include "tmux/wire/wire_messages.hpp"

#include <algorithm>
#include <array>
#include <cstring>

namespace terminally {
namespace {

constexpr std::uint32_t kVersion = 8;  ///< of the protocol, in tmux 3.2 to 3.7

// Kinds of messages.
constexpr std::uint32_t kVersionRefused = 12;
constexpr std::uint32_t kTerm = 101;
constexpr std::uint32_t kTtyName = 102;
constexpr std::uint32_t kInput = 104;
constexpr std::uint32_t kDone = 106;
constexpr std::uint32_t kPid = 107;
constexpr std::uint32_t kDirectory = 108;
constexpr std::uint32_t kFeatures = 109;
constexpr std::uint32_t kOutput = 110;
constexpr std::uint32_t kFlags = 111;
constexpr std::uint32_t kCommand = 200;
constexpr std::uint32_t kDetach = 201;
constexpr std::uint32_t kDetachAndKill = 202;
constexpr std::uint32_t kExit = 203;
constexpr std::uint32_t kExited = 204;
constexpr std::uint32_t kShutdown = 210;
constexpr std::uint32_t kSuspend = 214;
constexpr std::uint32_t kExec = 217;

/// That the client is to end, or to stand still.
constexpr std::array<std::uint32_t, 8> kOver = {kVersionRefused, kDetach,   kDetachAndKill, kExit,
                                                kExited,         kShutdown, kSuspend,       kExec};

constexpr std::uint64_t kInControlMode = 0x2000;
constexpr std::uint64_t kReadsUtf8 = 0x10000;

struct Header {
  std::uint32_t kind = 0;
  std::uint32_t size = 0;  ///< of the whole message
  std::uint32_t version = kVersion;
  std::uint32_t pid = UINT32_MAX;  ///< nobody asks
};
constexpr std::uint32_t kLongest = 16'384;

template <typename Value>
std::string bytes_of(const Value& value) {
  return {reinterpret_cast<const char*>(&value), sizeof value};
}

std::string text(const std::string& value) {
  return value + '\0';
}

std::string message(std::uint32_t kind, const std::string& data = "") {
  Header header;
  header.kind = kind;
  header.size = static_cast<std::uint32_t>(sizeof header + data.size());
  return bytes_of(header) + data;
}

std::string message_with_descriptor(WireForm form, std::uint32_t kind) {
  Header header;
  header.kind = kind;
  if (form == WireForm::marked) {
    header.size = sizeof header | 0x80000000U;
    return bytes_of(header);
  }
  constexpr std::uint16_t kSizeAndFlag[2] = {sizeof header, 1};
  std::memcpy(&header.size, kSizeAndFlag, sizeof header.size);
  return bytes_of(header);
}

std::string words(const std::vector<std::string>& command) {
  std::string all = bytes_of(static_cast<std::int32_t>(command.size()));
  for (const std::string& word : command) {
    all += text(word);
  }
  return all;
}

}  // namespace

Introduction introduce(WireForm form, const std::string& name, int pid,
                       const std::vector<std::string>& command) {
  Introduction all;
  all.until_input = message(kTerm, text("dumb")) + message(kFeatures, bytes_of(std::int32_t{0})) +
                    message(kTtyName, text(name)) + message(kDirectory, text("/")) +
                    message_with_descriptor(form, kInput);
  all.until_output = message_with_descriptor(form, kOutput);
  all.rest = message(kPid, bytes_of(static_cast<std::int32_t>(pid))) +
             message(kFlags, bytes_of(kInControlMode | kReadsUtf8)) + message(kDone) +
             message(kCommand, words(command));
  return all;
}

bool WireReader::feed(std::string_view bytes) {
  unread_ += bytes;
  std::size_t at = 0;
  bool over = false;
  for (Header header; !over && unread_.size() - at >= sizeof header; at += header.size) {
    std::memcpy(&header, unread_.data() + at, sizeof header);
    spoken_to_ = true;
    const bool sound =
        header.size >= sizeof header && header.size <= kLongest && (header.version & 0xffU) == kVersion;
    over = !sound || std::ranges::find(kOver, header.kind) != kOver.end();
    if (unread_.size() - at < header.size) {
      break;
    }
  }
  unread_.erase(0, at);
  return !over;
}

}  // namespace terminally
