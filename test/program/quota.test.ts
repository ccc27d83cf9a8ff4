/** A namespace that is full while a daemon runs, and what a person does about it meanwhile. */
import { afterAll, expect, test, vi } from "vitest";
import { createDevices, titlesOf, type TestDevice } from "./client-process.ts";
import { createBench, freePort, linksIn } from "./server-process.ts";

const bench = createBench();
const devices = createDevices();
afterAll(async () => {
  await bench.clear();
  devices.clear();
});

interface Outbox {
  readonly items: readonly { readonly record: string; readonly state: string }[];
  readonly total: number;
}

async function outbox(of: TestDevice): Promise<Outbox> {
  return await of.json<Outbox>("outbox", "list");
}

/** A lost connection is tried again within a minute or so, so that not all come at once (EN6). */
const reconnectMsMax = 90_000;

async function waitFor(
  of: TestDevice,
  isSo: (outbox: Outbox) => boolean,
  timeout = 30_000,
): Promise<void> {
  await vi.waitUntil(async () => isSo(await outbox(of)), { timeout, interval: 100 });
}

test("[QT1, OP3, OP20, OP21] what a full namespace refuses beside a daemon keeps nothing back, and all of it goes once there is room", async () => {
  const place = ["--data-dir", bench.folder(), "--port", String(await freePort())];
  const serve = async (quota: number) =>
    await bench.serve({ args: [...place, "--quota-records", String(quota)] });
  const full = await serve(5);
  await vi.waitUntil(() => linksIn(full.stdout()).length === 1);
  const [laptop, desktop] = [devices.device("laptop"), devices.device("desktop")];
  await laptop.json("pair", linksIn(full.stdout())[0] ?? "", "--user", "ada");
  const { link } = await laptop.json<{ link: string }>("device", "add");
  await desktop.json("pair", link);
  const all = Array.from({ length: 8 }, (_, index) => `Note ${index}`);
  for (const title of all) await laptop.json("save", "--title", title);

  await laptop.withDaemon(async () => {
    const isRefused = ({ items }: Outbox): boolean =>
      items.length === 3 && items.every(({ state }) => state === "rejected");
    await waitFor(laptop, isRefused);
    expect((await laptop.run(["status"])).stdout).toContain("not synced: 3 changes refused");
    // Each is sent, refused and kept anew, however often somebody tries.
    expect(await laptop.json("outbox", "retry", "--all")).toEqual({ retried: 3 });
    await waitFor(laptop, isRefused);
    await desktop.json("sync");
    expect(await titlesOf(desktop)).toHaveLength(5);

    full.kill("SIGTERM");
    await full.ended;
    expect(await laptop.json("outbox", "retry", "--all")).toEqual({ retried: 3 });
    const waiting = (await outbox(laptop)).items;
    expect(waiting.map(({ state }) => state)).toEqual(["unsent", "unsent", "unsent"]);
    // It is not refused by now: whoever saw it refused, and gives it up, gives up nothing else.
    const late = await laptop.error("outbox", "drop", waiting[0]?.record ?? "", "--yes");
    expect(late).toMatchObject({ exit: 1, code: "unknown-op" });
    await serve(100);
    await waitFor(laptop, ({ total }) => total === 0, reconnectMsMax);
  });
  await desktop.json("sync");
  expect(await titlesOf(desktop)).toEqual(all);
}, 180_000);
