// Who is told of a change of a resource, and how often.
#include "mcp/resource_feeds.hpp"

#include <doctest/doctest.h>

#include "manager_scene.hpp"

namespace terminally {
namespace {

using test::ManagerScene;

/// A listener, which takes what it is told or not.
struct Hears {
  bool takes = true;
  int asked = 0;
  int told = 0;

  Tell tell() {
    return [this] {
      ++asked;
      told += takes ? 1 : 0;
      return takes;
    };
  }
};

}  // namespace

TEST_CASE(
    "resource feeds: what one listener cannot take it is told later, and the others are not told again "
    "(V6)") {
  ManagerScene scene;
  const WindowId tab = scene.open_tab();
  REQUIRE(scene.has_prompt(tab));
  ResourceFeeds feeds(scene.io->get_executor(), scene.manager.get());
  const TabList now = scene.run(scene.manager->tabs().now());
  Hears slow;
  Hears quick;
  slow.takes = false;
  const ResourceFeeds::Subscription one = feeds.of_resource(ResourceUri{}, now, slow.tell());
  const ResourceFeeds::Subscription two = feeds.of_resource(ResourceUri{}, now, quick.tell());
  scene.run(scene.manager->tabs().rename(tab, "first"));
  REQUIRE(scene.comes_true([&] { return slow.asked >= 3; }));
  CHECK(quick.told == 1);
  CHECK(quick.asked == 1);
  slow.takes = true;
  REQUIRE(scene.comes_true([&] { return slow.told == 1; }));
  scene.run(scene.manager->tabs().rename(tab, "second"));
  REQUIRE(scene.comes_true([&] { return slow.told == 2 && quick.told == 2; }));
}

}  // namespace terminally
