import { afterAll, beforeAll, expect, test, vi } from "vitest";
import { createDevices } from "./client-process.ts";
import { createBench, linksIn } from "./server-process.ts";

const bench = createBench();
const devices = createDevices();
/** A laptop of ada's, who owns the team. */
const ada = devices.device("ada");

interface Linked {
  readonly link: string;
}

interface Status {
  readonly user: { readonly id: string };
  readonly waiting: readonly { readonly name: string; readonly role: string }[];
  readonly namespaces: readonly { readonly name: string }[];
}

interface Members {
  readonly total: number;
  readonly waiting: readonly {
    readonly user: { readonly id: string; readonly name: string };
    readonly isSomebodyElse: boolean;
  }[];
}

beforeAll(async () => {
  const server = await bench.serve({ args: ["--port", "0", "--data-dir", bench.folder()] });
  await vi.waitUntil(() => linksIn(server.stdout()).length === 1);
  await ada.json("pair", linksIn(server.stdout())[0] ?? "", "--name", "ada-mbp", "--user", "ada");
  await ada.json("namespace", "create", "acme-core");
  await ada.json("save", "--namespace", "acme-core", "--title", "what acme knows");
  await ada.json("sync");
});

afterAll(async () => {
  await bench.clear();
  devices.clear();
});

async function invite(...options: readonly string[]): Promise<string> {
  return (await ada.json<Linked>("namespace", "invite", "acme-core", ...options)).link;
}

function namesOf({ namespaces }: Status): readonly string[] {
  return namespaces.map(({ name }) => name);
}

test("[CL47] who opens an invite for somebody waits, is told so, and syncs by itself once let in (abuse 98)", async () => {
  const bob = devices.device("bob");
  const link = await invite("--for", "grace", "--role", "writer");
  const paired = await bob.json<Status>("pair", link, "--name", "bob-tower", "--user", "bob");
  expect(paired.waiting).toMatchObject([{ name: "acme-core", role: "writer" }]);
  expect(namesOf(paired)).toEqual(["personal"]);
  const said = (await bob.run(["status"])).stdout;
  expect(said).toContain("waits for an admin of acme-core to let you in as writer");
  expect((await bob.run(["save", "--namespace", "acme-core", "--title", "x"])).code).not.toBe(0);
  const shown = await ada.run(["namespace", "members", "acme-core"]);
  expect(shown.stdout).toContain("waits to be let in as writer, 0m: bob-tower (");
  expect(shown.stdout).toContain("invited for grace by ada");
  expect(shown.stdout).toContain("warning: the invite was made for grace, and bob has opened it");
  const members = await ada.json<Members>("namespace", "members", "acme-core");
  expect(members).toMatchObject({ total: 1, waiting: [{ isSomebodyElse: true }] });
  await bob.json("sync");
  expect((await bob.json<{ total: number }>("list", "--all")).total).toBe(0);
  await ada.json("namespace", "confirm", "acme-core", "bob");
  expect((await ada.json<Members>("namespace", "members", "acme-core")).waiting).toEqual([]);
  await bob.json("sync");
  const after = await bob.json<Status>("status");
  expect([after.waiting, namesOf(after)]).toEqual([[], ["personal", "acme-core"]]);
  expect(await bob.json("list", "--all")).toMatchObject({ items: [{ title: "what acme knows" }] });
  expect((await ada.run(["audit", "--namespace", "acme-core"])).stdout).toMatch(
    /let bob in as writer[^]*bob opened an invite made for grace and waits to be let in as writer/,
  );
});

test("[CL47] who is sent away is told of no wait any more, and stays a person of the server", async () => {
  const eve = devices.device("eve");
  await eve.json("pair", await invite("--confirm"), "--name", "eve-pc", "--user", "eve");
  expect(await ada.error("namespace", "decline", "acme-core", "nobody")).toMatchObject({
    code: "unknown-user",
  });
  const { user } = await eve.json<Status>("status");
  await ada.json("namespace", "decline", "acme-core", user.id);
  await eve.json("sync");
  const after = await eve.json<Status>("status");
  expect([after.waiting, namesOf(after)]).toEqual([[], ["personal"]]);
  expect(await ada.error("namespace", "confirm", "acme-core", "eve")).toMatchObject({
    code: "unknown-user",
  });
});

test("[CL47] an invite without a word about it takes who opens it at once, as one by id takes its person", async () => {
  const zoe = devices.device("zoe");
  const paired = await zoe.json<Status>(
    "pair",
    await invite(),
    "--name",
    "zoe-pc",
    "--user",
    "zoe",
  );
  expect([paired.waiting, namesOf(paired)]).toEqual([[], ["personal", "acme-core"]]);
  await ada.json("namespace", "create", "side");
  const { id } = paired.user;
  const { link } = await ada.json<Linked>("namespace", "invite", "side", "--for", id);
  const again = await zoe.json<Status>("pair", link);
  expect(namesOf(again)).toContain("side");
});
