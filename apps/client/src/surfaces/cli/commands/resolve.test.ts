import { expect, test } from "vitest";
import { disagreeing, make, set, title } from "../../../store/testing/world.ts";
import type { Store } from "../../../store/store.ts";
import type { CliDeps } from "../deps.ts";
import { runCli } from "../run-cli.ts";

/** A store in which one title has lost to another, and what a person is asked about it. */
async function resolved(answer: string | undefined, meanwhile?: (store: Store) => void) {
  const { a } = disagreeing("theirs", "ours\u001b[2J");
  const [conflict] = a.reads.conflicts();
  const asked: string[] = [];
  let [out, err] = ["", ""];
  const deps = {
    io: {
      out: (text: string) => (out += text),
      err: (text: string) => (err += text),
      hasPerson: true,
      ask: async (question: string) => {
        asked.push(question);
        meanwhile?.(a);
        return answer;
      },
    },
    version: "0.0.0",
    clock: { nowMs: () => 1 },
    signal: new AbortController().signal,
    memory: () => ({
      store: a,
      clock: { nowMs: () => 1 },
      scrub: { text: (text: string) => text },
    }),
  };
  const exit = await runCli(deps as unknown as CliDeps, ["resolve", conflict?.id ?? ""]);
  return {
    exit,
    out,
    err,
    asked: asked.join("\n"),
    left: a.reads.conflicts().length,
    title: title(a),
  };
}

test("[CP64] who is asked which value to keep sees both, and whose the other one is", async () => {
  const { exit, asked, left, title: kept } = await resolved("current");
  expect(asked).toMatch(/^title of “/);
  expect(asked).toContain("  current: ");
  expect(asked).toContain("  losing:  ");
  expect(asked).toMatch(/theirs[\s\S]*ours|ours[\s\S]*theirs/);
  expect(asked).not.toContain("\u001b");
  expect({ exit, left }).toEqual({ exit: 0, left: 0 });
  expect(asked).toContain(`current: ${String(kept).slice(0, 4)}`);
});

test("[CP64] who gives no answer has changed nothing", async () => {
  const { exit, err, left } = await resolved(undefined);
  expect({ exit, left }).toEqual({ exit: 1, left: 1 });
  expect(err).toContain("nothing was done");
});

test("[CL82] what was settled elsewhere while a person was asked is told as settled", async () => {
  const { exit, out, err, left } = await resolved("losing", (store) => {
    for (const { id, namespace } of store.reads.conflicts()) {
      expect(store.changes.change(namespace, [{ kind: "forget", id }], 1).ok).toBe(true);
    }
  });
  expect({ exit, err, left }).toEqual({ exit: 0, err: "", left: 0 });
  expect(out).toMatch(/^settled already: /);
});

test("[CL99] a value that came while a person was asked is not settled away unseen", async () => {
  const { exit, err, left, ...told } = await resolved("losing", (store) => {
    make(store, set("record1", { title: "newer" }));
  });
  expect({ exit, left, title: told.title }).toEqual({ exit: 1, left: 1, title: "newer" });
  expect(err).toContain("has changed since it was shown");
});
