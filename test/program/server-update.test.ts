/** What a server does whose own files are replaced while it runs. */
import { cpSync, symlinkSync, writeFileSync } from "node:fs";
import { availableParallelism } from "node:os";
import { dirname, join } from "node:path";
import { afterEach, beforeEach, expect, test } from "vitest";
import type { PushAnswer } from "../../packages/protocol/src/wire/index.ts";
import {
  claimServer,
  createTestWriter,
  push,
  type TestClient,
} from "../../apps/server/src/http/testing/client.ts";
import {
  createBench,
  linksIn,
  serverAt,
  serverProgram,
  type Bench,
  type ServerProcess,
} from "./server-process.ts";

let bench: Bench;
beforeEach(() => {
  bench = createBench();
});
afterEach(async () => {
  await bench.clear();
});

/** A copy of the built server that finds its packages. */
function installed(): string {
  const folder = bench.folder();
  cpSync(dirname(serverProgram), folder, { recursive: true });
  symlinkSync(join(dirname(serverProgram), "../node_modules"), join(folder, "node_modules"));
  return join(folder, "main.js");
}

async function serve(program: string): Promise<{ running: ServerProcess; owner: TestClient }> {
  const running = await bench.serve({
    args: ["--port", "0", "--data-dir", bench.folder()],
    program,
    env: { NODE_DEBUG: "worker" },
  });
  await expect.poll(() => linksIn(running.stdout())).toHaveLength(1);
  const [link = ""] = linksIn(running.stdout());
  return { running, owner: await claimServer(serverAt(running.url, link)) };
}

const token = ["ghp", "Q7hX2mVd9Lr4TnB6yKcW8sJf3GzP5u0aEeRt"].join("_");
const titles = Array.from({ length: 200 }, (_, place) =>
  place === 150 ? `uses ${token}` : `note ${String(place)}`,
);

/** Pushes long enough for a second thread, each with one secret, which is refused. */
async function pushTwice(owner: TestClient): Promise<void> {
  const [personal] = (await owner.hello()).namespaces ?? [];
  if (personal === undefined) throw new Error("no namespace");
  const writer = createTestWriter("writer_long");
  for (let at = 0; at < 2; at += 1) {
    const answer = await push(owner, personal.id, writer.body(titles));
    expect(answer.status).toBe(200);
    const { results } = (await answer.json()) as PushAnswer;
    expect(results).toMatchObject([{ result: "rejected", code: "secret-detected" }]);
  }
}

const isOther = /secret-look-other-build/g;

test.runIf(availableParallelism() > 1)(
  "[OPS110] a built server knows the thread beside it as its own",
  async () => {
    const { running, owner } = await serve(installed());
    await pushTwice(owner);
    running.kill("SIGTERM");
    const { stderr } = await running.ended;
    expect(stderr).toContain("created Worker");
    expect(stderr).not.toMatch(isOther);
  },
);

test.runIf(availableParallelism() > 1)(
  "[OPS110] an update under a running server starts no thread of it, and the log says so once",
  async () => {
    const program = installed();
    const { running, owner } = await serve(program);
    writeFileSync(join(dirname(program), "secret-look.js"), "throw new Error('of an update');");
    await pushTwice(owner);
    running.kill("SIGTERM");
    const { stderr, code } = await running.ended;
    expect(code).toBe(0);
    expect(stderr).not.toContain("created Worker");
    expect(stderr.match(isOther)).toHaveLength(1);
  },
);
