#pragma once

#include <string>
#include <string_view>

#include "text/ansi_parser.hpp"
#include "text/character_sets.hpp"

namespace terminally {

/// Strips escape sequences but keeps text that was drawn over: text after a return to the beginning of a line
/// becomes a line of its own, as for each step of a progress bar. Letters of the line drawing set are lines.
/// Any split of the stream gives the same text.
class DrawnSteps {
 public:
  void feed(std::string_view bytes, std::string& out) {
    Writer writer{*this, out};
    parser_.feed(bytes, writer);
  }

  void finish(std::string& out) {
    Writer writer{*this, out};
    parser_.finish(writer);
  }

 private:
  struct Writer {
    DrawnSteps& steps;
    std::string& out;

    void text(std::string_view text) {
      if (steps.went_back_ && !text.starts_with('\n')) {
        out += '\n';
      }
      steps.went_back_ = false;
      steps.line_has_text_ = !text.ends_with('\n');
      steps.sets_.append(text, out);
    }
    void control(char c) {
      steps.went_back_ = steps.went_back_ || (c == '\r' && steps.line_has_text_);
      steps.sets_.control(c);
    }
    void escape(char intermediate, char final) { steps.sets_.escape(intermediate, final); }
    void csi(std::string_view parameters, char final) {
      steps.sets_.csi(parameters, final);
      const bool to_first_column =
          final == 'G' && (parameters.empty() || parameters == "0" || parameters == "1");
      steps.went_back_ = steps.went_back_ || (to_first_column && steps.line_has_text_);
    }
  };

  AnsiParser<Writer> parser_;
  CharacterSets sets_;
  bool line_has_text_ = false;
  bool went_back_ = false;  ///< to the line's beginning, and nothing was written since
};

}  // namespace terminally
