import { fileURLToPath } from "node:url";
import { defineConfig } from "vitest/config";

const conditions = ["source", "import", "module", "default"];
const root = fileURLToPath(new URL("../..", import.meta.url));

/** What mutation tests run: the unit tests beside the mutated code, nothing that needs a server. */
export default defineConfig({
  root,
  resolve: { conditions },
  ssr: { resolve: { conditions } },
  test: {
    // A mutant counts as noticed when a test fails: none may fail because the machine is busy.
    testTimeout: 60_000,
    include: [
      "packages/protocol/src/**/*.test.ts",
      "apps/client/src/sync/machine.test.ts",
      "apps/client/src/sync/machine/**/*.test.ts",
      "apps/client/src/sync/{outcome,status,last-failure}.test.ts",
      "apps/client/src/sync/http/retry-after.test.ts",
    ],
  },
});
