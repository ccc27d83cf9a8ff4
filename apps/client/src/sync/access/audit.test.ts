import { ok } from "@tidemark/protocol";
import { expect, test } from "vitest";
import type { Caller } from "../http/caller.ts";
import { createAuditReader } from "./audit.ts";

const signal = new AbortController().signal;

/** Reads from a server whose pages have these numbers, and that always says that more follow. */
async function read(page: (asked: number) => readonly number[]) {
  let asked = 0;
  const json = async () => {
    asked += 1;
    const rows = page(asked).map((seq) => ({ seq, at: 1, event: "e", details: {}, hash: "" }));
    return ok({ items: rows, next: "more" });
  };
  const reader = createAuditReader({ caller: { json } as unknown as Caller });
  const rows = await reader.rows({ of: "self" }, undefined, signal);
  return { rows, asked };
}

test("[AD4] reading all ends at a server that tells the same rows again, or none", async () => {
  const wrong = { ok: false, error: { code: "not-older" } };
  for (const page of [[5, 4], [4, 5], [5, 5], []]) {
    const { rows, asked } = await read(() => page);
    expect(rows).toMatchObject(wrong);
    expect(asked).toBeLessThan(3);
  }
});

test("[AD4] reading all ends at a server that never comes to an end", async () => {
  const far = Number.MAX_SAFE_INTEGER;
  const { rows, asked } = await read((count) =>
    Array.from({ length: 200 }, (_, index) => far - count * 200 - index),
  );
  expect(rows).toMatchObject({ ok: true, value: { isWhole: false } });
  expect(asked).toBe(500);
});
