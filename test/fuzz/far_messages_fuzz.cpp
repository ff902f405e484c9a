// What a far side sends behind its hello: lines to messages, messages to those who wait. What must hold: any
// split of the bytes gives the same; an answer reaches only one that waits for it, once; progress only one
// that asked for it, before its answer; what is dropped unread was for nobody; what another parser refuses
// ends the link.
#include "hosts/far_messages.hpp"

#include <map>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "base/error.hpp"
#include "hosts/far_requests.hpp"
#include "oracle.hpp"
#include "stdio/line_framer.hpp"

using namespace terminally;
using namespace terminally::fuzz;
using nlohmann::json;

namespace {

constexpr std::size_t kLongest = 512;
constexpr std::uint64_t kIds = 4;

bool wants_progress(std::uint64_t id) {
  return id % 2 == 0;
}

/// The near side of one link.
class Link {
 public:
  Link() {
    for (std::uint64_t id = 1; id <= kIds; ++id) {
      const auto tell = [this, id](const Progress& step) { return hear(id, step); };
      all_[id] = requests_.add(id, wants_progress(id) ? ReportProgress(tell) : nullptr);
    }
  }
  Link(const Link&) = delete;
  Link& operator=(const Link&) = delete;

  void feed(std::string_view bytes) {
    framer_.feed(bytes);
    for (auto line = framer_.next(); line; line = framer_.next()) {
      if (!over_) {
        take(*line);
      }
    }
  }

  /// What came of it.
  std::vector<std::string> seen;

 private:
  Taken hear(std::uint64_t id, const Progress& step) {
    require(wants_progress(id), "progress comes to who asked for it");
    require(!all_[id]->done.is_set(), "and not behind its answer");
    seen.push_back(std::to_string(id) + " step " + step.message);
    return Taken::yes;
  }

  void take(const LineFramer::Line& line) {
    const auto waits = [this](std::uint64_t id) { return requests_.waits(id); };
    FarMessage message;
    over_ = line.too_long;
    try {
      message = over_ ? FarMessage() : read_far_message(line.text);
    } catch (const Error&) {
      over_ = true;
    }
    if (!line.too_long) {
      check(line.text, message, answers_nobody(line.text, waits));
    }
    seen.emplace_back(over_ ? "over" : "line");
    give(std::move(message));
  }

  void check(std::string_view text, const FarMessage& message, bool dropped) const {
    const auto* const answer = std::get_if<FarAnswer>(&message);
    const auto* const step = std::get_if<FarStep>(&message);
    require(!dropped || answer == nullptr || !requests_.waits(answer->id), "no answer is dropped");
    require(!dropped || step == nullptr, "nor any progress");
    require(dropped || answer == nullptr || requests_.waits(answer->id), "what answers nobody is not read");
    const json by_other = json::parse(text.begin(), text.end(), nullptr, false);
    require(over_ || by_other.is_object(), "what is no object ends the link");
    if (answer != nullptr) {
      require(by_other["id"] == answer->id && !by_other.contains("method"), "an answer has its id");
      require(answer->refusal || json(answer->result) == by_other["result"], "and is exact");
      require(!answer->refusal || !by_other.contains("result") || !by_other["result"].is_object(),
              "a result is no refusal");
    }
    if (step != nullptr) {
      require(by_other["params"]["progressToken"] == step->id, "progress has its token");
    }
  }

  void give(FarMessage message) {
    std::map<std::uint64_t, bool> before;
    for (const auto& [id, request] : all_) {
      before[id] = request->done.is_set();
    }
    const auto* const answer = std::get_if<FarAnswer>(&message);
    const std::uint64_t answered = answer != nullptr ? answer->id : 0;
    requests_.take(std::move(message));
    for (const auto& [id, request] : all_) {
      require(request->done.is_set() == (before[id] || id == answered), "only it is answered");
      if (request->done.is_set() && !before[id]) {
        seen.push_back(std::to_string(id) + " " + request->refusal.value_or(request->result.dump()));
      }
    }
  }

  LineFramer framer_{kLongest};
  FarRequests requests_;
  std::map<std::uint64_t, std::shared_ptr<FarRequests::Request>> all_;
  bool over_ = false;
};

}  // namespace

int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  std::string_view bytes = text_of(data, size);
  const unsigned seed = take_byte(bytes);
  const std::string text = std::string(bytes) + "\n";  // so that small inputs are read
  Link whole;
  whole.feed(text);
  Link cut;
  for (const std::string_view piece : pieces(text, seed)) {
    cut.feed(piece);
  }
  require(whole.seen == cut.seen, "any split gives the same");
  return 0;
}
