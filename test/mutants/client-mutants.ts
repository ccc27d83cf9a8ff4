import type { Mutant } from "./mutant.ts";

const exchange = "apps/client/src/store/exchange";
const records = "apps/client/src/store/records";
const view = "apps/client/src/store/view";

/** Bugs in the client's store. */
export const clientMutants: readonly Mutant[] = [
  {
    name: "no-transaction",
    rule: "OP11",
    file: "apps/client/src/store/sqlite.ts",
    find: "const result = watched(() => transaction.immediate(work) as T);",
    replace: `const result = watched(() => work() as T);
      probe("COMMIT");`,
    why: "a process that dies in the middle of a change leaves half of it behind",
  },
  {
    name: "steps-one-by-one",
    rule: "OP11",
    file: "apps/client/src/store/changes/change.ts",
    find: "  return allOrNothing(context, () => changeInside(context, request));",
    replace: `  const done: Changed[] = [];
  for (const one of request.changes) {
    const each = { ...request, changes: [one] };
    const changed = allOrNothing(context, () => changeInside(context, each));
    if (!changed.ok) return changed;
    done.push(...changed.value);
  }
  return ok(done);`,
    why: "a conflict is resolved in two transactions: a crash between them leaves one half",
  },
  {
    name: "mended-as-news",
    rule: "OP26",
    file: "apps/client/src/store/changes/issue.ts",
    find: "collection: refused.collection, lamport, at };",
    replace:
      "collection: refused.collection, lamport: Math.max(lamport, replica.lamport + 1), at };",
    also: [
      {
        file: "apps/client/src/store/changes/mended.ts",
        find: "const left = notWrittenOver(context, rows, change.fields);",
        replace: "const left = change.fields;",
      },
    ],
    why: "a value that was refused for its secret is sent again over what was written since",
  },
  {
    name: "client-brings-back",
    rule: "TB1",
    file: "apps/client/src/store/exchange/pull.ts",
    find: "if (overwritten.length > 0 && before?.seq === null) continue;",
    replace: "if (before !== undefined && isTombstone(pulled)) continue;",
    why: "a replica keeps what was forgotten elsewhere",
  },
  {
    name: "retry-stands-over-own",
    rule: "OP27",
    file: "apps/client/src/store/changes/written-over.ts",
    find: "if ((waiting.get(field) ?? 0) > since) return true;",
    replace: "if (since >= 0) return false;",
    why: "a refused value that is sent again stands over what its device has written since",
  },
  {
    name: "copied-writer-is-own",
    rule: "OP26",
    file: "apps/client/src/store/changes/written-over.ts",
    find: "return (written.get(field) ?? 0) > since && (standing.get(field) ?? 0) > since;",
    replace: "return written.size >= 0 && (standing.get(field) ?? 0) > since;",
    why: "what anybody wrote later counts as this device's own, and a refused value is dropped",
  },
  {
    name: "failed-commit-succeeds",
    rule: "OP11",
    file: "apps/client/src/store/sqlite.ts",
    find: "const result = watched(() => transaction.immediate(work) as T);",
    replace: `const held: { result?: T } = {};
      try {
        watched(() => transaction.immediate(() => (held.result = work() as T)));
      } catch (error) {
        if (!("result" in held)) throw error;
      }
      const result = held.result as T;`,
    why: "a commit that failed because the disk is full is told as done",
  },
  {
    name: "replica-outside-transaction",
    rule: "PL20",
    file: `${exchange}/create-replica-store.ts`,
    find: `    saveReplica(context, replica);
  });
  return held.result as T;`,
    replace: `    later.push(replica);
  });
  for (const replica of later) saveReplica(context, replica);
  return held.result as T;`,
    also: [
      {
        file: `${exchange}/create-replica-store.ts`,
        find: "const held: { result?: T } = {};",
        replace: "const held: { result?: T } = {};\n  const later: ReplicaRow[] = [];",
      },
    ],
    why: "records are saved in one transaction, cursor and digest in the next",
  },
  {
    name: "advance-over-others",
    rule: "PS32",
    file: `${exchange}/advance.ts`,
    find: "  return replica.verified === 1 && replica.head === told.from;",
    replace: "  return true;",
    also: [
      {
        file: `${exchange}/advance.ts`,
        find: "  if (told.from + records.length !== head || !isSameSet(set, told)) return false;",
        replace: "",
      },
    ],
    why: "what a push made of the namespace is believed wherever the replica stood",
  },
  {
    name: "cursor-before-page",
    rule: "PL20",
    file: `${exchange}/create-replica-store.ts`,
    find: "    takePage: (namespace, plan, page) =>\n      write(namespace, (replica) => {",
    replace: `    takePage: (namespace, plan, page) =>
      write(namespace, (replica) => {
        context.db.run("COMMIT");
        context.db.run("UPDATE replicas SET cursor = ? WHERE namespace = ?", page.tail.cursor, namespace);
        context.db.run("BEGIN IMMEDIATE");`,
    why: "the cursor is saved before the page that it stands for",
  },
  {
    name: "acked-before-sent",
    rule: "OP16",
    file: `${exchange}/push.ts`,
    find: "  return { header, lines, ackedAtRequest: after, hasMore",
    replace: `  for (const row of rows.slice(0, lines.length)) {
    markOp(context, row, "acked", null);
    context.db.run(
      "UPDATE replicas SET acked = ?, acked_chain = ? WHERE namespace = ?",
      row.n,
      row.chain,
      replica.namespace,
    );
  }
  return { header, lines, ackedAtRequest: after, hasMore`,
    why: "ops count as delivered when they are sent, not when that is answered",
  },
  {
    name: "dropped-on-answer",
    rule: "OP19",
    file: `${exchange}/position.ts`,
    find: "  replica.acked = position.acked;\n",
    replace: `  for (const row of opsAfter(context, replica, { ...range, limit: -1 })) deleteOp(context, row);
  replica.acked = position.acked;
`,
    why: "ops leave the outbox when the push is answered, before a verified pull shows them",
  },
  {
    name: "dropped-by-own-count",
    rule: "OP19",
    file: `${exchange}/pull.ts`,
    find: "dropVerified(context, replica, tail.position?.acked ?? 0)",
    replace: "dropVerified(context, replica, replica.acked)",
    why: "ops leave the outbox for a page that was read before they were pushed",
  },
  {
    name: "rejected-dropped",
    rule: "OP20",
    file: `${exchange}/position.ts`,
    find: `      markOp(context, row, "rejected", result.code);`,
    replace: `      deleteOp(context, row);`,
    why: "a refused change vanishes without a word",
  },
  {
    name: "lost-answer-ignored",
    rule: "PS31",
    file: "packages/protocol/src/position.ts",
    find: `return { kind: "answer-lost", position: theirs };`,
    replace: `return { kind: "same" };`,
    why: "a position that tells of a lost answer is not taken",
  },
  {
    name: "position-race",
    rule: "CH3",
    file: "packages/protocol/src/position.ts",
    find: "theirs.acked < own.ackedAtRequest",
    replace: "theirs.acked < own.acked",
    why: "a late answer is compared with what is acknowledged now and looks like a restored server",
  },
  {
    name: "no-check-for-a-restored-home",
    rule: "CH12",
    file: "packages/protocol/src/position.ts",
    find: `if (theirs.acked > own.made) return { kind: "fork", cause: "home-restored" };`,
    replace: `if (theirs.acked > own.made) return { kind: "same" };`,
    why: "a server that is ahead of a restored home is not noticed",
  },
  {
    name: "no-check-for-a-restored-server",
    rule: "CH10",
    file: "packages/protocol/src/position.ts",
    find: `if (theirs.acked < own.ackedAtRequest) return { kind: "fork", cause: "server-restored" };`,
    replace: `if (theirs.acked < own.ackedAtRequest) return { kind: "stale" };`,
    why: "a server that lost acknowledged ops is not noticed",
  },
  {
    name: "chain-not-compared",
    rule: "CH1",
    file: "packages/protocol/src/position.ts",
    find: "if (chain !== undefined && chain !== theirs.chain) return",
    replace: "if (chain === theirs.chain && chain !== theirs.chain) return",
    why: "another copy's ops of the same numbers are taken for one's own",
  },
  {
    name: "fork-with-new-lamports",
    rule: "CH11",
    file: `${exchange}/fork.ts`,
    find: "const count = restampOutbox(context, replica);",
    replace: `const count = restampOutbox(context, replica, (rows) =>
    rows.map((row) => {
      const { op, writer } = openedOpOf(context, row);
      replica.lamport += 1;
      return { op: { ...op, lamport: replica.lamport }, writer };
    }),
  );`,
    why: "after a fork old changes beat what was written by somebody who had seen them",
  },
  {
    name: "fork-forgets-unverified",
    rule: "CH4",
    file: `${exchange}/fork.ts`,
    find: `opsInState(context, replica.namespace, "pending", "acked", "unknown")`,
    replace: `opsInState(context, replica.namespace, "pending", "unknown")`,
    why: "acknowledged ops that a restored server lost are not sent again",
  },
  {
    name: "no-lamport-observed",
    rule: "CK5",
    file: `${records}/confirmed.ts`,
    find: "  replica.lamport = Math.max(replica.lamport, lamport);\n",
    replace: "",
    also: [
      {
        file: `${exchange}/pull.ts`,
        find: "  replica.lamport = Math.max(replica.lamport, tail.lamport);\n",
        replace: "",
      },
      {
        file: `${exchange}/push.ts`,
        find: "  replica.lamport = Math.max(replica.lamport, answer.lamport);\n",
        replace: "",
      },
    ],
    why: "a change gets a lower clock than what its author saw",
  },
  {
    name: "digest-not-updated",
    rule: "DG2",
    file: `${records}/confirmed.ts`,
    find: "  replica.digest = set.digest;",
    replace: "  if (before === undefined) replica.digest = set.digest;",
    why: "the digest does not follow where a record is replaced",
  },
  {
    name: "search-not-refreshed",
    rule: "ST5",
    file: `${exchange}/pull.ts`,
    find: "  refreshViews(context, replica.namespace, touched);\n",
    replace: "",
    why: "what others wrote is not found",
  },
  {
    name: "projection-row-stays",
    rule: "ST5",
    file: `${view}/projection.ts`,
    find: "    deleteProjection(context, namespace, id);\n",
    replace: "",
    why: "what was forgotten is listed and found on",
  },
  {
    name: "index-row-stays",
    rule: "ST5",
    file: `${view}/projection.ts`,
    find: "unindexText(context, row.id);",
    replace: "void unindexText;",
    why: "words of what was forgotten stay in the index",
  },
  {
    name: "index-not-cleared",
    rule: "ST5",
    file: `${view}/projection.ts`,
    find: "if (row === undefined || before?.text_hash === hash) return;",
    replace: "if (row === undefined || before !== undefined) return;",
    why: "the index goes on finding the first text of an edited observation",
  },
  {
    name: "heal-only-pulls",
    rule: "HL31",
    file: "apps/client/src/sync/heal.ts",
    find: "const difference = mayDeliver ? { push, want }",
    replace: "const difference = mayDeliver && push.length === 0 ? { push, want }",
    why: "what a restored server lost is not delivered again",
  },
  {
    name: "heal-without-tombstones",
    rule: "HL25",
    file: `${exchange}/heal.ts`,
    find: "if (isTombstone(state)) return [{ id, line: JSON.stringify(state) }];",
    replace: "if (isTombstone(state)) return [];",
    why: "a restored server does not learn what was forgotten",
  },
  {
    name: "heal-answer-not-taken",
    rule: "HL22",
    file: "apps/client/src/sync/heal-sender.ts",
    find: "  deps.store.takeHealed(namespace, { ...answer.value, from: sending.from });\n",
    replace: "",
    why: "a heal delivers, but takes nothing",
  },
  {
    name: "heal-replaces",
    rule: "HL22",
    file: `${exchange}/heal.ts`,
    find: "const state = held === undefined ? healed : mergedAt(healed, held);",
    replace:
      "const state = held === undefined || !isTombstone(held) ? held ?? healed : mergedAt(healed, held);",
    why: "a heal's answer does not change what this replica holds already",
  },
  {
    name: "parking-clears-the-outbox",
    rule: "NS14",
    file: `${exchange}/namespaces.ts`,
    find: `saveReplica(context, { ...row, status: "parked", notice: parkedNotice });`,
    replace: `saveReplica(context, { ...row, status: "parked", notice: parkedNotice });
    context.db.run("DELETE FROM outbox WHERE namespace = ?", row.namespace);`,
    why: "a member who is removed loses what was not sent yet",
  },
  {
    name: "pairing-leaves-the-outbox",
    rule: "NS10",
    file: `${exchange}/namespaces.ts`,
    find: `  "outbox",
  "own_writes",`,
    replace: `  "own_writes",`,
    why: "what was written before pairing is never sent",
  },
  {
    name: "synced-with-unsent",
    rule: "CL20",
    file: "apps/client/src/sync/status.ts",
    find: "return unsent === 0 && unverified === 0 && rejected === 0",
    replace: "return unverified === 0 && rejected === 0",
    why: "a status says synced while changes wait to be sent",
  },
  {
    name: "synced-before-verified",
    rule: "CL20",
    file: "apps/client/src/sync/status.ts",
    find: "rejected === 0 && verified && !needsHeal;",
    replace: "rejected === 0 && !needsHeal;",
    why: "a status says synced in the middle of the feed, where the server holds something else",
  },
  {
    name: "index-damage-ends-writes",
    rule: "ST6",
    file: `${view}/search-index.ts`,
    find: "noteDamage(db, clock);\n        return once(work);",
    replace: "throw error;",
    why: "whatever writes to a record whose place in the index is damaged fails for ever, a pull too",
  },
];
