// terminally-mcp export: writes what a tab printed as an asciicast, which other programs play.

#include <CLI/CLI.hpp>
#include <cerrno>
#include <chrono>
#include <fstream>
#include <memory>
#include <nlohmann/json.hpp>

#include "base/error.hpp"
#include "base/files.hpp"
#include "cli/arguments.hpp"
#include "cli/subcommands.hpp"
#include "log/recording.hpp"
#include "terminal/print.hpp"
#include "text/playback.hpp"

namespace terminally {
namespace {

using nlohmann::ordered_json;

struct ExportOptions {
  std::string log;
  bool asciicast = false;
  std::string file;
};

/// A file, or stdout.
class Output {
 public:
  explicit Output(const std::string& path) : path_(path) {
    if (!path_.empty()) {
      write_file(path_, "");  // readable by the owner alone, as the log is
      file_.open(path_, std::ios::binary | std::ios::trunc);
      check();
    }
  }

  void line(const ordered_json& value) {
    const std::string text = value.dump(-1, ' ', false, ordered_json::error_handler_t::replace) + "\n";
    if (path_.empty()) {
      print(text);
    } else {
      file_ << text;
      check();
    }
  }

  void finish() {
    if (!path_.empty()) {
      file_.close();
      check();
    }
  }

 private:
  void check() const {
    if (file_.fail()) {
      throw io_error("cannot write " + path_, errno);
    }
  }

  std::string path_;
  std::ofstream file_;
};

/// Asciicast, version 2: https://docs.asciinema.org/manual/asciicast/v2/
ordered_json header(const Config& config, const Recording& recording, const std::string& title) {
  ordered_json object = {{"version", 2}, {"width", config.cols}, {"height", config.rows}};
  if (const auto began = recording.began_at()) {
    object["timestamp"] = *began;
  }
  object["title"] = title;
  object["env"] = {{"TERM", "xterm-256color"}};
  return object;
}

void write_events(Recording& recording, Output& output) {
  PlaybackFilter filter;
  std::chrono::milliseconds now{0};
  const auto event = [&output, &now](const std::string& text) {
    if (!text.empty()) {
      output.line(ordered_json::array({static_cast<double>(now.count()) / 1000, "o", text}));
    }
  };
  while (auto piece = recording.next()) {
    now += piece->wait;
    if (piece->gap_bytes > 0) {
      complain(std::to_string(piece->gap_bytes) + " bytes are missing from the log at " +
               std::to_string(now.count() / 1000) + " s");
    }
    if (piece->gap_unknown) {
      complain("an unknown number of bytes is missing at " + std::to_string(now.count() / 1000) +
               " s: the log's writer was killed");
    }
    std::string text;
    filter.feed(piece->bytes, text);
    event(text);
  }
  std::string rest;
  filter.finish(rest);
  event(rest);
}

int export_log(const Config& config, const ExportOptions& options) {
  Recording recording(log_named(config, options.log));
  if (!recording.has_times()) {
    complain("this log has no timing index: everything is at 0 s");
  }
  Output output(options.file);
  output.line(header(config, recording, on_one_line(options.log)));
  write_events(recording, output);
  output.finish();
  return 0;
}

}  // namespace

void add_export(CLI::App& app, Config& config, Action& action) {
  const auto options = std::make_shared<ExportOptions>();
  CLI::App* command = app.add_subcommand(
      "export", "What a tab printed, as a recording for other programs: asciinema and its player");
  add_log_argument(*command, options->log, "The tab, or the path of a log")->required();
  command->add_flag("--asciicast", options->asciicast, "As asciicast v2, the one format there is")
      ->required();
  command->add_option("-o,--output", options->file, "Into this file instead of stdout")->type_name(kFileType);
  command->footer(
      "The recording is plain text with all that the tab printed: look for secrets before you publish it.\n"
      "Examples:\n"
      "  terminally-mcp export @3 --asciicast -o build.cast\n"
      "  asciinema play -i 2 build.cast");
  command->callback(
      [&config, &action, options] { action = [&config, options] { return export_log(config, *options); }; });
}

}  // namespace terminally
