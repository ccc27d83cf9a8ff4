import fc from "fast-check";
import type { JsonObject } from "@tidemark/protocol";
import { createScrubber, type JsonValue } from "@tidemark/scrubber";
import { expect, test } from "vitest";
import { createLooker, lookOn, type SharedLook } from "./line-look.ts";
import { createSecretCheck } from "./secret-check.ts";

const check = createSecretCheck();
/** Put together here, so that no file holds one. */
const password = ["Tr0ub4dor", "&3"].join("");
const token = ["ghp", "Q7hX2mVd9Lr4TnB6yKcW8sJf3GzP5u0aEeRt"].join("_");
const lineOf = (fields: JsonObject): string => JSON.stringify({ op: "put", fields });
const look = (fields: JsonObject): boolean => {
  const suspects = check.look([lineOf(fields)]).end();
  return suspects instanceof Set && suspects.has(0) && check.holdsSecret({ fields });
};

test("[SC60] a secret is found in any field, however deep, and in a field's name", () => {
  expect(look({ title: `uses ${token}` })).toBe(true);
  expect(look({ facts: ["one", { deep: [`is ${token}`] }] })).toBe(true);
  expect(look({ [`f ${token}`]: 1 })).toBe(true);
  expect(look({ password: password })).toBe(true);
});

test("[SC60] harmless fields pass", () => {
  expect(look({ title: "a token is a word", files: ["src/auth/token.ts"], count: 3 })).toBe(false);
  expect(look({ commit: "9f86d081884c7d659a2feaa0c55ad015a3bf4f1b" })).toBe(false);
});

test("[SC60] of many lines those are told in which something may be a secret", () => {
  const lines = Array.from({ length: 300 }, (_, place) =>
    lineOf({ title: place % 100 === 7 ? `uses ${token}` : "a word" }),
  );
  expect(check.look(lines).end()).toEqual(new Set([7, 107, 207]));
});

test("[SC60] what another thread takes on and does not end is looked through by this one", async () => {
  const lines = Array.from({ length: 300 }, (_, place) =>
    lineOf({ title: place === 3 ? `uses ${token}` : "a word" }),
  );
  const died = createSecretCheck({
    join: ({ counts }) => {
      Atomics.add(counts, 0, 8);
      return Promise.resolve();
    },
  });
  expect(await died.look(lines).end()).toEqual(new Set([3]));
});

test("[SC60] a thread that is slow to begin is not waited for", () => {
  const lines = Array.from({ length: 300 }, () => lineOf({ title: "a word" }));
  const late = createSecretCheck({ join: () => new Promise(() => undefined) });
  expect(late.look(lines).end()).toEqual(new Set());
});

test("[SC60] memory is used again, and never while another thread may look into it", async () => {
  const lines = Array.from({ length: 300 }, () => lineOf({ title: "a word" }));
  const memories: SharedArrayBuffer[] = [];
  let endJoin = (): void => undefined;
  const shared = createSecretCheck({
    join: ({ text }) => {
      memories.push(text.buffer);
      return new Promise((resolve) => {
        endJoin = resolve;
      });
    },
  });
  await shared.look(lines).end();
  const endFirst = endJoin;
  await shared.look(lines).end();
  expect(memories[1]).not.toBe(memories[0]);
  endFirst();
  await Promise.resolve();
  await shared.look(lines).end();
  expect(memories[2]).toBe(memories[0]);
});

test("[PS34] what is dropped no thread looks on for, and its memory is used again once none has it", async () => {
  const lines = Array.from({ length: 300 }, () => lineOf({ title: `uses ${token}` }));
  const looks: SharedLook[] = [];
  let endJoin = (): void => undefined;
  const shared = createSecretCheck({
    join: (look) => {
      looks.push(look);
      return new Promise((resolve) => {
        endJoin = resolve;
      });
    },
  });
  shared.look(lines).drop();
  const [dropped] = looks;
  if (dropped === undefined) throw new Error("the other thread was not asked");
  lookOn(createLooker(), dropped);
  expect([...dropped.marks].every((mark) => mark === 0)).toBe(true);
  const endFirst = endJoin;
  shared.look(lines).drop();
  endFirst();
  await Promise.resolve();
  expect((await shared.look(lines).end()).size).toBe(lines.length);
  expect(looks[1]?.text.buffer).not.toBe(dropped.text.buffer);
  expect(looks[2]?.text.buffer).toBe(dropped.text.buffer);
});

test("[SC60] what a device has scrubbed is never refused", () => {
  const device = createScrubber({ hmac: (text) => new TextEncoder().encode(text.padEnd(40)) });
  const piece = fc.constantFrom(
    token,
    "password: ",
    `DB_PASSWORD=${password}`,
    `https://ann:${password}@host/x `,
    `{"token":"${token.slice(6)}"}`,
    "\\n",
    " ",
    `Authorization: Bearer ${token.slice(8)}`,
  );
  const text = fc.array(fc.oneof(piece, fc.string({ maxLength: 20 })), { maxLength: 6 });
  fc.assert(
    fc.property(fc.dictionary(fc.constantFrom("title", "token", "facts"), text), (drawn) => {
      const fields: Record<string, JsonValue> = {};
      for (const [name, parts] of Object.entries(drawn)) {
        fields[name] = device.scrubJson(parts.join(""), { name }).value;
      }
      expect(look(fields as JsonObject)).toBe(false);
    }),
    { seed: 20_261, numRuns: 500 },
  );
});
