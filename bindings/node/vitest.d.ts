import type { TestAPI } from "vitest";
import type { Api, Body, CheckOptions } from "./index.js";

export declare const test: TestAPI<{ asideApi: Api }>;

declare module "vitest" {
  interface Matchers<T = any> {
    /** Passes if the API would accept the body. */
    toBeAccepted(options?: CheckOptions): T;
    /** Passes if no request changes the prefix that an earlier one left in the cache. */
    toHaveNoCacheMiss(options?: { every?: number }): T;
    /** Passes if the body repeats the earlier one and continues it. */
    toExtendPrefix(before: Body, options?: { allowAfterMarker?: boolean }): T;
    /** Passes if the body is that of a golden file, which `ASIDE_BLESS=1` writes. */
    toMatchGolden(path: string, options?: { bless?: boolean }): T;
  }
}
