import { execFileSync } from "node:child_process";
import { readdirSync, utimesSync } from "node:fs";
import { join } from "node:path";
import { afterAll, expect, test, vi } from "vitest";
import { createDevices } from "./client-process.ts";
import { createBench, linksIn } from "./server-process.ts";

const bench = createBench();
const devices = createDevices();
afterAll(async () => {
  await bench.clear();
  devices.clear();
});

test.runIf(process.platform === "linux")(
  "[PG40] a copy of a data directory whose server runs is a folder of its own",
  async () => {
    const original = bench.folder();
    const copy = join(bench.folder(), "copy");
    const beside = ["--data-dir", copy];
    const server = await bench.serve({ args: ["--port", "0", "--data-dir", original] });
    await vi.waitUntil(() => linksIn(server.stdout()).length === 1);
    const device = devices.device("one");
    await device.json("pair", linksIn(server.stdout())[0] ?? "", "--name", "one", "--user", "ada");
    execFileSync("cp", ["-a", original, copy]);

    // Its claims are as young as those of a server elsewhere would be.
    const early = await bench.run({ args: ["serve", "--port", "0", ...beside] });
    expect(early).toMatchObject({ code: 1 });
    expect(early.stderr).toMatch(/in another container or machine, uses .*\nhint: .*wait 20 s/u);
    const reset = await bench.run({ args: ["owner-reset", ...beside] });
    expect(reset).toMatchObject({ code: 1, stdout: "" });

    for (const claim of readdirSync(join(copy, "lock")))
      utimesSync(join(copy, "lock", claim), 1, 1);
    const second = await bench.serve({ args: ["--port", "0", ...beside] });
    expect(linksIn(second.stdout())).toEqual([]);
    await device.json("save", "--title", "the original goes on");
    await device.json("sync");
  },
);
