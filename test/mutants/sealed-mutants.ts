import type { Mutant } from "./mutant.ts";

const sealed = "apps/client/src/sync/sealed";

/** Bugs in the exchange of encrypted namespaces and their keys. */
export const sealedMutants: readonly Mutant[] = [
  {
    name: "erasing-names-no-key",
    rule: "EE10",
    file: "apps/client/src/store/exchange/push.ts",
    find: "const epoch = sealedUnder ?? header.epoch;",
    replace: "const epoch = sealedUnder;",
    why: "a push that only erases is refused for ever, as one under an old key",
  },
  {
    name: "log-not-given-back",
    rule: "EE20",
    file: `${sealed}/set-back-log.ts`,
    find: "if (!isBeginningOf(answer.log, seen)) return ok(answer);",
    replace: "if (seen.length >= 0) return ok(answer);",
    why: "nobody believes the log of a server that was set back",
  },
  {
    name: "emptied-without-its-key",
    rule: "EE30",
    file: "apps/client/src/store/sealed/closed-ops.ts",
    find: "  return rows.filter((row) => !waits(row));",
    replace: "  return rows;",
    why: "a repair that lost keys seals unsent changes anew without their words",
  },
];
