import {
  compactState,
  conflictRecord,
  tombstone,
  type DeviceId,
  type JsonValue,
  type NamespaceId,
  type RecordId,
  type RecordState,
  type WriterId,
} from "@tidemark/protocol";
import fc from "fast-check";
import { bucket, digests } from "../digests.ts";
import { heal } from "../heal.ts";
import { pull } from "../pull.ts";
import { revisions } from "../revisions.ts";
import { entryOf, sha256, type TestWriter, type World } from "./world.ts";

/** One thing that a client does. Small ranges, so that clients meet. */
export type Command =
  | { readonly kind: "push"; readonly writer: number; readonly ops: readonly OpDraft[] }
  | { readonly kind: "repeat"; readonly writer: number }
  | { readonly kind: "pull"; readonly client: number; readonly limit: number }
  | { readonly kind: "heal"; readonly client: number; readonly states: readonly StateDraft[] }
  | { readonly kind: "look"; readonly record: number };

interface OpDraft {
  readonly op: "put" | "set" | "forget" | "bad";
  readonly record: number;
  readonly field: number;
  readonly value: number;
  readonly base: number;
  readonly parent: number;
  readonly lamportAhead: number;
}

interface StateDraft {
  readonly shape: "live" | "tombstone" | "conflict";
  readonly record: number;
  readonly value: number;
  readonly lamport: number;
  readonly parent: number;
}

const small = (max: number): fc.Arbitrary<number> => fc.integer({ min: 0, max });

const opDraft: fc.Arbitrary<OpDraft> = fc.record({
  op: fc.constantFrom("put", "put", "set", "set", "set", "forget", "bad"),
  record: small(5),
  field: small(1),
  value: small(3),
  base: small(6),
  parent: small(7),
  lamportAhead: fc.constantFrom(0, 0, 0, 0, 0, -2, 40),
});

const stateDraft: fc.Arbitrary<StateDraft> = fc.record({
  shape: fc.constantFrom("live", "live", "live", "tombstone", "conflict"),
  record: small(5),
  value: small(3),
  lamport: fc.integer({ min: 1, max: 12 }),
  parent: small(7),
});

/** One command. */
export const commandArbitrary: fc.Arbitrary<Command> = fc.oneof(
  {
    weight: 6,
    arbitrary: fc.record({
      kind: fc.constant("push" as const),
      writer: small(3),
      ops: fc.array(opDraft, { minLength: 1, maxLength: 5 }),
    }),
  },
  {
    weight: 1,
    arbitrary: fc.record({ kind: fc.constant("repeat" as const), writer: small(3) }),
  },
  {
    weight: 3,
    arbitrary: fc.record({
      kind: fc.constant("pull" as const),
      client: small(3),
      limit: fc.integer({ min: 1, max: 4 }),
    }),
  },
  {
    weight: 2,
    arbitrary: fc.record({
      kind: fc.constant("heal" as const),
      client: small(3),
      states: fc.array(stateDraft, { minLength: 1, maxLength: 4 }),
    }),
  },
  {
    weight: 1,
    arbitrary: fc.record({ kind: fc.constant("look" as const), record: small(5) }),
  },
);

/** A run of commands. */
export const commandsArbitrary: fc.Arbitrary<readonly Command[]> = fc.array(commandArbitrary, {
  minLength: 4,
  maxLength: 25,
});

/** Clients of a world that commands drive; the fourth is a reader. */
export interface Actors {
  run(command: Command): Promise<unknown>;
}

/** Admits the clients. */
export async function createActors(world: World): Promise<Actors> {
  const ann = await world.admit("ann", "writer");
  const bob = await world.admit("bob", "admin");
  const rita = await world.admit("rita", "reader");
  const devices = [world.owner, ann.device, bob.device, rita.device];
  const writers = devices.map((device, index) => world.writer(`w${index}`, device));
  const cursors = new Map<number, string>();
  const lastLines = new Map<number, readonly string[]>();
  const { deps, namespace } = world;
  return {
    run: async (command) => {
      switch (command.kind) {
        case "push": {
          const writer = at(writers, command.writer);
          const lines = command.ops.map((op) => lineOf(writer, op));
          lastLines.set(command.writer, lines);
          return send(writer, lines);
        }
        case "repeat":
          return send(at(writers, command.writer), lastLines.get(command.writer) ?? []);
        case "pull": {
          const { client, limit } = command;
          const answer = await pull(deps, {
            namespace,
            device: at(devices, client),
            writer: at(writers, client).id,
            limit,
            after: cursors.get(client),
          });
          if (answer.ok) cursors.set(client, answer.value.tail.cursor);
          return answer;
        }
        case "heal":
          return healAs(world, at(devices, command.client), {
            writer: at(writers, command.client).id,
            states: command.states,
          });
        case "look":
          return look(deps, { namespace, device: world.owner }, recordOf(command.record));
      }
    },
  };
}

async function send(writer: TestWriter, lines: readonly string[]): Promise<unknown> {
  const answer = await writer.send(...lines);
  // Refused: the numbers are given to the next ops, as if this had never been made.
  if (!answer.ok) writer.n = writer.acked;
  return answer;
}

async function healAs(
  world: World,
  device: DeviceId,
  what: { readonly writer: WriterId; readonly states: readonly StateDraft[] },
): Promise<unknown> {
  const lines = what.states.map((draft) => {
    const past = { f0: [entryOf(draft.lamport, "w0" as WriterId, (draft.value + 1) % 4)] };
    return JSON.stringify({ ...compactState(stateOf(draft)), past });
  });
  const header = { writer: what.writer, lamport: 3, want: [recordOf(0), recordOf(1)] };
  return heal(world.deps, { namespace: world.namespace, device, header, lines });
}

async function look(
  deps: World["deps"],
  who: { readonly namespace: NamespaceId; readonly device: DeviceId },
  record: RecordId,
): Promise<unknown> {
  const answers = [await digests(deps, who), await revisions(deps, { ...who, record })];
  const buckets = await Promise.all(
    Array.from({ length: 256 }, (_, index) => index)
      .filter((index) => index % 16 === 3)
      .map((index) => bucket(deps, { ...who, bucket: index })),
  );
  return [...answers, ...buckets];
}

function lineOf(writer: TestWriter, draft: OpDraft): string {
  const record = recordOf(draft.record);
  const fields = { [`f${draft.field}`]: draft.value };
  const more =
    draft.lamportAhead === 0 ? {} : { lamport: Math.max(1, writer.lamport + draft.lamportAhead) };
  switch (draft.op) {
    case "put":
      return writer.put(record, fields, { ...more, ...parentOf(draft) });
    case "set": {
      const author = `w${draft.base % 4}` as WriterId;
      const base = { [`f${draft.field}`]: entryOf(draft.base + 1, author, draft.value % 2) };
      return writer.set(record, fields, base, more);
    }
    case "forget":
      return writer.forget(record, more);
    case "bad":
      writer.n += 1;
      writer.lamport += 1;
      return "{}";
  }
}

function stateOf(draft: StateDraft): RecordState {
  const clock = { lamport: draft.lamport, writer: `w${draft.value}` as WriterId };
  const register = { value: draft.value as JsonValue, clock, at: 5 };
  const id = recordOf(draft.record);
  switch (draft.shape) {
    case "tombstone":
      return tombstone(id, "observation");
    case "conflict":
      return conflictRecord(sha256, id, "f0", register);
    case "live":
      return { id, collection: "observation", registers: { f0: register }, ...parentOf(draft) };
  }
}

function parentOf(draft: { readonly parent: number }): { readonly parent?: RecordId } {
  return draft.parent > 5 ? {} : { parent: recordOf(draft.parent) };
}

function recordOf(index: number): RecordId {
  return `r${index}` as RecordId;
}

function at<T>(items: readonly T[], index: number): T {
  const item = items[index];
  if (item === undefined) throw new Error(`no item ${index}`);
  return item;
}
