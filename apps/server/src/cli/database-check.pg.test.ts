import { expect, test } from "vitest";
import { createTestDatabase } from "../../../../test/postgres/database.ts";
import { systemTimers } from "../platform/timers.ts";
import { checkDatabase } from "./database-check.ts";

test("[OPS30] a database whose clock is off is refused, and one that is right is taken (abuse 188)", async () => {
  const database = await createTestDatabase();
  const check = async (offMs: number): Promise<void> => {
    const clock = { nowMs: () => Date.now() + offMs };
    await checkDatabase({ timers: systemTimers, clock }, database.url);
  };
  try {
    await check(0);
    await check(2_000);
    await check(-2_000);
    for (const offMs of [-3_600_000, -4_900, 4_900, 3_600_000]) {
      await expect(check(offMs)).rejects.toMatchObject({
        code: "clock-off",
        message: expect.stringMatching(/^the clocks .* are \d+ s apart$/) as string,
      });
    }
  } finally {
    await database.drop();
  }
});
