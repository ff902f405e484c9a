#pragma once

#include <string>
#include <string_view>

#include "text/ansi_parser.hpp"

namespace terminally {

/// What of a log is played back, to a terminal or into a recording: text, colours, everything that draws.
/// Left out is what would act on the viewer's terminal in another way than drawing: questions that it would
/// answer as if typed, the clipboard, titles, its size and its printer; every OSC, DCS, APC, PM and SOS
/// string (the records of commands are OSC strings, links and images are lost). Valid UTF-8. Any split of the
/// stream gives the same bytes; an unfinished character or sequence is held until it is whole.
class PlaybackFilter {
 public:
  /// Appends to `out` what of `bytes` is played.
  void feed(std::string_view bytes, std::string& out);

  /// The stream ends here.
  void finish(std::string& out);

 private:
  struct Player {
    std::string& out;
    void text(std::string_view text) { out.append(text); }
    void control(char c) const;
    void escape(char intermediate, char final) const;
    void csi(std::string_view parameters, char final) const;
  };

  AnsiParser<Player> parser_;
};

}  // namespace terminally
