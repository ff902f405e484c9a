#pragma once

#include <array>
#include <cstdint>
#include <filesystem>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace terminally {

/// The view of a log's bytes that a tool answers with where the call names none. doc/pane-log.md.
enum class View { raw, plain, rendered };

/// What a tool's answer is: an object, or one text as a person reads it. doc/results.md.
enum class AnswerForm : std::uint8_t { json, text };

/// What is masked in the text that models read. doc/redaction.md.
enum class Redact { off, rules, all };

/// The helper programs that run in every tab's window.
inline constexpr std::array kHelpers = {"terminally-log", "terminally-shell"};

/// What becomes of a command whose time is over.
enum class OnTimeout { interrupt, background };

/// One helper program that this program carries inside.
struct PackedHelper {
  std::string_view name;
  std::string_view bytes;
};

/// All carried helpers. They are unpacked where they are not installed beside the program.
struct PackedHelpers {
  std::string_view hash;  ///< of their bytes
  std::span<const PackedHelper> programs;
};

/// Paths and limits with their defaults. Filled from flags and environment by the command line, then never
/// changed.
struct Config {
  std::filesystem::path
      runtime_root;  ///< --runtime-dir, TERMINALLY_RUNTIME_DIR; default /tmp/terminally-mcp-<uid>
  std::filesystem::path
      state_root;  ///< --state-dir, TERMINALLY_STATE_DIR; default ~/.local/state/terminally-mcp
  std::filesystem::path helper_dir;  ///< where kHelpers are
  PackedHelpers packed_helpers;      ///< to be unpacked into helper_dir; empty: the helpers are installed
  std::string instance;       ///< --instance NAME; empty: a fresh unique name, whose tabs end with the server
  std::string tmux = "tmux";  ///< --tmux, the tmux program
  View view = View::raw;      ///< --view
  Redact redact = Redact::all;                    ///< --redact
  std::vector<std::string> mask_env;              ///< --mask-env, names of variables
  std::filesystem::path mask_file;                ///< --mask-file; empty: none
  std::vector<std::filesystem::path> file_roots;  ///< --file-root; none: the project of the working directory
  std::filesystem::path project;                  ///< where new tabs begin; empty: in the home directory
  bool plain_env = false;                         ///< --plain-env: tabs do not get PAGER=cat and the like
  AnswerForm answers = AnswerForm::json;          ///< --answers
  std::uint32_t history_limit = 50'000;           ///< --history-limit, lines of tmux scrollback for new tabs
  std::uint64_t sync_window_ms =
      55'000;  ///< --sync-window-ms: how long a call may block before it hands over
  std::uint64_t default_timeout_ms = 10'000;  ///< --default-timeout-ms: of a call that gives no time-out
  std::optional<OnTimeout>
      on_timeout;  ///< --on-timeout; none: interrupt where the call gave a time-out, background where not
  std::uint64_t log_segment_bytes = std::uint64_t{64} << 20U;  ///< --log-segment-bytes: rotated when full
  std::uint64_t log_quota_bytes = std::uint64_t{1} << 30U;     ///< --log-quota-bytes, of one tab
  std::uint64_t log_total_bytes = std::uint64_t{8} << 30U;     ///< --log-total-bytes, in the state directory
  std::uint64_t min_free_bytes = std::uint64_t{1} << 30U;      ///< --min-free-bytes, of the logs' file system
  std::uint32_t log_keep_days = 7;         ///< --log-keep-days: how long the log of a closed tab stays
  std::uint64_t max_duration_ms = 0;       ///< --max-duration-ms: caps every command; 0 is off
  std::uint64_t tmux_deadline_ms = 4'000;  ///< each tmux invocation is killed and reported after this
  std::filesystem::path
      hosts_file;            ///< --hosts, TERMINALLY_HOSTS; default ~/.config/terminally-mcp/hosts.json
  std::string gateway;       ///< id of the terminally-mcp that this process serves over a pipe; empty: none
  bool temporary = false;    ///< the tabs end once that gateway says goodbye
  bool guest = false;        ///< a command of people, which works beside the server that owns the instance
  bool stays = false;        ///< a guest that goes on: it keeps a client at tmux, and hears its news
  std::uint32_t cols = 200;  ///< --size: wide enough for a path in a compiler's message, or a line of `ps`
  std::uint32_t rows = 50;
};

}  // namespace terminally
