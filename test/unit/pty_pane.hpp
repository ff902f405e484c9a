#pragma once

#include <doctest/doctest.h>
#include <fcntl.h>
#include <signal.h>
#include <unistd.h>

#include <boost/asio.hpp>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "base/error.hpp"
#include "places.hpp"
#include "programs.hpp"
#include "system/proc.hpp"
#include "tab/pane_terminal.hpp"

namespace terminally::test {

namespace asio = boost::asio;

/// What tmux has for a tab, without tmux: a pty with terminally-shell and a real shell in it, of which every
/// byte goes to a real terminally-log. What is typed, what is printed and what the pane answers can be
/// changed on the way. One thread: everything happens while the event loop runs.
class PtyPane {
 public:
  using Variables = std::map<std::string, std::string>;

  PtyPane(asio::io_context& io, const std::string& program, const Variables& variables,
          const std::string& log)
      : program_({program}, entries(variables), variables.at("HOME")),
        master_(io, ::fcntl(program_.terminal(), F_DUPFD_CLOEXEC, 0)),
        writer_({kLogProgram, log}) {
    id_ = process_info(program_.pid()).value_or(ProcessInfo()).id();
    read_on();
  }
  ~PtyPane() { kill(); }
  PtyPane(const PtyPane&) = delete;
  PtyPane& operator=(const PtyPane&) = delete;

  /// What the pane answers to: PaneFact.
  PaneFact facts = PaneFact::none;
  /// Throws, or says what arrives at the shell, and what is told to who typed it.
  std::function<std::pair<std::string, bool>(const std::string& bytes)> on_type;
  /// What of the printed bytes comes to the log's writer.
  std::function<std::string(std::string bytes)> on_print;
  bool answers = true;                                 ///< to answers_within
  int times_asked = 0;                                 ///< for its facts, but not by a typing
  std::vector<std::pair<TypedAs, std::string>> typed;  ///< by our commands
  std::function<void()> after_typing;
  std::function<void()> on_ask;  ///< for its facts

  [[nodiscard]] ProcessId id() const { return id_; }
  [[nodiscard]] const std::string& tty() const { return program_.tty(); }
  [[nodiscard]] PipedProgram& writer() { return writer_; }

  /// Keys of a person who is attached.
  void press(const std::string& keys) {
    write(keys);
    facts = facts | PaneFact::others_typed | PaneFact::others_typed_just_now;
  }
  void write(const std::string& bytes) const { program_.type(bytes); }
  /// Into the terminal, as a program there would.
  void print(const std::string& bytes) { took(bytes); }

  /// Whether its process is there; reaped else.
  bool lives() {
    const bool ended = program_.has_ended();
    if (ended) {
      writer_.end();
    }
    return !ended;
  }
  /// With everything in its session.
  void kill() {
    if (program_.pid() > 0) {
      const std::vector<ProcessInfo> all = process_tree(program_.pid(), 200);
      for (const ProcessInfo& process : all) {
        ::kill(process.pid, SIGKILL);
      }
      program_.end();
      writer_.end(SIGCONT);
    }
  }

  [[nodiscard]] std::unique_ptr<PaneTerminal> terminal() { return std::make_unique<Terminal>(*this); }

 private:
  class Terminal : public PaneTerminal {
   public:
    explicit Terminal(PtyPane& pane) : pane_(pane) {}
    [[nodiscard]] asio::awaitable<bool> type(std::string bytes, TypedAs how, PaneFact unless) override {
      co_await asio::post(asio::use_awaitable);  // as tmux, it answers later
      if (has(unless, pane_.facts)) {
        co_return false;
      }
      pane_.typed.emplace_back(how, bytes);
      bool told = true;
      if (pane_.on_type) {
        std::tie(bytes, told) = pane_.on_type(bytes);
      }
      if (pane_.program_.pid() == 0) {
        throw Error(ErrorCode::not_found, "no such pane");
      }
      if (how == TypedAs::line) {
        pane_.facts = PaneFact::none;
      }
      co_await asio::async_write(pane_.master_, asio::buffer(bytes), asio::use_awaitable);
      if (pane_.after_typing) {
        pane_.after_typing();
      }
      co_return told;
    }
    [[nodiscard]] asio::awaitable<bool> type_within(Milliseconds /*time*/, std::string bytes) override {
      return type(std::move(bytes), TypedAs::key, PaneFact::none);
    }
    [[nodiscard]] asio::awaitable<bool> is(PaneFact any, PaneFact but_not) override {
      co_await asio::post(asio::use_awaitable);
      ++pane_.times_asked;
      if (pane_.on_ask) {
        pane_.on_ask();
      }
      co_return has(any, pane_.facts) && !has(but_not, pane_.facts);
    }
    [[nodiscard]] asio::awaitable<bool> answers_within(Milliseconds /*time*/) override {
      co_await asio::post(asio::use_awaitable);
      co_return pane_.answers;
    }

   private:
    PtyPane& pane_;
  };

  void took(std::string bytes) {
    bytes = on_print ? on_print(std::move(bytes)) : std::move(bytes);
    if (!bytes.empty() && writer_.pid() > 0) {
      writer_.write(bytes);
    }
  }

  void read_on() {
    master_.async_read_some(asio::buffer(buffer_),
                            [this](boost::system::error_code error, std::size_t count) {
                              if (error) {
                                return;  // nobody has it open any more
                              }
                              took(buffer_.substr(0, count));
                              read_on();
                            });
  }

  static std::vector<std::string> entries(const Variables& variables) {
    std::vector<std::string> environment;
    for (const auto& [name, value] : variables) {
      environment.push_back(name + "=" + value);
    }
    return environment;
  }

  TerminalProgram program_;
  asio::posix::stream_descriptor master_;
  PipedProgram writer_;
  ProcessId id_;
  std::string buffer_ = std::string(65'536, '\0');
};

}  // namespace terminally::test
