#pragma once

#include <array>
#include <cstdint>
#include <filesystem>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace terminally {

/// Which of the three views of the same bytes a tool answers with when the call does not say.
/// doc/pane-log.md.
enum class View { raw, plain, rendered };

/// What is masked in what models read. doc/redaction.md.
enum class Redact { off, rules, all };

/// The programs that run in every tab's window, beside ours.
inline constexpr std::array kHelpers = {"terminally-log", "terminally-shell"};

/// One of them that the program carries inside.
struct PackedHelper {
  std::string_view name;
  std::string_view bytes;
};

/// All of them. They are unpacked where they are not beside the program.
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
  PackedHelpers packed_helpers;      ///< what has to be there; none: it was installed
  std::string instance;       ///< --instance NAME; empty: a fresh unique name, whose tabs end with the server
  std::string tmux = "tmux";  ///< --tmux, the tmux program
  View view = View::raw;      ///< --view
  Redact redact = Redact::all;                    ///< --redact
  std::vector<std::string> mask_env;              ///< --mask-env, names of variables
  std::filesystem::path mask_file;                ///< --mask-file; empty: none
  std::vector<std::filesystem::path> file_roots;  ///< --file-root; none: the project of the working directory
  bool plain_env = false;                         ///< --plain-env: tabs do not get PAGER=cat and the like
  std::uint32_t history_limit = 50'000;           ///< --history-limit, lines of tmux scrollback for new tabs
  std::uint64_t sync_window_ms =
      55'000;  ///< --sync-window-ms: how long a call may block before it hands over
  std::uint64_t log_segment_bytes = std::uint64_t{64} << 20U;  ///< --log-segment-bytes: rotated when full
  std::uint64_t log_quota_bytes = std::uint64_t{1} << 30U;     ///< --log-quota-bytes, of one tab
  std::uint64_t log_total_bytes = std::uint64_t{8} << 30U;     ///< --log-total-bytes, in the state directory
  std::uint64_t min_free_bytes = std::uint64_t{1} << 30U;      ///< --min-free-bytes, of the logs' file system
  std::uint32_t log_keep_days = 7;         ///< --log-keep-days: how long the log of a closed tab stays
  std::uint64_t max_duration_ms = 0;       ///< --max-duration-ms: caps every command; 0 is off
  std::uint64_t tmux_deadline_ms = 4'000;  ///< each tmux invocation is killed and reported after this
  std::filesystem::path
      hosts_file;          ///< --hosts, TERMINALLY_HOSTS; default ~/.config/terminally-mcp/hosts.json
  std::string gateway;     ///< we run behind a pipe for another terminally-mcp, of this id
  bool temporary = false;  ///< for it, our tabs end once it says goodbye
  bool guest = false;      ///< works beside the server that owns the instance: the command line
  std::uint32_t cols = 120;
  std::uint32_t rows = 40;
};

}  // namespace terminally
