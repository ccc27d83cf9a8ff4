import type { Mutant } from "./mutant.ts";

const domain = "apps/server/src/domain";

/** Bugs in the server's rules. */
export const serverMutants: readonly Mutant[] = [
  {
    name: "no-compare-and-swap",
    rule: "PS1",
    file: `${domain}/push-plan.ts`,
    find: "if (after !== position.acked || chain !== position.chain) {",
    replace: "if (after > position.acked) {",
    why: "a push that arrives twice is taken twice",
  },
  {
    name: "lamport-not-raised",
    rule: "CK7",
    file: `${domain}/push-plan.ts`,
    find: "  group.lamport = Math.max(group.lamport, ...raised);\n",
    replace: "  void raised;\n",
    why: "the namespace's clock stays behind what was consumed",
  },
  {
    name: "poison-op-blocks",
    rule: "OP3",
    file: `${domain}/push-plan.ts`,
    find: "  group.lamport = Math.max(group.lamport, ...raised);\n",
    replace: `  if (results.some(({ result }) => result === "rejected")) {
    return fail({ kind: "unavailable", retryAfterMs: 1000 });
  }
  group.lamport = Math.max(group.lamport, ...raised);
`,
    why: "one op that is refused stops those behind it",
  },
  {
    name: "commit-error-succeeds",
    rule: "PS11",
    file: `${domain}/push.ts`,
    find: "  if (!committed.ok) return pushes.map(() => committed);",
    replace: `  if (!committed.ok) {
    return pushes.map(({ header, ops, chain }) => {
      const position = { acked: header.after + ops.length, chain, since: header.after, results: [] };
      return ok({ position, results: [], head: 0, mark: "none", lamport: 1 });
    });
  }`,
    why: "a commit that failed is answered as a success",
  },
  {
    name: "page-off-by-one",
    rule: "PL5",
    file: `${domain}/pull.ts`,
    find: "tx.page(cursor?.seq ?? 0,",
    replace: "tx.page(cursor === undefined ? 0 : cursor.seq + 1,",
    why: "the first record after a page's edge is skipped",
  },
  {
    name: "cursor-at-head",
    rule: "PL6",
    file: `${domain}/pull.ts`,
    find: "seq: more ? last : head, head, mark",
    replace: "seq: head, head, mark",
    why: "the cursor of a page is the head's, not that of its last record",
  },
  {
    name: "no-tombstones-for-the-fresh",
    rule: "PL8",
    file: `${domain}/pull.ts`,
    find: "lines: page.map(({ line }) => line), tail",
    replace: `lines: page.map(({ line }) => line).filter((line) => cursor !== undefined || !line.includes('"forgotten":true')), tail`,
    why: "a new replica is not told what was forgotten",
  },
  {
    name: "mark-not-compared",
    rule: "MK2",
    file: `${domain}/pull.ts`,
    find: "if (mark !== cursor?.mark) return",
    replace: "if (mark !== cursor?.mark && cursor === undefined) return",
    why: "a server that was set back and grew again serves the next page",
  },
  {
    name: "strangers-may-pull",
    rule: "NS7",
    file: `${domain}/pull.ts`,
    find: `  if (access === undefined) return fail({ kind: "not-found" });\n`,
    replace: "",
    why: "somebody who was removed from a namespace goes on pulling",
  },
  {
    name: "revoked-may-pull",
    rule: "NS7",
    file: "apps/server/src/auth/resource-access.ts",
    find: `  if (device.status !== "active") return fail({ kind: "device-revoked" });\n`,
    replace: "",
    also: [
      {
        file: `${domain}/pull.ts`,
        find: `  if (access === undefined) return fail({ kind: "not-found" });\n`,
        replace: "",
      },
    ],
    why: "a revoked device is refused pushes alone",
  },
  {
    name: "revoked-may-push",
    rule: "NS7",
    file: "apps/server/src/auth/resource-access.ts",
    find: `  if (device.status !== "active") return fail({ kind: "device-revoked" });\n`,
    replace: "",
    also: [
      {
        file: "apps/server/src/store/memory/namespace-reader.ts",
        find: `if (device === undefined || device.status !== "active") return undefined;`,
        replace: "if (device === undefined) return undefined;",
      },
    ],
    why: "a revoked device goes on syncing",
  },
  {
    name: "readers-may-write",
    rule: "NS5",
    file: `${domain}/rights.ts`,
    find: `  return isAtLeast(access.role, "writer");`,
    replace: `  return isAtLeast(access.role, "reader");`,
    why: "what a reader wrote before hearing of it is taken",
  },
  {
    name: "anybody-may-forget",
    rule: "NS6",
    file: `${domain}/rights.ts`,
    find: "  return author === access.user;",
    replace: "  return author === access.user || access.role !== undefined;",
    why: "every writer may forget what others made",
  },
  {
    name: "no-cascade",
    rule: "TB10",
    file: `${domain}/families.ts`,
    find: "let parents: readonly RecordId[] = [id];",
    replace: "let parents: readonly RecordId[] = [id].slice(0, 0);",
    why: "children of a forgotten record stay",
  },
  {
    name: "conflicts-not-saved",
    rule: "CF1",
    file: `${domain}/push-plan.ts`,
    find: "      draft.saveConflicts(outcome.conflicts);\n",
    replace: "",
    why: "a value that lost a race is not kept",
  },
  {
    name: "heal-conflicts-not-saved",
    rule: "HL3",
    file: `${domain}/heal-plan.ts`,
    find: "  draft.saveConflicts(joined.conflicts, via);\n",
    replace: "",
    why: "a value that lost in a heal is not kept",
  },
  {
    name: "head-digest-not-updated",
    rule: "DG2",
    file: `${domain}/draft.ts`,
    find: "    else digests.push(before.digest);\n",
    replace: "",
    why: "the namespace's digest keeps what was replaced",
  },
  {
    name: "no-revisions",
    rule: "HL26",
    file: `${domain}/draft.ts`,
    find: "      overwritten.push(...more);\n",
    replace: "      overwritten.push(...more.slice(0, 0));\n",
    why: "what was replaced is in no history",
  },
  {
    name: "forgotten-history-stays",
    rule: "TB11",
    file: `${domain}/draft.ts`,
    find: "if (isTombstone(state) && before !== undefined) erased.push(state.id);",
    replace: "if (isTombstone(state) && before === undefined) erased.push(state.id);",
    why: "former values of a forgotten record stay on the server",
  },
  {
    name: "nonce-key-kept-for-ever",
    rule: "AU17",
    file: "apps/server/src/auth/nonces.ts",
    find: "      readKeyAnew(nowMs);\n",
    replace: "      void readKeyAnew;\n",
    why: "replicas whose database was set back give nonces by two keys and refuse each other's",
  },
  {
    name: "newest-mark-thinned",
    rule: "MK3",
    file: "apps/server/src/store/memory/namespace-writer.ts",
    find: "row.createdAtMs < beforeMs && at % keepEvery !== 0 && at !== head,",
    replace: "row.createdAtMs < beforeMs && at % keepEvery !== 0 && at !== head + 1,",
    why: "after a month without a change every replica is told that it knows another history",
  },
  {
    name: "brought-back-without-members",
    rule: "NS22",
    file: "apps/server/src/store/memory/deletion.ts",
    find: "for (const [member, role] of deleted.members) found.members.set(member, role);",
    replace: 'found.members.set(user, "owner");',
    why: "a namespace that was deleted comes back to its owner alone",
  },
  {
    name: "epoch-of-another-log-taken",
    rule: "EE31",
    file: "apps/server/src/domain/push-plan.ts",
    find: 'epochEntry === hex(sha256(newest?.entry ?? ""))',
    replace: '(epochEntry === hex(sha256(newest?.entry ?? "")) || epoch > 1)',
    why: "what is pushed under the key of another log opens for nobody who reads this one",
  },
];
