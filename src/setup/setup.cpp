// Sets a client up, and takes that away: shows each change, asks, does it, and tries the server.
#include "setup/setup.hpp"

#include <memory>

#include "base/error.hpp"
#include "base/utf8.hpp"
#include "http/tokens.hpp"
#include "secrets/text_guard.hpp"
#include "setup/changes.hpp"
#include "setup/client_entry.hpp"
#include "setup/client_snippets.hpp"
#include "setup/trial.hpp"
#include "setup/undo.hpp"
#include "text/visible_text.hpp"

namespace terminally {
namespace {

using Edit = std::function<ConfigText(const ConfigText&)>;
using Writing = std::function<std::string(const ConfigText& text, bool allow)>;

/// The token stays of the role that it was, where nobody says otherwise: a client that may only look is not
/// given more by being set up again. Of a token that is good no more nobody knows the role.
Role role_for(const McpClient& client, const HttpSetup& http, const ConfigText& text,
              const std::string& program) {
  const std::optional<StartedServer> server = server_in(client, text, program);
  const std::optional<Bearer> had = server ? Tokens(http.tokens).bearer_of(server->token) : std::nullopt;
  if (server && !server->token.empty() && !had && !http.role) {
    throw Error(ErrorCode::invalid_argument,
                std::string(client.title) +
                    " has a token that is good no more, and whether it may run commands or only look is not "
                    "known: say --role exec or --role view");
  }
  return http.role.value_or(had ? had->role : Role::exec);
}

/// What writes the entry that is wished for. A file of a project gets no token.
Writing writing_of(const McpClient& client, const SetupWish& wish, const std::string& program) {
  if (!wish.http) {
    return [&client, program](const ConfigText& text, bool allow) {
      return with_entry(client, text, program, allow);
    };
  }
  const bool in_project = !wish.places.project.empty();
  refuse_without_http(client, in_project);
  return [&client, http = *wish.http, in_project, program](const ConfigText& text, bool allow) {
    HttpWish entry{http.authority, http.instance, ""};
    if (!in_project) {
      entry.token = Tokens(http.tokens).token_of(role_for(client, http, text, program));
    }
    return with_http_entry(client, text, program, entry, allow);
  };
}

/// In JSON a token behind "Bearer" has no form that the rules of secrets know.
void add_bearers(Secrets& secrets, const std::string& text) {
  constexpr std::string_view kBefore = "\"Bearer ";
  for (std::size_t at = text.find(kBefore); at != std::string::npos; at = text.find(kBefore, at)) {
    at += kBefore.size();
    const std::string token = text.substr(at, text.find('"', at) - at);
    if (token.find('{') == std::string::npos) {  // no variable
      static_cast<void>(secrets.add("token", token));
    }
  }
}

/// Shows changes, asks, and carries them out.
class Dialogue {
 public:
  Dialogue(const SetupTalk& talk, const std::filesystem::path& copies) : talk_(talk), copies_(copies) {}

  /// Without what has the form of a secret: the lines around may have another server's keys, and the screen
  /// may be one that others see, or that an agent reads.
  void show(const FileChange& change) const {
    const std::string text = shown(change);
    const auto secrets = std::make_shared<Secrets>(Secrets::Options{});
    add_bearers(*secrets, text);
    TextGuard guard(secrets);
    talk_.say("\n" + visible_text(name_of(change) + "\n" + guard.masked(text)));
  }

  /// `is_given`: by a flag.
  [[nodiscard]] bool agrees(const std::string& question, bool is_given) const {
    if (is_given) {
      return true;
    }
    if (!talk_.ask) {
      throw Error(ErrorCode::invalid_argument,
                  "nothing was changed: nobody can be asked where stdin is no terminal; --yes says yes");
    }
    return talk_.ask(question);
  }

  void carry_out_and_say(const FileChange& change) const {
    const std::filesystem::path copy = carry_out(change, copies_);
    talk_.say(visible_text((change.after ? "wrote " : "removed ") + name_of(change) +
                           (copy.empty() ? "" : "; a copy of what was there: " + copy.string()) + "\n"));
  }

  /// False: the person does not want it.
  [[nodiscard]] bool offer(const FileChange& change, const std::string& question, bool is_given) const {
    show(change);
    const bool agreed = agrees(question, is_given);
    if (agreed) {
      carry_out_and_say(change);
    }
    return agreed;
  }

 private:
  const SetupTalk& talk_;
  const std::filesystem::path& copies_;
};

/// The lines that make agents use it, and its tools without questions: each only where the person wants it.
void offer_more(const Dialogue& dialogue, const McpClient& client, const SetupWish& wish, bool can_ask,
                const Writing& write) {
  const auto offer = [&](const std::filesystem::path& path, const std::string& question, bool is_given,
                         const Edit& edit) {
    if (path.empty() || (!is_given && !can_ask)) {
      return;
    }
    const FileChange change = planned(path, wish.places.project, edit);
    if (!change.is_none()) {
      static_cast<void>(dialogue.offer(change, question, is_given));
    }
  };
  offer(advice_of(client, wish.places), "Add these lines, so that agents use it?", wish.advise, with_advice);
  const std::string question =
      "Let " + std::string(client.title) + " call its tools without asking you? It can run any command then.";
  if (allows_in_entry(client)) {
    offer(configuration_of(client, wish.places), question, wish.allow,
          [&](const ConfigText& text) { return write(text, true); });
  }
  offer(allowance_of(client, wish.places), question, wish.allow,
        [&](const ConfigText& text) { return with_allowance(client, text); });
}

/// What stands in the entry is tried; what the client has from a variable is what the person is told to put
/// there.
void try_it(const McpClient& client, const SetupWish& wish, StartedServer server, const SetupTalk& talk) {
  const std::string title(client.title);
  const std::filesystem::path& project = wish.places.project;
  if (wish.http && server.token.empty()) {
    const Role role = wish.http->role.value_or(Role::exec);
    server.token = Tokens(wish.http->tokens).token_of(role);
    const std::string words = role == Role::view ? "token --role view" : "token";
    talk.say(title + " has the token from a variable of where it is started" +
             (project.empty()
                  ? std::string()  // whose name is the person's
                  : std::string(": export ") + kTokenVariable + "=\"$(terminally-mcp " + words + ")\"") +
             "\n");
  }
  talk.say(server.url.empty() ? "\nstarting it as " + title + " will, with an instance of its own ...\n"
                              : "before anything is written, calling " + visible_text(server.url) + " as " +
                                    title + " will ...\n");
  talk.say(try_server(server, project.empty() ? wish.places.home : project) + "\n");
}

}  // namespace

std::string program_to_set_up() {
  std::string program = std::filesystem::read_symlink("/proc/self/exe").string();
  if (!is_valid_utf8(program)) {
    throw Error(ErrorCode::invalid_argument,
                "the path of this program is not UTF-8, which a configuration must be; move it");
  }
  return program;
}

std::string printed_setup(const McpClient& client, const SetupWish& wish) {
  return client_snippet(client, wish.places,
                        writing_of(client, wish, program_to_set_up())(std::nullopt, false));
}

int set_up(const McpClient& client, const SetupWish& wish, const SetupTalk& talk,
           const std::filesystem::path& copies) {
  const std::string program = program_to_set_up();
  const std::filesystem::path file = configuration_of(client, wish.places);
  const Dialogue dialogue(talk, copies);
  const std::filesystem::path& project = wish.places.project;
  const Writing write = writing_of(client, wish, program);
  FileChange change = planned(file, project, [&](const ConfigText& text) { return write(text, false); });
  change.is_private = wish.http && project.empty();
  const auto entry_in = [&](const ConfigText& text) {
    return server_in(client, text, program).value_or(StartedServer());
  };
  if (wish.http) {  // an entry for which nobody serves would be no use
    try_it(client, wish, entry_in(change.after), talk);
  }
  if (change.is_none()) {
    talk.say(file.string() + (wish.http ? " has this already\n" : " starts this program already\n"));
  } else if (!dialogue.offer(change, "Write this?", wish.yes)) {
    talk.say("nothing was changed\n");
    return 1;
  }
  offer_more(dialogue, client, wish, talk.ask && !wish.yes, write);
  const FileChange written = planned(file, project, [](const ConfigText& text) { return text; });
  const StartedServer server = entry_in(written.before);
  if (!wish.http) {
    try_it(client, wish, server, talk);
  }
  const std::string title(client.title);
  talk.say((server.is_disabled ? "it is switched off in that file: switch it on in " : "restart ") + title +
           " to have it\n");
  return 0;
}

int take_away(const std::vector<const McpClient*>& clients, const SetupWish& wish, const SetupTalk& talk,
              const std::filesystem::path& copies) {
  std::vector<FileChange> changes;
  std::vector<std::string> problems;
  for (const McpClient* client : clients) {
    plan_undoing(*client, wish.places, program_to_set_up(), changes, problems);
  }
  for (const std::string& problem : problems) {
    talk.complain(problem);
  }
  const Dialogue dialogue(talk, copies);
  for (const FileChange& change : changes) {
    dialogue.show(change);
  }
  if (changes.empty()) {
    talk.say("there is nothing to take away\n");
  } else if (!dialogue.agrees("Take this away?", wish.yes)) {
    talk.say("nothing was changed\n");
    return 1;
  }
  bool all_done = problems.empty();
  for (const FileChange& change : changes) {
    try {
      dialogue.carry_out_and_say(change);
    } catch (const Error& error) {  // the others are taken away all the same
      talk.complain(error.what());
      all_done = false;
    }
  }
  return all_done ? 0 : 1;
}

}  // namespace terminally
