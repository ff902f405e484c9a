// Makes one text of an answer, as a person reads it.
#include "toolkit/answer_text.hpp"

#include <algorithm>
#include <nlohmann/json.hpp>

#include "json/json_reader.hpp"
#include "toolkit/answer_state.hpp"
#include "toolkit/answer_words.hpp"

namespace terminally {
namespace {

using nlohmann::json;
using nlohmann::ordered_json;
using Field = AnswerShape::Field;

/// What a text is put together from.
struct Parts {
  std::string body;
  bool is_exact = false;           ///< the body is text as it is, and may hold any line
  std::vector<std::string> facts;  ///< of the last line
  bool says_more = false;          ///< the facts are more than the success of a command
  std::vector<std::string> notes;
};

bool has_body(const std::vector<Field>& fields) {
  return std::ranges::any_of(fields, &Field::is_body);
}

bool is_true(const ordered_json& object, std::string_view name) {
  return !name.empty() && object.value(std::string(name), ordered_json()) == true;
}

void add_field(Parts& parts, const Field& field, const ordered_json& value, bool lists_are_facts) {
  if (field.is_body && value.is_string()) {
    parts.body = value.get<std::string>();
    parts.is_exact = true;
  } else if (value.is_array() && !lists_are_facts) {
    parts.body += value.empty() ? "" : list_lines(field, value);
    if (value.empty()) {
      parts.facts.push_back("no " + field.name);
    }
  } else {
    parts.facts.push_back(field_words(field, value));
    parts.says_more |= parts.facts.back() != kExitedWell;
  }
}

std::vector<std::string> note_lines(const ordered_json& notes) {
  std::vector<std::string> lines;
  for (const ordered_json& note : notes) {
    lines.push_back(note.is_string() ? as_one_line(note.get<std::string>()) : value_words(note));
  }
  return lines;
}

/// A list that is the body says that it is empty, unless that goes without saying.
bool is_said(const Field& field, const ordered_json& answer, bool lists_are_facts) {
  const ordered_json& value = answer[field.name];
  const bool is_empty_list = value.is_array() && value.empty();
  return field.is_body || (is_empty_list && !lists_are_facts && field.how.plain.empty()) ||
         (!goes_without_saying(value, field.how) && !is_true(answer, field.how.unless));
}

bool is_said_by_caller(const std::string& name, const ordered_json& value, const json& asked) {
  return name == "host" ||
         (name == "path" && value.is_string() && value.get<std::string>() == text_field(asked, "path"));
}

Parts parts_of(const Tool& tool, const json& asked, const ordered_json& answer, bool verbose) {
  AnswerShape shape;
  tool.describe_result(shape);
  Parts parts;
  const bool lists_are_facts = has_body(shape.fields());
  for (const auto& [name, value] : answer.items()) {
    Field field = field_named(shape.fields(), name);
    if (verbose && field.how.plain != InText::kAlways) {
      field.how.plain = {};
    }
    if (name == "notes" && value.is_array()) {
      parts.notes = note_lines(value);
    } else if (!is_said_by_caller(name, value, asked) && is_said(field, answer, lists_are_facts)) {
      add_field(parts, field, value, lists_are_facts);
    }
  }
  return parts;
}

/// A file's text is written back: whether it ends with a newline is not seen otherwise.
void say_last_line(Parts& parts, const Tool& tool, const ordered_json& answer) {
  if (tool.traits.exact_content && answer.value("encoding", ordered_json()) == "utf8" &&
      !parts.body.empty() && parts.body.back() != '\n') {
    parts.facts.emplace_back(is_true(answer, "eof") ? "no newline at the end" : "cut within a line");
  }
}

/// Whether the text can do without a last line: it says nothing then but that all went well, in a few words
/// that nobody takes for ours.
bool is_silent(const Parts& parts) {
  constexpr std::size_t kShort = 1'000;
  if (!parts.is_exact) {
    return parts.facts.empty() && parts.notes.empty() && !parts.body.empty();
  }
  return !parts.says_more && !parts.facts.empty() && parts.notes.empty() && !parts.body.empty() &&
         parts.body.size() < kShort && parts.body.find('[') == std::string::npos &&
         parts.body.find("note: ") == std::string::npos;
}

std::string put_together(const Parts& parts) {
  std::string text = parts.body;
  if (is_silent(parts)) {
    return text;
  }
  if (!text.empty() && text.back() != '\n') {
    text += '\n';
  }
  for (const std::string& note : parts.notes) {
    text += "note: " + note + '\n';
  }
  std::string facts;
  for (const std::string& fact : parts.facts) {
    facts += (facts.empty() ? "" : " · ") + fact;
  }
  if (!parts.notes.empty()) {
    const std::size_t count = parts.notes.size();
    facts +=
        (facts.empty() ? "" : " · ") + std::to_string(count) + (count == 1 ? " note" : " notes") + " above";
  }
  return text + "[" + (facts.empty() ? "end" : facts) + "]";
}

}  // namespace

std::string answer_text(const Tool& tool, const json& asked, const ordered_json& answer) {
  const bool verbose = asked.value("verbose", json()) == true;
  Parts parts = parts_of(tool, asked, answer, verbose);
  const std::string tab = text_field(asked, "window_id").value_or("");
  if (!verbose) {
    std::erase_if(parts.notes, [&answer](const std::string& note) { return is_said_by_state(note, answer); });
    for (std::string& fact : state_words(answer, tab)) {
      parts.facts.push_back(std::move(fact));
      parts.says_more = true;
    }
    say_last_line(parts, tool, answer);
    for (std::string& fact : asides(answer, tab)) {
      parts.facts.push_back(std::move(fact));
    }
  }
  return put_together(parts);
}

}  // namespace terminally
