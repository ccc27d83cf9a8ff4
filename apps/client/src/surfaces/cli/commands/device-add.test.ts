import { fail, ok } from "@tidemark/protocol";
import { expect, test } from "vitest";
import type { CliDeps } from "../deps.ts";
import { runCli } from "../run-cli.ts";

const link = "https://tidemark.example/#j=0123456789abcdef.0123456789abcdefghijklmnop";
const binding = new Uint8Array([7]);
const made = { link, id: "0123456789abcdef", expiresAtMs: 1_790_000_000_000, binding };
const replica = { namespace: "ns_crew", name: "crew", kind: "team", status: "active" };

/** Runs the command line against a server that makes every link. */
async function run(
  given: {
    isOutTty?: boolean;
    width?: number;
    refusal?: string;
    hasSealed?: boolean;
    distrust?: string;
  },
  ...argv: readonly string[]
) {
  const asked: object[] = [];
  const kept: object[] = [];
  let out = "";
  let err = "";
  const answer = async (options: object) => {
    asked.push(options);
    const { refusal: code } = given;
    return code === undefined ? ok(made) : fail({ code, message: "no", hint: "no" });
  };
  const identity = { server: { id: "srv_1", url: "https://tidemark.example" } };
  const deps = {
    io: {
      out: (text: string) => (out += text),
      err: (text: string) => (err += text),
      isOutTty: given.isOutTty ?? false,
      width: given.width ?? 80,
    },
    version: "0.0.0",
    signal: new AbortController().signal,
    memory: () => ({
      store: {
        replicas: {
          replicas: () => [replica],
          replica: () => undefined,
          sealing: () =>
            given.hasSealed === true ? { hasKey: true, trouble: given.distrust } : undefined,
        },
        bindings: { personal: () => "ns_p" },
      },
    }),
    server: async () => ({
      identity,
      accounts: { addDevice: answer, addMachines: answer, addJobs: answer },
      linkBook: () => ({ keep: (one: object) => kept.push(one) }),
    }),
  };
  const exit = await runCli(deps as unknown as CliDeps, ["device", "add", ...argv]);
  return { exit, out, err, asked, kept };
}

test("[EE21] a link to one's own device is kept with what it vouches by, and says what opens there", async () => {
  const { kept, out } = await run({ hasSealed: true });
  expect(kept).toEqual([{ id: made.id, side: "made", binding, lifeMs: 600_000 }]);
  expect(out).toContain("encrypted namespaces open there too");
  const long = await run({ hasSealed: true }, "--ttl", "2h");
  expect(long.kept).toMatchObject([{ lifeMs: 7_200_000 }]);
  expect(long.out).toContain("opens no encrypted namespace: `tidemark namespace admit`");
  expect((await run({})).out).not.toContain("encrypted");
  expect((await run({}, "--ci", "--namespace", "crew")).kept).toEqual([]);
  expect((await run({ hasSealed: true }, "--json")).out).not.toContain("binding");
});

test("[EE29] a device whose log is not believed promises no newcomer that anything opens there", async () => {
  const { exit, out } = await run({ hasSealed: true, distrust: "another log" });
  expect([exit, out.includes(link), out.includes("encrypted")]).toEqual([0, true, false]);
});

test("[PR13] the link is drawn on a terminal that is wide enough, and nowhere else", async () => {
  const drawn = await run({ isOutTty: true });
  expect(drawn.out).toContain(`  tidemark pair '${link}'\n`);
  expect(drawn.out).toMatch(/\n█{30,}\n/u);
  for (const [given, argv] of [
    [{ isOutTty: true }, ["--no-qr"]],
    [{ isOutTty: true }, ["--json"]],
    [{ isOutTty: true, width: 30 }, []],
    [{}, []],
  ] as const) {
    const plain = await run(given, ...argv);
    expect(plain.out).toContain(link);
    expect(plain.out).not.toContain("█");
  }
  expect(JSON.parse((await run({}, "--json")).out)).toEqual({
    link,
    id: made.id,
    expiresAt: made.expiresAtMs,
  });
});

test("[PR8] a link for machines says what it allows, and is asked for whole", async () => {
  const plain = await run({}, "--ci", "--namespace", "crew");
  expect(plain.asked).toEqual([{ namespace: "ns_crew", role: "writer", uses: 20 }]);
  expect(plain.out).toContain("on 20 machines");
  const whole = ["--role", "reader", "--uses", "3", "--ttl", "30d", "--name", "box.eu"];
  expect((await run({}, "--ci", "-n", "crew", ...whole)).asked).toEqual([
    {
      namespace: "ns_crew",
      role: "reader",
      uses: 3,
      ttlSeconds: 2_592_000,
      namePrefix: "box.eu",
    },
  ]);
});

test("[PR14] a link for machines may name networks, and says that it works from there alone", async () => {
  const from = ["--from", "10.0.0.0/8", "--from", "2001:db8::/32"];
  const bound = await run({}, "--ci", "-n", "crew", ...from);
  const networks = ["10.0.0.0/8", "2001:db8::/32"];
  expect(bound.asked).toEqual([{ namespace: "ns_crew", role: "writer", uses: 20, networks }]);
  expect(bound.out).toContain("works from 10.0.0.0/8, 2001:db8::/32 alone:");
  const json = await run({}, "--ci", "-n", "crew", "--from", "203.0.113.7", "--json");
  expect(JSON.parse(json.out)).toMatchObject({ networks: ["203.0.113.7"] });
  for (const wrong of ["10.0.0.0/33", "everyone", "10.0.0", "", "::1/129"]) {
    const refused = await run({}, "--ci", "-n", "crew", "--from", "10.0.0.0/8", "--from", wrong);
    expect(refused).toMatchObject({ exit: 2, asked: [] });
    expect(refused.err).toContain("hint: give addresses or networks such as");
  }
  const many = Array.from({ length: 17 }, (_, at) => ["--from", `10.0.0.${at}`]).flat();
  expect(await run({}, "--ci", "-n", "crew", ...many)).toMatchObject({ exit: 2, asked: [] });
  expect(await run({}, "--from", "10.0.0.0/8")).toMatchObject({ exit: 2, asked: [] });
});

test("[PR8] what a link for machines cannot be is told before the server is asked", async () => {
  for (const argv of [
    ["--ci"],
    ["--ci", "-n", "crew", "--role", "admin"],
    ["--ci", "-n", "crew", "--uses", "101"],
    ["--ci", "-n", "crew", "--ttl", "31d"],
    ["--ci", "-n", "crew", "--name", "a b"],
    ["--namespace", "crew"],
    ["--uses", "2"],
  ]) {
    expect(await run({}, ...argv)).toMatchObject({ exit: 2, asked: [] });
  }
  expect(await run({}, "--ci", "-n", "nowhere")).toMatchObject({ exit: 1, asked: [] });
  const refused = await run({ refusal: "forbidden" }, "--ci", "-n", "crew");
  expect(refused.err).toContain("machines cannot have more than your own role");
});

const hub = ["--ci", "-n", "crew", "--oidc", "github", "--repo", "acme/app"];

test("[PR15] a rule for jobs is asked for whole, and says what a job runs; there is no link to keep", async () => {
  const plain = await run({}, ...hub);
  expect(plain.asked).toEqual([
    { namespace: "ns_crew", role: "writer", job: { provider: "github", repository: "acme/app" } },
  ]);
  expect(plain.out).toContain("jobs of github acme/app come in until");
  expect(plain.out).toContain("  tidemark pair https://tidemark.example --oidc\n");
  expect(plain.out).not.toContain(link);
  const place = ["--repo-id", "11", "--ref", "main", "--environment", "prod", "--role", "reader"];
  const own = ["--issuer", "https://ghe.example/t", "--ttl", "365d", "--from", "10.0.0.0/8"];
  expect((await run({}, ...hub, ...place, ...own)).asked).toEqual([
    {
      namespace: "ns_crew",
      role: "reader",
      ttlSeconds: 31_536_000,
      networks: ["10.0.0.0/8"],
      job: {
        provider: "github",
        issuer: "https://ghe.example/t",
        repository: "acme/app",
        repositoryId: "11",
        ref: "refs/heads/main",
        environment: "prod",
      },
    },
  ]);
  const tag = await run({}, ...hub, "--ref", "refs/tags/v1", "--json");
  expect(tag.asked).toMatchObject([{ job: { ref: "refs/tags/v1" } }]);
  expect(JSON.parse(tag.out)).toEqual({
    id: made.id,
    expiresAt: made.expiresAtMs,
    namespace: "ns_crew",
    role: "writer",
    job: { provider: "github", repository: "acme/app", ref: "refs/tags/v1" },
    server: "https://tidemark.example",
  });
});

test("[PR15] what a rule for jobs cannot be is told before the server is asked", async () => {
  for (const argv of [
    hub.filter((word) => word !== "--ci"),
    ["--ci", "--oidc", "github", "--repo", "acme/app"],
    ["--ci", "-n", "crew", "--oidc", "jenkins", "--repo", "acme/app"],
    ["--ci", "-n", "crew", "--oidc", "github"],
    ["--ci", "-n", "crew", "--repo", "acme/app"],
    ["--ci", "-n", "crew", "--oidc", "github", "--repo", "acme"],
    ["--ci", "-n", "crew", "--oidc", "github", "--repo", "acme/*"],
    [...hub, "--repo-id", "eleven"],
    [...hub, "--ref", "refs/pull/1/merge"],
    [...hub, "--role", "admin"],
    [...hub, "--uses", "3"],
    [...hub, "--name", "box"],
    [...hub, "--ephemeral"],
    [...hub, "--ttl", "366d"],
    [...hub, "--from", "everyone"],
  ]) {
    expect([argv, await run({}, ...argv)]).toMatchObject([argv, { exit: 2, asked: [] }]);
  }
});

test("[PR17] machines that go by themselves are asked for, and are machines", async () => {
  const brief = await run({}, "--ci", "-n", "crew", "--ephemeral", "--json");
  expect(brief.asked).toEqual([
    { namespace: "ns_crew", role: "writer", uses: 20, ephemeral: true },
  ]);
  expect(JSON.parse(brief.out)).toMatchObject({ ephemeral: true });
  expect(await run({}, "--ephemeral")).toMatchObject({ exit: 2, asked: [] });
});
