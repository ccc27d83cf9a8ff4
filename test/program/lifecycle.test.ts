import { fileURLToPath } from "node:url";
import { afterAll, beforeAll, expect, test, vi } from "vitest";
import { createDevices } from "./client-process.ts";

const devices = createDevices();
const device = devices.device("old");
const session = fileURLToPath(new URL("../fixtures/sessions/review-page.jsonl", import.meta.url));

interface Listed {
  readonly total: number;
  readonly items: readonly { readonly id: string; readonly kind: string }[];
}

interface Due {
  readonly digests: readonly { readonly id: string; readonly sources: readonly string[] }[];
}

const kinds = async (...options: readonly string[]): Promise<readonly string[]> =>
  (await device.json<Listed>("list", ...options)).items.map(({ kind }) => kind);

beforeAll(async () => {
  await device.json("import", session);
});

afterAll(() => {
  devices.clear();
});

test("[LC2] a recorded session of long ago is folded; a dry run says so before, and changes nothing", async () => {
  const before = await kinds();
  const due = await device.json<Due>("lifecycle", "--dry-run");
  expect(due.digests).toHaveLength(1);
  expect((await device.run(["lifecycle", "--dry-run"])).stdout).toMatch(/^due: 1 session \(\d+/);
  expect(await kinds()).toEqual(before);
  const sources = due.digests[0]?.sources ?? [];
  const done = await device.json("lifecycle");
  expect(done).toEqual({ digests: 1, archived: sources.length, refused: 0 });
  const after = await kinds();
  expect(after.filter((kind) => kind === "digest")).toHaveLength(1);
  expect(after).toHaveLength(before.length - sources.length + 1);
  expect(await kinds("--all")).toHaveLength(before.length + 1);
  expect((await device.run(["lifecycle"])).stdout).toBe("nothing has come of age\n");
});

test("[LC3] a digest leads to its sources, and a source that is brought back stays", async () => {
  const [digest] = (await device.json<Listed>("list", "--kind", "digest")).items;
  const shown = await device.json<{ readonly sources: readonly string[] }>(
    "show",
    digest?.id ?? "",
  );
  const [source = ""] = shown.sources;
  expect(await device.json("show", source)).toMatchObject({
    archived: true,
    foldedInto: digest?.id,
  });
  await device.json("unarchive", source);
  expect(await device.json("lifecycle")).toEqual({ digests: 0, archived: 0, refused: 0 });
  expect(await device.json("show", source)).toMatchObject({ archived: false });
});

test("[LC5] an age that cannot be is refused, and changes nothing", async () => {
  expect(await device.error("lifecycle", "--archive-after", "soon")).toMatchObject({ exit: 2 });
  expect(await device.json("lifecycle", "--archive-after", "36500")).toMatchObject({ archived: 0 });
});

test("[LC6] the daemon does it by itself where that is switched on, and not again the same day", async () => {
  const own = devices.device("by-itself");
  await own.json("import", session);
  const digests = async (): Promise<number> =>
    (await own.json<Listed>("list", "--kind", "digest")).total;
  const aWhile = async (): Promise<void> => {
    await new Promise((resolve) => setTimeout(resolve, 2_000));
  };
  await own.withDaemon(aWhile);
  expect(await digests()).toBe(0);
  const isOn = { TIDEMARK_LIFECYCLE: "on" };
  await own.withDaemon(async () => {
    await vi.waitUntil(async () => (await digests()) === 1, { timeout: 20_000, interval: 500 });
  }, isOn);
  await own.json("import", fileURLToPath(new URL("../fixtures/sessions/transcript-look.jsonl", import.meta.url))); // prettier-ignore
  await own.withDaemon(aWhile, isOn);
  expect(await digests()).toBe(1);
  expect(await own.json("lifecycle")).toMatchObject({ digests: 1 });
});
