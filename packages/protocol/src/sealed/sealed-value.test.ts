import fc from "fast-check";
import { expect, test } from "vitest";
import type { NamespaceId, RecordId, WriterId } from "../ids.ts";
import { canonicalJson, type JsonValue } from "../json.ts";
import { anyValue } from "../testing/arbitraries.ts";
import { sealCipher } from "../testing/seal-cipher.ts";
import { createKeyRing } from "./key-ring.ts";
import { isPadmeSize } from "./padme.ts";
import { parseSealedText } from "./sealed-text.ts";
import { openValue, sealValue, type ValuePlace } from "./sealed-value.ts";
import { utf8Length } from "./utf8-length.ts";

const runs = { numRuns: 500, seed: 20261123 };
const key = (byte: number): Uint8Array => new Uint8Array(32).fill(byte);
const namespace = "nse_a" as NamespaceId;
const keys = {
  namespace,
  names: key(9),
  epochs: new Map([
    [1, key(1)],
    [2, key(2)],
  ]),
};
const ring = createKeyRing(sealCipher, keys);
const place: ValuePlace = {
  record: "r1" as RecordId,
  clock: { lamport: 7, writer: "wa" as WriterId },
  at: 1_795_000_000_000,
};
const open = { field: "title", value: "the cache is stale" };
const sealed = sealValue(ring, place, open) ?? "";
const fieldId = ring.fieldId(place.record, open.field);

/** What a member's device could seal for a place, whatever the text. */
function sealedFor(bound: readonly JsonValue[], text: string): string {
  const writerKeys = ring.writerKeys(2, place.clock.writer);
  const content = text + " ".repeat(32 - text.length);
  const sealing = { nonce: new Uint8Array(12), text: content, additional: canonicalJson(bound) };
  return `sealed1.2.${sealCipher.encrypt(writerKeys?.seal ?? key(0), sealing)}`;
}

/** The same as it was before wall times were sealed themselves. */
function earlierSealed(text: string): string {
  const earlier = ["tidemark value 1", namespace, "r1", fieldId, 7, "wa", place.at, 2];
  return sealedFor(earlier, text);
}

test("[EE1] what is sealed for a place opens there, whatever the value and the name", () => {
  fc.assert(
    fc.property(anyValue, fc.string({ minLength: 1, unit: "grapheme" }), (value, name) => {
      const text = sealValue(ring, place, { field: `x${name}`, value });
      const id = ring.fieldId(place.record, `x${name}`);
      const opened = openValue(ring, place, { fieldId: id, sealed: text ?? null });
      expect(opened).toEqual({ field: `x${name}`, value, at: place.at });
    }),
    runs,
  );
});

test("[EE1] sealing twice gives the same bytes, another value others, and none shows the text", () => {
  expect(sealValue(ring, place, open)).toBe(sealed);
  expect(sealValue(ring, place, { ...open, value: "another" })).not.toBe(sealed);
  const body = Buffer.from(parseSealedText(sealed)?.body ?? "", "base64url");
  expect(body.includes("stale")).toBe(false);
  expect(body.includes("title")).toBe(false);
});

test.each<readonly [string, ValuePlace]>([
  ["record", { ...place, record: "r2" as RecordId }],
  ["lamport", { ...place, clock: { ...place.clock, lamport: 8 } }],
  ["writer", { ...place, clock: { ...place.clock, writer: "wb" as WriterId } }],
])("[EE1] moved to another %s it does not open (abuse 144)", (_, elsewhere) => {
  const id = ring.fieldId(elsewhere.record, open.field);
  expect(openValue(ring, elsewhere, { fieldId: id, sealed })).toBe("forged");
  expect(openValue(ring, elsewhere, { fieldId, sealed })).toBe("forged");
});

test("[EE1] whatever wall time stands beside it, it opens with the one that its writer sealed", () => {
  const bent = { ...place, at: place.at + 1 };
  expect(openValue(ring, bent, { fieldId, sealed })).toEqual({ ...open, at: place.at });
  expect(sealValue(ring, bent, open)).not.toBe(sealed);
});

test("[EE1] what was sealed before for its wall time too opens at that time alone", () => {
  const earlier = earlierSealed('["title","the cache is stale"]');
  expect(openValue(ring, place, { fieldId, sealed: earlier })).toEqual({ ...open, at: place.at });
  const bent = { ...place, at: place.at + 1 };
  expect(openValue(ring, bent, { fieldId, sealed: earlier })).toBe("forged");
});

test("[EE1] moved to another field, namespace or epoch it does not open (abuse 144)", () => {
  const other = ring.fieldId(place.record, "narrative");
  expect(openValue(ring, place, { fieldId: other, sealed })).toBe("forged");
  const elsewhere = createKeyRing(sealCipher, { ...keys, namespace: "nse_b" as NamespaceId });
  expect(openValue(elsewhere, place, { fieldId, sealed })).toBe("forged");
  expect(openValue(ring, place, { fieldId, sealed: sealed.replace(".2.", ".1.") })).toBe("forged");
  expect(openValue(ring, place, { fieldId, sealed: sealed.replace(".2.", ".3.") })).toBe("no-key");
});

test("[EE1] a value whose every byte is flipped once never opens (abuse 144)", () => {
  const body = Buffer.from(parseSealedText(sealed)?.body ?? "", "base64url");
  for (let at = 0; at < body.length; at += 1) {
    const bent = Buffer.from(body);
    bent[at] = (bent[at] ?? 0) ^ 1;
    const text = `sealed1.2.${bent.toString("base64url")}`;
    expect(openValue(ring, place, { fieldId, sealed: text })).toBe("forged");
  }
});

test("[EE1] whatever stands in its place gives a reason and never throws", () => {
  fc.assert(
    fc.property(
      fc.oneof(
        anyValue,
        fc.string(),
        fc.string().map((t) => `sealed1.2.${t}`),
      ),
      (text) => {
        const opened = openValue(ring, place, { fieldId, sealed: text });
        expect(["plain", "no-key", "forged"]).toContain(opened);
      },
    ),
    runs,
  );
});

test("[EE1] what a member sealed under an id that is not its name's, or that is no field, is forged", () => {
  for (const text of [
    '["other",1]',
    "[1,2]",
    '["title"]',
    "{}",
    "nothing",
    '["__proto__",1]',
    '["",1]',
    '["title",1,-1]',
    '["title",1,0.5]',
    '["title",1,"0"]',
    '["title",1,0,0]',
  ]) {
    const made = sealedFor(["tidemark value 2", namespace, "r1", fieldId, 7, "wa", 2], text);
    expect(openValue(ring, place, { fieldId, sealed: made })).toBe("forged");
    expect(openValue(ring, place, { fieldId, sealed: earlierSealed(text) })).toBe("forged");
  }
});

test("[EE1] without the key of its epoch nothing is sealed and nothing opens", () => {
  const none = createKeyRing(sealCipher, { ...keys, epochs: new Map() });
  expect(none.epoch).toBe(0);
  expect(sealValue(none, place, open)).toBeUndefined();
  expect(openValue(none, place, { fieldId, sealed })).toBe("no-key");
  const late = createKeyRing(sealCipher, { ...keys, epochs: new Map([[3, key(3)]]) });
  expect(openValue(late, place, { fieldId, sealed })).toBe("no-key");
  expect(parseSealedText(sealValue(late, place, open))?.epoch).toBe(3);
});

test("[EE1] each writer has keys of its own, and sealing and nonces each theirs", () => {
  const one = ring.writerKeys(1, "wa" as WriterId);
  const other = ring.writerKeys(1, "wb" as WriterId);
  expect(one?.seal).not.toEqual(other?.seal);
  expect(one?.seal).not.toEqual(one?.nonce);
  expect(ring.writerKeys(1, "wa" as WriterId)).toBe(one);
});

test("[EE2] every sealed value has a padded size", () => {
  fc.assert(
    fc.property(fc.string({ maxLength: 3000, unit: "grapheme" }), (value) => {
      const text = sealValue(ring, place, { field: "title", value }) ?? "";
      const body = Buffer.from(parseSealedText(text)?.body ?? "", "base64url");
      expect(isPadmeSize(body.length - 28)).toBe(true);
    }),
    runs,
  );
});

test("[EE3] a field's id says nothing of its name, is the same in every epoch and another in each record", () => {
  const late = createKeyRing(sealCipher, { ...keys, epochs: new Map([[5, key(5)]]) });
  expect(late.fieldId(place.record, "tag/acme")).toBe(ring.fieldId(place.record, "tag/acme"));
  expect(ring.fieldId("r2" as RecordId, "tag/acme")).not.toBe(
    ring.fieldId(place.record, "tag/acme"),
  );
  expect(ring.fieldId(place.record, "tag/acme")).toMatch(/^f[0-9a-v]{26}$/);
});

test("[EE2] the bytes of a text are counted as UTF-8 has them", () => {
  fc.assert(
    fc.property(fc.string({ unit: "grapheme" }), (text) => {
      expect(utf8Length(text)).toBe(Buffer.byteLength(text));
    }),
    runs,
  );
  for (const text of ["a", "\u007f\u0080", "\u07ff\u0800", "\uffff", "😀é"]) {
    expect(utf8Length(text)).toBe(Buffer.byteLength(text));
  }
});
