// Vitest: `test` with the fixture `asideApi`, and matchers for `expect`.

import { expect, test as base } from "vitest";

import { Api, assertAccepted, assertGolden, assertNoCacheMiss, assertPrefixStable } from "./index.js";

/** Returns a matcher that passes if the assertion does. */
const matcher = (assertion) => (received, ...rest) => {
  try {
    assertion(received, ...rest);
    return { pass: true, message: () => "expected the assertion to fail" };
  } catch (error) {
    if (error.code !== "ERR_ASSERTION") throw error;
    return { pass: false, message: () => error.message };
  }
};

expect.extend({
  toBeAccepted: matcher(assertAccepted),
  toHaveNoCacheMiss: matcher(assertNoCacheMiss),
  toExtendPrefix: matcher((after, before, options) => assertPrefixStable(before, after, options)),
  toMatchGolden: matcher(assertGolden),
});

export const test = base.extend({
  asideApi: async ({}, use) => {
    const api = new Api();
    await use(api);
    api.close();
  },
});
