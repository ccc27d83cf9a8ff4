import { fail, ok, type NamespaceId } from "@tidemark/protocol";
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

const namespace = `ns_${"a".repeat(26)}` as NamespaceId;

/** A reader of a server that answers with the code that a path has, and knows no other path. */
function readerOf(codeByPath: Readonly<Record<string, string>>) {
  const asked: string[] = [];
  const json: Caller["json"] = ({ path, query = {} }) => {
    asked.push(query["namespace"] === undefined ? path : `${path} of one`);
    const code = codeByPath[asked.at(-1) ?? ""] ?? "not-found";
    return Promise.resolve(fail({ family: "reject", code, title: "" } as const));
  };
  return { reader: createAuditReader({ caller: { json } as unknown as Caller }), asked };
}

test("[AD6] [WR2] a server of before the audit is named as too old, whatever is asked of it", async () => {
  const { reader } = readerOf({});
  const tooOld = { ok: false, error: { code: "upgrade-server" } };
  expect(await reader.rows({ of: "self" }, 1, signal)).toMatchObject(tooOld);
  expect(await reader.rows({ of: "server" }, 1, signal)).toMatchObject(tooOld);
  expect(await reader.rows({ of: "namespace", namespace }, 1, signal)).toMatchObject(tooOld);
  expect(await reader.check(signal)).toMatchObject(tooOld);
});

test("[AD6] a namespace that is none, on a server that has an audit, is called so", async () => {
  const { reader, asked } = readerOf({ "/v1/audit": "forbidden" });
  const read = await reader.rows({ of: "namespace", namespace }, 1, signal);
  expect(read).toMatchObject({ ok: false, error: { code: "not-found" } });
  expect(asked).toEqual(["/v1/audit of one", "/v1/audit"]);
  const barred = readerOf({ "/v1/audit of one": "forbidden" });
  const refused = await barred.reader.rows({ of: "namespace", namespace }, 1, signal);
  expect(refused).toMatchObject({ ok: false, error: { code: "forbidden" } });
  expect(barred.asked).toHaveLength(1);
});
