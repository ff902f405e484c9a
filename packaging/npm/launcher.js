#!/usr/bin/env node
// Starts the program for this machine's processor, in its own place: same streams, same signals, same end.
"use strict";
const { spawn } = require("node:child_process");
const { join } = require("node:path");
const { isatty } = require("node:tty");

function fail(text) {
  console.error(`terminally-mcp: ${text}`);
  process.exit(1);
}

if (process.platform !== "linux" || !["x64", "arm64"].includes(process.arch)) {
  fail(`this program is for Linux on x86_64 or aarch64; here is ${process.platform} on ${process.arch}`);
}

// What npx sets for the one program that it runs is not for the tabs, and what is in a project's node_modules is not first there.
function environment() {
  if (process.env.npm_command !== "exec") {
    return process.env;
  }
  const kept = Object.entries(process.env).filter(([name]) => !/^(npm_.*|INIT_CWD|NODE|COLOR)$/.test(name));
  const isOfNpx = (folder) => /\/(node_modules\/\.bin|node-gyp-bin)$/.test(folder);
  const path = process.env.PATH.split(":").filter((folder) => !isOfNpx(folder));
  return { ...Object.fromEntries(kept), PATH: path.join(":") };
}

const program = spawn(join(__dirname, `terminally-mcp-${process.arch}`), process.argv.slice(2), { stdio: "inherit", env: environment() });
program.on("error", (error) => fail(error.message));
for (const signal of ["SIGHUP", "SIGINT", "SIGQUIT", "SIGTERM"]) {
  // What is typed at a terminal reaches the program by itself.
  const isTyped = ["SIGINT", "SIGQUIT"].includes(signal) && isatty(0);
  process.on(signal, () => isTyped || program.kill(signal));
}
program.on("exit", (code, signal) => {
  if (signal) {
    process.removeAllListeners(signal);
    process.kill(process.pid, signal);
  } else {
    process.exit(code);
  }
});
