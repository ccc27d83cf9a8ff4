import { expect, test } from "vitest";
import { createTestDatabase } from "../../../../test/postgres/database.ts";
import { systemTimers } from "../platform/timers.ts";
import { checkDatabase, requireWholeEncoding } from "./database-check.ts";

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

test("[OPS98] a database that lacks most characters is refused, with the way to one that has them", async () => {
  for (const [encoding, isRefused] of [
    ["UTF8", false],
    ["SQL_ASCII", false],
    ["LATIN1", true],
    ["WIN1252", true],
    ["EUC_JP", true],
  ] as const) {
    const kind = `template template0 encoding '${encoding}' lc_collate 'C' lc_ctype 'C'`;
    const database = await createTestDatabase(undefined, kind);
    try {
      const clock = { nowMs: () => Date.now() };
      const checked = await checkDatabase({ timers: systemTimers, clock }, database.url);
      expect(checked.encoding).toBe(encoding);
      const look = (): void => {
        requireWholeEncoding(checked);
      };
      if (!isRefused) look();
      else {
        expect(look).toThrow(
          expect.objectContaining({
            code: "database-encoding",
            message: `the database is of the encoding ${encoding}, which does not have every character`,
          }) as Error,
        );
      }
    } finally {
      await database.drop();
    }
  }
});
