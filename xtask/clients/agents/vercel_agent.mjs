// An agent of the Vercel AI SDK with a tool, against a server at ANTHROPIC_BASE_URL: one prompt.

import { readFileSync } from "node:fs";
import { createAnthropic } from "@ai-sdk/anthropic";
import { generateText, stepCountIs, tool } from "ai";
import { z } from "zod";

const anthropic = createAnthropic({ apiKey: "none" });
await generateText({
  model: anthropic("claude-opus-5-5"),
  system: "Be careful with the files of the user. ".repeat(200),
  prompt: process.argv[2],
  stopWhen: stepCountIs(20),
  tools: {
    read_file: tool({
      description: "Reads a file.",
      inputSchema: z.object({ path: z.string() }),
      execute: ({ path }) => readFileSync(path, "utf8"),
    }),
  },
});
