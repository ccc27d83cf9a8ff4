import { expect, test } from "vitest";
import { at, id, make, namespace, put, world } from "../../../store/testing/world.ts";
import type { CliDeps } from "../deps.ts";
import { runCli } from "../run-cli.ts";
import { createToldIo } from "../testing/told-io.ts";

test("[CL82] what was forgotten elsewhere while a person was asked is told as forgotten", async () => {
  const { a: store } = world();
  const record = id("record1");
  make(store, put(record, { title: "one" }));
  const { io, told } = createToldIo();
  const ask = async (): Promise<string> => {
    expect(store.changes.change(namespace, [{ kind: "forget", id: record }], at).ok).toBe(true);
    return "y";
  };
  const deps = {
    io: { ...io, hasPerson: true, ask },
    clock: { nowMs: () => at },
    version: "0.0.0",
    signal: new AbortController().signal,
    memory: () => ({ store, clock: { nowMs: () => at } }),
  };
  const exit = await runCli(deps as unknown as CliDeps, ["forget", record]);
  expect({ exit, ...told }).toMatchObject({
    exit: 0,
    out: `forgotten already: ${record}\n`,
    err: "",
  });
});
