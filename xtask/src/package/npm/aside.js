#!/usr/bin/env node
// Starts the program in the package of this platform.
"use strict";

const { spawn } = require("node:child_process");

const name = `@aside-cli/${process.platform}-${process.arch}`;
const program = process.platform === "win32" ? "aside.exe" : "aside";

function fail(message) {
  process.stderr.write(`aside: error: ${message}\n`);
  process.exit(1);
}

let path;
try {
  path = require.resolve(`${name}/bin/${program}`);
} catch {
  fail(
    `the package ${name} is not installed: either it does not exist for this platform, ` +
      "or optional dependencies were left out",
  );
}

const child = spawn(path, process.argv.slice(2), { stdio: "inherit" });
// A terminal sends SIGINT to both; the program decides what it means.
process.on("SIGINT", () => {});
for (const signal of ["SIGTERM", "SIGHUP"]) {
  process.on(signal, () => child.kill(signal));
}
child.on("error", (error) => fail(`failed to start ${path}: ${error.message}`));
child.on("exit", (code, signal) => {
  if (signal) {
    process.removeAllListeners(signal);
    process.kill(process.pid, signal);
  } else {
    process.exitCode = code;
  }
});
