// Compiles and matches regular expressions with PCRE2, with a limit on the steps of each match.
#include "text/pattern.hpp"

#include <algorithm>
#include <array>
#include <cstdint>
#include <new>
#include <string>

#include "base/characters.hpp"
#include "base/error.hpp"

#define PCRE2_CODE_UNIT_WIDTH 8
#include <pcre2.h>

namespace terminally {
namespace {

/// Steps for each place where a match may begin: a few milliseconds.
constexpr std::uint32_t kMatchLimit = 1'000'000;
constexpr std::uint32_t kDepthLimit = 100'000;
constexpr std::uint32_t kHeapLimitKib = 16 * 1024;
constexpr std::size_t kJitStackFirst = std::size_t{32} * 1024;
constexpr std::size_t kJitStackLargest = std::size_t{1024} * 1024;

struct Free {
  void operator()(pcre2_code* code) const { pcre2_code_free(code); }
  void operator()(pcre2_match_data* data) const { pcre2_match_data_free(data); }
  void operator()(pcre2_match_context* context) const { pcre2_match_context_free(context); }
  void operator()(pcre2_jit_stack* stack) const { pcre2_jit_stack_free(stack); }
};

template <class T>
std::unique_ptr<T, Free> owned(T* object) {
  if (object == nullptr) {
    throw std::bad_alloc();
  }
  return std::unique_ptr<T, Free>(object);
}

std::string message_of(int error) {
  std::array<PCRE2_UCHAR, 256> text{};
  const int length = pcre2_get_error_message(error, text.data(), text.size());
  return length > 0 ? std::string(text.begin(), text.begin() + length) : "error " + std::to_string(error);
}

PCRE2_SPTR units(std::string_view text) {
  return reinterpret_cast<PCRE2_SPTR>(text.empty() ? "" : text.data());
}

/// Whether the pattern has only plain groups, nothing possessive, and only escapes that look at one
/// character. Then the lines around can only make a match go on beyond the line's end; backtracking brings it
/// back.
bool is_plain(std::string_view pattern) {
  constexpr std::string_view kEscapes = "bBdDwWsStnrfae.^$|?*+()[]{}\\/-\"'#&,:;<=>!@%_~` ";
  for (std::size_t i = 0; i < pattern.size(); ++i) {
    const std::string_view rest = pattern.substr(i);
    if (rest[0] == '\\') {
      if (rest.size() < 2 || !is_one_of(rest[1], kEscapes)) {
        return false;
      }
      ++i;
    } else if (rest.starts_with("(*") || (rest.starts_with("(?") && !rest.starts_with("(?:")) ||
               (rest.size() > 1 && rest[1] == '+' && std::string_view("*+?}").find(rest[0]) < 4)) {
      return false;
    }
  }
  return true;
}

/// The memory and limits of a search: one for each thread.
struct Scratch {
  Scratch() {
    pcre2_jit_stack_assign(context.get(), nullptr, stack.get());
    pcre2_set_match_limit(context.get(), kMatchLimit);
    pcre2_set_depth_limit(context.get(), kDepthLimit);
    pcre2_set_heap_limit(context.get(), kHeapLimitKib);
  }

  std::unique_ptr<pcre2_match_data, Free> result = owned(pcre2_match_data_create(1, nullptr));
  std::unique_ptr<pcre2_match_context, Free> context = owned(pcre2_match_context_create(nullptr));
  std::unique_ptr<pcre2_jit_stack, Free> stack =
      owned(pcre2_jit_stack_create(kJitStackFirst, kJitStackLargest, nullptr));
};

Scratch& scratch() {
  thread_local Scratch mine;
  return mine;
}

}  // namespace

struct Pattern::Compiled {
  std::unique_ptr<pcre2_code, Free> code;
  std::string field;
};

Pattern::Pattern(std::string_view pattern, Options options)
    : compiled_(std::make_unique<Compiled>()), fits_many_lines_(is_plain(pattern)) {
  Compiled& c = *compiled_;
  c.field = options.field;
  if (pattern.size() > kMaxBytes) {
    throw Error(ErrorCode::invalid_argument, c.field + ": has " + std::to_string(pattern.size()) +
                                                 " bytes; allowed: at most " + std::to_string(kMaxBytes));
  }
  std::uint32_t flags = PCRE2_UTF | PCRE2_MATCH_INVALID_UTF | PCRE2_NEVER_BACKSLASH_C | PCRE2_MULTILINE |
                        PCRE2_USE_OFFSET_LIMIT;
  flags |= options.ignore_case ? PCRE2_CASELESS : 0U;
  const std::unique_ptr<pcre2_compile_context, decltype(&pcre2_compile_context_free)> how(
      pcre2_compile_context_create(nullptr), &pcre2_compile_context_free);
  pcre2_set_newline(how.get(), PCRE2_NEWLINE_ANYCRLF);  // a log's lines end in CR LF
  int error = 0;
  PCRE2_SIZE where = 0;
  pcre2_code* code = pcre2_compile(units(pattern), pattern.size(), flags, &error, &where, how.get());
  if (code == nullptr) {
    throw Error(ErrorCode::invalid_argument, c.field + ": " + message_of(error) + " at byte " +
                                                 std::to_string(where) +
                                                 "; allowed: a PCRE2 regular expression");
  }
  c.code = owned(code);
  static_cast<void>(pcre2_jit_compile(code, PCRE2_JIT_COMPLETE));  // without a JIT it is only slower
}

Pattern::Pattern(Pattern&&) noexcept = default;
Pattern& Pattern::operator=(Pattern&&) noexcept = default;
Pattern::~Pattern() = default;

std::optional<Pattern::Match> Pattern::find(Subject subject, std::size_t from, std::size_t last_begin) const {
  const Compiled& c = *compiled_;
  Scratch& with = scratch();
  pcre2_set_offset_limit(with.context.get(), last_begin == kNoLimit ? PCRE2_UNSET : last_begin);
  std::uint32_t options = subject.begins_line ? 0U : PCRE2_NOTBOL;
  options |= subject.ends_line ? 0U : PCRE2_NOTEOL;
  const int found = pcre2_match(c.code.get(), units(subject.text), subject.text.size(), from, options,
                                with.result.get(), with.context.get());
  if (found == PCRE2_ERROR_NOMATCH) {
    return std::nullopt;
  }
  if (found < 0) {
    const bool too_much = found == PCRE2_ERROR_MATCHLIMIT || found == PCRE2_ERROR_DEPTHLIMIT ||
                          found == PCRE2_ERROR_HEAPLIMIT || found == PCRE2_ERROR_JIT_STACKLIMIT;
    throw Error(ErrorCode::invalid_argument,
                c.field + ": " +
                    (too_much ? "takes too many steps on a line of the log (" + message_of(found) +
                                    "); use a simpler one, without nested repetition"
                              : message_of(found)));
  }
  const PCRE2_SIZE* place = pcre2_get_ovector_pointer(with.result.get());
  return Match{.begin = std::min(place[0], place[1]), .end = std::max(place[0], place[1])};
}

}  // namespace terminally
