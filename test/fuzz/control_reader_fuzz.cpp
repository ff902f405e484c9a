// What a tmux client in control mode prints. What must hold: any bytes, cut anywhere, are read without harm
// and alike; what a command printed comes back exactly, whatever it looks like, and with whatever
// notifications around it.
#include "tmux/wire/control_reader.hpp"

#include <string>

#include "oracle.hpp"

using namespace terminally;
using namespace terminally::fuzz;

namespace {

struct Read {
  std::uint64_t number = 0;
  std::string out;
  std::string error;
  bool operator==(const Read&) const = default;
};

std::vector<Read> read_in(const std::vector<std::string_view>& parts) {
  ControlReader reader("5ec3e7");
  for (std::uint64_t number = 1; number <= 3; ++number) {
    static_cast<void>(reader.request("x", number));
  }
  std::vector<Read> all;
  for (const std::string_view part : parts) {
    for (auto& one : reader.feed(part)) {
      all.push_back({one.number, std::move(one.answer.out), std::move(one.answer.error)});
    }
  }
  return all;
}

std::string block(std::string_view printed, int number, const char* end = "%end") {
  const std::string guard = " 17 " + std::to_string(number) + " 1\n";
  return "%begin" + guard + std::string(printed) + end + guard;
}

std::string mark(int of, int number) {
  return block("terminally:5ec3e7:" + std::to_string(of) + "\n", number);
}

void check_any_text(std::string_view text, unsigned seed) {
  require(read_in({text}) == read_in(pieces(text, seed)), "how it is cut makes no difference");
}

void check_printed(std::string_view any, unsigned seed) {
  if (any.find("terminally:5ec3e7:") != std::string_view::npos) {
    return;  // which nobody knows
  }
  if (any.find(" 17 6 1") != std::string_view::npos) {
    return;  // it could be the end of a block before it in the same answer, which is the last that could be
  }
  std::string printed(any);
  if (!printed.empty() && printed.back() != '\n') {
    printed += '\n';
  }
  const std::string text = "%window-add @1\n" + block(printed, 3) + block("", 4) + mark(1, 5) +
                           "%window-renamed @1 x\n" + block("b\n", 6) + block(printed, 7) + mark(2, 8) +
                           block(printed + "why\n", 9, "%error") + mark(3, 10);
  const auto answers = read_in(pieces(text, seed));
  require(answers.size() == 3, "each operation is answered once");
  require(answers[0] == Read{1, printed, ""}, "what was printed is exact");
  require(answers[1] == Read{2, "b\n" + printed, ""}, "what was printed by several is exact");
  require(answers[2] == Read{3, "", printed + "why"}, "an error is exact");
}

}  // namespace

int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  std::string_view input = text_of(data, size);
  const unsigned seed = take_byte(input);
  check_any_text(input, seed);
  check_printed(input, seed);
  return 0;
}
