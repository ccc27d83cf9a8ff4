import { expect, test } from "vitest";
import type { Content } from "./content.ts";
import { scrubCaptured, scrubFields, scrubWritten } from "./scrub-content.ts";
import { canaries, namedCanary } from "./testing/canaries.ts";
import { testScrub } from "./testing/scrub.ts";

const scrub = testScrub();
const [token = ""] = canaries;
const plain: Content = {
  title: "t",
  narrative: "n",
  facts: [],
  concepts: [],
  filesRead: [],
  filesModified: [],
};

test("[SC51] no canary passes, in a text, a list, a nested value or a field's name (abuse 127)", () => {
  for (const canary of canaries) {
    const fields = { text: `see ${canary}`, list: [canary], deep: { in: { [canary]: canary } } };
    const scrubbed = scrubFields(scrub, { ...fields, [canary]: 1 });
    expect(scrubbed.ok).toBe(true);
    expect(JSON.stringify(scrubbed)).not.toContain(canary);
  }
  const named = scrubFields(scrub, { text: `DB_PASSWORD='${namedCanary}'`, password: namedCanary });
  expect(JSON.stringify(named)).not.toContain(namedCanary);
});

test("[SC52] text is scrubbed before it is cut, so that no half of a secret stays (abuse 127)", () => {
  for (const canary of canaries) {
    const half = Math.floor(canary.length / 2);
    const title = `${"x".repeat(299 - half - 1)} ${canary}`;
    const fact = `${"y".repeat(1023 - half - 1)} ${canary}`;
    const scrubbed = scrubCaptured(scrub, { ...plain, title, facts: [fact] });
    expect(scrubbed.ok).toBe(true);
    const text = JSON.stringify(scrubbed);
    expect(text).not.toContain(canary.slice(0, 12));
    expect(scrubbed).toMatchObject({
      value: { title: expect.stringMatching(/^.{1,300}$/u) as string },
    });
  }
});

test("[CN12] a person's text is refused where it is too long, and never cut", () => {
  expect(scrubWritten(scrub, { title: "x".repeat(301) })).toMatchObject({
    ok: false,
    error: { kind: "too-long", field: "title", max: 300 },
  });
  expect(scrubWritten(scrub, { title: `key ${token}` })).toMatchObject({ ok: true });
});

test("[CN13] NUL and lone surrogates are replaced, numbers that no store holds are refused (abuse 114, 115)", () => {
  const scrubbed = scrubFields(scrub, { text: "a\0b\uD800c" });
  expect(scrubbed).toEqual({ ok: true, value: { text: "a\uFFFDb\uFFFDc" } });
  expect(scrubFields(scrub, { n: Number.POSITIVE_INFINITY })).toMatchObject({ ok: false });
  expect(scrubFields(scrub, { n: 2 ** 60 })).toMatchObject({ ok: false });
});
