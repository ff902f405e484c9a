// Sets a client up, and takes that away: shows each change, asks, does it, and tries the server.
#include "setup/setup.hpp"

#include <memory>

#include "base/error.hpp"
#include "base/utf8.hpp"
#include "secrets/text_guard.hpp"
#include "setup/changes.hpp"
#include "setup/client_entry.hpp"
#include "setup/trial.hpp"
#include "setup/undo.hpp"
#include "text/visible_text.hpp"

namespace terminally {
namespace {

using Edit = std::function<ConfigText(const ConfigText&)>;

/// Shows changes, asks, and carries them out.
class Dialogue {
 public:
  Dialogue(const SetupTalk& talk, const std::filesystem::path& copies) : talk_(talk), copies_(copies) {}

  /// Without what has the form of a secret: the lines around may have another server's keys, and the screen
  /// may be one that others see, or that an agent reads.
  void show(const FileChange& change) const {
    TextGuard guard(std::make_shared<Secrets>(Secrets::Options{}));
    talk_.say("\n" + visible_text(name_of(change) + "\n" + guard.masked(shown(change))));
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
                const std::string& program) {
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
          [&](const ConfigText& text) { return with_entry(client, text, program, true); });
  }
  offer(allowance_of(client, wish.places), question, wish.allow,
        [&](const ConfigText& text) { return with_allowance(client, text); });
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

int set_up(const McpClient& client, const SetupWish& wish, const SetupTalk& talk,
           const std::filesystem::path& copies) {
  const std::string program = program_to_set_up();
  const std::filesystem::path file = configuration_of(client, wish.places);
  const Dialogue dialogue(talk, copies);
  const std::filesystem::path& project = wish.places.project;
  const FileChange change = planned(
      file, project, [&](const ConfigText& text) { return with_entry(client, text, program, false); });
  if (change.is_none()) {
    talk.say(file.string() + " starts this program already\n");
  } else if (!dialogue.offer(change, "Write this?", wish.yes)) {
    talk.say("nothing was changed\n");
    return 1;
  }
  offer_more(dialogue, client, wish, talk.ask && !wish.yes, program);
  const FileChange written = planned(file, project, [](const ConfigText& text) { return text; });
  const StartedServer server = server_in(client, written.before, program).value_or(StartedServer());
  const std::string title(client.title);
  talk.say("\nstarting it as " + title + " will, with an instance of its own ...\n");
  talk.say(try_server(server, project.empty() ? wish.places.home : project) + "\n" +
           (server.is_disabled ? "it is switched off in that file: switch it on in " + title
                               : "restart " + title) +
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
