import { createServer, type AddressInfo, type Socket } from "node:net";
import { expect, test } from "vitest";
import { checkDatabase } from "./database-check.ts";

test("[OPS69] something that takes connections and says nothing is no database, after a while", async () => {
  const taken: Socket[] = [];
  const silent = createServer((socket) => void taken.push(socket));
  await new Promise<void>((resolve) => {
    silent.listen(0, "127.0.0.1", resolve);
  });
  const waits: number[] = [];
  const timers = {
    sleep: async (ms: number) => await Promise.resolve(void waits.push(ms)),
    every: () => () => {},
  };
  const { port } = silent.address() as AddressInfo;
  try {
    const check = checkDatabase(
      { timers, clock: { nowMs: () => 0 } },
      `postgres://u@127.0.0.1:${port}/db`,
    );
    await expect(check).rejects.toMatchObject({
      code: "database-unavailable",
      message: "the database does not answer in time",
    });
    expect(waits).toEqual([15_000]);
  } finally {
    for (const socket of taken) socket.destroy();
    silent.close();
  }
});
