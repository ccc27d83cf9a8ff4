import type { Mutant } from "./mutant.ts";

const protocol = "packages/protocol/src";

/** Bugs in the rules that both sides share. */
export const protocolMutants: readonly Mutant[] = [
  {
    name: "arrival-order-wins",
    rule: "MG2",
    file: `${protocol}/apply.ts`,
    find: "const incomingWins = compareRegisters(register, held) > 0;",
    replace: "const incomingWins = compareRegisters(register, register) === 0;",
    why: "whoever comes last wins, whatever the clocks say",
  },
  {
    name: "ties-by-lamport-alone",
    rule: "CK1",
    file: `${protocol}/clock.ts`,
    find: "return left.lamport - right.lamport || compareText(left.writer, right.writer);",
    replace: "return left.lamport - right.lamport || compareText(left.writer, left.writer);",
    why: "of two changes with one lamport each replica keeps another",
  },
  {
    name: "wall-time-wins",
    rule: "MG2",
    file: `${protocol}/merge.ts`,
    find: "    compareClocks(left.clock, right.clock) ||\n",
    replace: "    left.at - right.at || compareClocks(left.clock, right.clock) ||\n",
    why: "a machine with a wrong clock wins",
  },
  {
    name: "no-conflict-records",
    rule: "CF1",
    file: `${protocol}/apply.ts`,
    find: "if (holdSame(held, register)) continue;",
    replace: "if (!incomingWins || holdSame(held, register)) continue;",
    why: "a value that lost a race is not kept",
  },
  {
    name: "base-ignored",
    rule: "CF1",
    file: `${protocol}/apply.ts`,
    find: `const base = op.op === "set" ? op.base[field] : undefined;`,
    replace: `const base = op.op === "set" ? null : undefined;`,
    why: "every edit makes a conflict record of what it replaced",
  },
  {
    name: "heal-takes-every-loser-for-past",
    rule: "HL2",
    file: `${protocol}/heal.ts`,
    find: "if (!hasHeld(sha256, past, loser)) {",
    replace: "if (!hasHeld(sha256, past, loser) && past === null) {",
    why: "a heal keeps no losing value",
  },
  {
    name: "put-brings-back",
    rule: "TB1",
    file: `${protocol}/apply.ts`,
    find: `if (stored !== undefined && isTombstone(stored)) return { kind: "forgotten", state: stored };
  if (op.op === "set") {`,
    replace: `if (stored !== undefined && isTombstone(stored)) {
    return op.op === "put" ? createRecord(op, context) : { kind: "forgotten", state: stored };
  }
  if (op.op === "set") {`,
    why: "a put of a forgotten id makes it live again",
  },
  {
    name: "late-child-lives",
    rule: "TB3",
    file: `${protocol}/apply.ts`,
    find: "if (context.parent !== undefined && isTombstone(context.parent)) {",
    replace: "if (context.parent !== undefined && context.stored !== undefined) {",
    why: "a child that comes after its parent's end stays",
  },
  {
    name: "merge-brings-back",
    rule: "MG4",
    file: `${protocol}/merge.ts`,
    find: "  if (isTombstone(right)) return right;\n",
    replace: "  if (isTombstone(right)) return left;\n",
    why: "in a heal a live record beats a tombstone",
  },
  {
    name: "new-fields-dropped",
    rule: "MG6",
    file: `${protocol}/adopt.ts`,
    find: "    registers[field] = next;\n",
    replace: "    if (own !== undefined) registers[field] = next;\n",
    why: "fields that a replica did not know are not taken from a pull",
  },
  {
    name: "merge-drops-fields",
    rule: "MG6",
    file: `${protocol}/merge.ts`,
    find: "    merged[field] = held === undefined ? register : winner(held, register);",
    replace: "    if (held !== undefined) merged[field] = winner(held, register);",
    why: "fields that one side does not know are lost in a heal",
  },
  {
    name: "later-hello-refused",
    rule: "WR39",
    file: "packages/protocol/src/wire/access.ts",
    find: "export const helloSchema: z.ZodType<Hello> = z.object({",
    replace: "export const helloSchema: z.ZodType<Hello> = z.strictObject({",
    why: "a server that was upgraded first shuts out every device of before",
  },
];
