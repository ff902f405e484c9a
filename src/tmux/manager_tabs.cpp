// Tabs: listed, found, opened, renamed.

#include "base/error.hpp"
#include "command/tab_look.hpp"
#include "tmux/manager.hpp"
#include "tmux/manager_parts.hpp"
#include "tmux/window_options.hpp"

namespace terminally {
namespace {

/// nullopt: no open tab has that name. Throws Error(invalid_argument) when several have.
Awaitable<std::optional<WindowId>> find_by_name(ManagerParts& manager, std::string name) {
  co_await manager.tabs.refresh();
  std::optional<WindowId> found;
  for (const auto& [window, tab] : manager.tabs.known()) {
    if (notice_if_closed(*tab) || tab->name != name) {
      continue;
    }
    if (found) {
      throw Error(ErrorCode::invalid_argument, "window_id: " + several_tabs_named(name, *found, window));
    }
    found = window;
  }
  co_return found;
}

Awaitable<void> give_name(ManagerParts& manager, WindowId window, std::string name) {
  if (name.empty()) {
    throw Error(ErrorCode::invalid_argument, "name: must not be empty");
  }
  check_tab_name(name);
  const TabPtr tab = co_await manager.tabs.find_open(window);
  const TmuxClient server = manager.server.client_of(*tab);
  co_await server.change("rename-window -t " + quote(to_string(tab->pane)) + " -- " +
                         quote(format_literal(name)));
  tab->name = name;
  manager.tabs.changes().differs();
}

Awaitable<void> limit_history(ManagerParts& manager, std::uint32_t limit) {
  co_await manager.tabs.attach();
  if (manager.server.pid() != 0) {
    const TmuxClient server = manager.server.client();
    co_await server.change("set-option -g history-limit " + std::to_string(limit));
  }
  manager.config.history_limit = limit;
}

}  // namespace

Awaitable<CreatedTab> TmuxManager::create_tab(CreateTab request) {
  return parts_->within_call_time(parts_->tabs.create(std::move(request)));
}

Awaitable<std::optional<WindowId>> TmuxManager::tab_named(std::string name) {
  return parts_->within_call_time(find_by_name(*parts_, std::move(name)));
}

/// Without a server that we know of, one of an earlier terminally-mcp may run, which the call under way is
/// about to find.
std::vector<Variable> TmuxManager::new_tab_variables(const std::vector<std::string>& names,
                                                     TabVariables& told) {
  constexpr Milliseconds kServerLook{100};
  int server = parts_->server.pid();
  if (server == 0 && parts_->server.owner().durable() && Clock::now() >= parts_->no_server_until) {
    server = parts_->server.instance().server_pid();
    parts_->no_server_until = Clock::now() + (server == 0 ? kServerLook : Milliseconds(0));
  }
  return server == 0 ? std::vector<Variable>() : told.news(server, names);
}

/// nullopt: one has lost its process since tmux was asked, which may have given it another.
std::optional<std::vector<TabInfo>> ManagerParts::look_at_tabs(bool again) {
  std::vector<TabInfo> infos;
  for (const auto& [window, tab] : tabs.known()) {
    if (tab->closed) {
      tab->at_rest.reset();  // with the descriptors that it keeps
      continue;
    }
    std::optional<TabInfo> info = info_at_rest(*tab);
    if (!info) {
      const Foreground foreground = look_at_foreground(tab->pane_pid);
      if (foreground.kind == Foreground::Kind::nothing && notice_if_closed(*tab)) {
        if (!again) {
          return std::nullopt;
        }
        continue;
      }
      commands.look_after(tab);
      info = info_of(*tab, foreground);
    }
    infos.push_back(std::move(*info));
  }
  return infos;
}

Awaitable<std::vector<TabInfo>> ManagerParts::open_tabs() {
  co_await tabs.refresh();
  std::optional<std::vector<TabInfo>> infos = look_at_tabs(false);
  if (!infos) {
    co_await tabs.list_panes();
    infos = look_at_tabs(true);
  }
  co_return std::move(*infos);
}

Awaitable<std::vector<TabInfo>> TmuxManager::list_tabs() {
  return parts_->within_call_time(parts_->open_tabs());
}

Awaitable<void> TmuxManager::rename_tab(WindowId tab, std::string name) {
  return parts_->within_call_time(give_name(*parts_, tab, std::move(name)));
}

Awaitable<void> TmuxManager::set_history_limit(std::uint32_t limit) {
  return parts_->within_call_time(limit_history(*parts_, limit));
}

}  // namespace terminally
