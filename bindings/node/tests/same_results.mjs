// Prints the JSON of each call that a line of stdin names: [function, paths, options].

import { readFileSync } from "node:fs";
import { createRequire } from "node:module";
import { dirname } from "node:path";
import { readdirSync } from "node:fs";

const require = createRequire(import.meta.url);
const directory = dirname(require.resolve("aside-node"));
const native = require(`${directory}/${readdirSync(directory).find((name) => name.endsWith(".node"))}`);
const lines = readFileSync(0, "utf8").split("\n");
for (const line of lines) {
  const [name, paths, options] = JSON.parse(line);
  try {
    const inputs = paths.map((path) => readFileSync(path));
    console.log(native.call(name, inputs, Buffer.from(options)).json.toString());
  } catch {
    console.log("");
  }
}
