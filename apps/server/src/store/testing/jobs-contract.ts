import type { DeviceId, NamespaceId, UserId } from "@tidemark/protocol";
import { expect, test } from "vitest";
import type { AccountStore, LinkRow } from "../accounts-port.ts";
import type { Job } from "../jobs-port.ts";
import { listedOutMax } from "../admission-rules.ts";
import { machineSilenceMsMax, machinesOfRuleMax } from "../job-rules.ts";
import type { ContractWorld } from "./pairing-contract.ts";

const laptop = "dev_laptop" as DeviceId;
const owner = "usr_owner" as UserId;
const network = "203.0.113.0/24";

const job: Job = {
  provider: "github",
  issuer: "https://ci.example",
  repository: "Acme/app",
  repositoryId: "11",
  ref: "refs/heads/main",
  environment: undefined,
};

function rule(namespace: NamespaceId, id: string, given: Partial<LinkRow> = {}): LinkRow {
  return {
    id,
    kind: "ci",
    authHash: "auth",
    createdBy: owner,
    createdByDevice: laptop,
    namespace,
    role: "writer",
    expiresAtMs: 1e12,
    usesMax: 1_000_000,
    ephemeral: true,
    job: { provider: "github", issuer: job.issuer, repository: "acme/app" },
    ...given,
  };
}

/** Machines of CI jobs, which come without a secret and go by themselves: what every store does. */
export function jobsContract(world: ContractWorld): void {
  const opened = async (given: Partial<LinkRow> = {}) => {
    const store = await world.claimed();
    const { accounts } = store;
    const namespace = await world.team(accounts);
    await accounts.createLink(rule(namespace, "rule1", given));
    return { store, accounts, namespace };
  };
  const admit = (
    accounts: AccountStore,
    name: string,
    given: Partial<Parameters<AccountStore["admitJob"]>[0]> = {},
  ) =>
    accounts.admitJob({
      job,
      tokenHash: `token of ${name}`,
      tokenEndsAtMs: 1_000,
      link: undefined,
      device: world.device(name),
      nowMs: 100,
      network,
      ...given,
    });
  const refused = (kind: string) => ({ ok: false, error: { kind } });
  const audited = async (accounts: AccountStore, namespace: NamespaceId) => {
    const query = { asking: laptop, namespace, before: undefined, limit: 100 };
    const page = await accounts.audit(query);
    return page.ok ? page.value.items : [];
  };

  test("[PR15] a job comes in by the rule that names it, as a machine of that namespace and role", async () => {
    const { store, accounts, namespace } = await opened();
    expect(await admit(accounts, "box")).toMatchObject({
      ok: true,
      value: { user: { id: owner } },
    });
    const box = "dev_box" as DeviceId;
    expect(await accounts.device(box)).toMatchObject({ kind: "ci", status: "active" });
    const access = await store.readNamespace(namespace, (tx) => tx.access(box));
    expect(access).toEqual({ user: owner, role: "writer" });
    expect(await accounts.devices(laptop)).toContainEqual(
      expect.objectContaining({ id: box, link: "rule1", ephemeral: true, roleMax: "writer" }),
    );
    const [listed] = await accounts.links(laptop, 100);
    expect(listed).toMatchObject({ id: "rule1", status: "open", uses: 1, devices: 1 });
    // The first job has told the repository's number.
    expect(listed?.job).toEqual({ ...rule(namespace, "rule1").job, repositoryId: "11" });
    const [entry] = await audited(accounts, namespace);
    expect(entry).toMatchObject({
      event: "device-joined",
      target: box,
      details: { by: "job", link: "rule1", job: "Acme/app refs/heads/main" },
    });
    // Hundreds a day are no news to their person.
    expect(JSON.stringify(await accounts.news(laptop))).not.toContain("box");
  });

  test("[PR15] what a rule names has to be the same in the token, and another repository of its name inherits nothing", async () => {
    const { accounts, namespace } = await opened({
      job: {
        provider: "github",
        issuer: job.issuer,
        repository: "acme/app",
        ref: "refs/heads/main",
        environment: "prod",
      },
    });
    const inside = { ...job, environment: "prod" };
    for (const other of [
      { ...inside, issuer: "https://other.example" },
      { ...inside, provider: "gitlab" as const },
      { ...inside, repository: "acme/app2" },
      { ...inside, ref: "refs/heads/main2" },
      { ...inside, ref: "refs/tags/main" },
      { ...inside, environment: undefined },
      { ...inside, environment: "PROD" },
    ]) {
      expect(await admit(accounts, "box", { job: other })).toEqual(refused("no-rule"));
    }
    expect(await admit(accounts, "box", { job: inside })).toMatchObject({ ok: true });
    const remade = { ...inside, repositoryId: "12" };
    expect(await admit(accounts, "thief", { job: remade })).toEqual(refused("no-rule"));
    expect(await admit(accounts, "thief2", { job: remade })).toEqual(refused("no-rule"));
    expect(await accounts.devices(laptop)).toHaveLength(2);
    const told = (await audited(accounts, namespace)).filter(
      ({ event }) => event === "link-refused",
    );
    expect(told).toMatchObject([{ target: "rule1", network, about: { id: owner } }]);
  });

  test("[PR15] of two repositories of one name that come at once, one is the rule's", async () => {
    const { accounts } = await opened();
    const ids = ["11", "12", "13", "14"];
    const ends = await Promise.all(
      ids.map((repositoryId) =>
        admit(accounts, `box${repositoryId}`, { job: { ...job, repositoryId } }),
      ),
    );
    expect(ends.filter(({ ok }) => ok)).toHaveLength(1);
    expect(ends.filter(({ ok }) => !ok)).toEqual(
      Array.from({ length: 3 }, () => refused("no-rule")),
    );
    const bound = ids[ends.findIndex(({ ok }) => ok)];
    const [listed] = await accounts.links(laptop, 100);
    expect(listed?.job?.repositoryId).toBe(bound);
  });

  test("[PR15] a rule dies with its time, its maker's device and its maker's right to administer", async () => {
    const { accounts, namespace } = await opened({ expiresAtMs: 101 });
    expect(await admit(accounts, "late", { nowMs: 101 })).toEqual(refused("no-rule"));
    await accounts.createLink({
      ...world.link("inv_bob", "invite"),
      namespace,
      role: "admin",
      expiresAtMs: 1e12,
    });
    await accounts.redeemLink({
      id: "inv_bob",
      authHash: "auth",
      mac: "mac",
      nowMs: 60,
      device: world.device("bob"),
      user: world.user("bob"),
    });
    const bob = { createdBy: "usr_bob" as UserId, createdByDevice: "dev_bob" as DeviceId };
    await accounts.createLink(rule(namespace, "rule2", bob));
    expect(await admit(accounts, "one", { nowMs: 200 })).toMatchObject({ ok: true });
    const asOwner = { device: laptop, namespace };
    await accounts.setRole(asOwner, bob.createdBy, "writer");
    expect(await admit(accounts, "two", { nowMs: 200 })).toEqual(refused("no-rule"));
    await accounts.setRole(asOwner, bob.createdBy, "admin");
    expect(await admit(accounts, "two", { nowMs: 200 })).toMatchObject({ ok: true });
    const end = { asking: laptop, id: "rule2", withDevices: true, network, nowMs: 201 };
    expect((await accounts.revokeLink(end))?.toSorted()).toEqual(["dev_one", "dev_two"]);
    expect(await admit(accounts, "three", { nowMs: 202 })).toEqual(refused("no-rule"));
  });

  test("[PR15] of several rules that take a job one is named; a rule for networks is one there alone", async () => {
    const { accounts, namespace } = await opened();
    await accounts.createLink(
      rule(namespace, "rule2", { role: "reader", networks: ["10.0.0.0/8"] }),
    );
    expect(await admit(accounts, "box")).toEqual(refused("several-rules"));
    const named = { link: "rule2" };
    expect(await admit(accounts, "box", { ...named, address: "11.0.0.1" })).toEqual(
      refused("no-rule"),
    );
    expect(await admit(accounts, "box", { ...named, address: "10.0.0.1" })).toMatchObject({
      ok: true,
    });
    expect(await accounts.device("dev_box" as DeviceId)).toMatchObject({
      networks: ["10.0.0.0/8"],
    });
    expect(await admit(accounts, "other", { link: "rule3" })).toEqual(refused("no-rule"));
  });

  test("[PR15] no secret opens a rule, and no guess ends it", async () => {
    const { accounts } = await opened();
    const redeem = (authHash: string) =>
      accounts.redeemLink({
        id: "rule1",
        authHash,
        mac: "mac",
        nowMs: 100,
        device: world.device("box"),
        user: undefined,
      });
    for (let guess = 0; guess < 12; guess += 1) {
      expect(await redeem(guess === 0 ? "auth" : "wrong")).toEqual(refused("invalid-or-expired"));
    }
    expect(await admit(accounts, "box")).toMatchObject({ ok: true });
  });

  test("[PR16] a token lets one key in, also at one moment; the same key is told the same again", async () => {
    const { accounts } = await opened();
    const shown = { tokenHash: "one token" };
    const ends = await Promise.all(["a", "b", "c"].map((name) => admit(accounts, name, shown)));
    expect(ends.filter(({ ok }) => ok)).toHaveLength(1);
    expect(ends.filter(({ ok }) => !ok)).toEqual([refused("token-used"), refused("token-used")]);
    const [winner] = ends.flatMap((end) => (end.ok ? [end.value] : []));
    const name = winner?.device.name ?? "";
    const again = await admit(accounts, name, { ...shown, nowMs: 120 });
    expect(again).toEqual({ ok: true, value: winner });
    expect(await accounts.devices(laptop)).toHaveLength(2);
    expect(await admit(accounts, name, { tokenHash: "another" })).toEqual(refused("key-in-use"));
    // Until it is refused for its age, and no longer.
    await accounts.expireMachines(999);
    expect(await admit(accounts, "thief", shown)).toEqual(refused("token-used"));
    await accounts.expireMachines(1_000);
    expect(await admit(accounts, "later", shown)).toMatchObject({ ok: true });
  });

  test("[PR15] a rule has so many machines at once, and its person's own devices find room", async () => {
    const { accounts } = await opened();
    for (let count = 0; count < machinesOfRuleMax; count += 1) {
      expect((await admit(accounts, `box${count}`)).ok).toBe(true);
    }
    expect(await admit(accounts, "more")).toEqual(refused("too-many-devices"));
    await accounts.revokeDevice({ asking: laptop, id: "dev_box0" as DeviceId });
    expect(await admit(accounts, "more")).toMatchObject({ ok: true });
  });

  test("[PR29] of machines that are out the newest are listed, with all devices that are in and one's own", async () => {
    const { accounts } = await opened();
    const count = listedOutMax + 2;
    const lost = { ...rule("" as NamespaceId, "own"), kind: "device" as const, job: undefined };
    const own = { namespace: undefined, role: undefined, ephemeral: undefined, usesMax: undefined };
    await accounts.createLink({ ...lost, ...own });
    const opening = { id: "own", authHash: "auth", mac: "mac", nowMs: 90, user: undefined };
    expect((await accounts.redeemLink({ ...opening, device: world.device("lost") })).ok).toBe(true);
    await accounts.revokeDevice({ asking: laptop, id: "dev_lost" as DeviceId });
    for (let at = 0; at < count; at += 1) {
      expect((await admit(accounts, `job${at}`, { nowMs: 100 + at })).ok).toBe(true);
    }
    await accounts.expireMachines(100 + machineSilenceMsMax + count);
    const nowMs = 100 + machineSilenceMsMax + count;
    expect((await admit(accounts, "fresh", { nowMs, tokenEndsAtMs: nowMs + 1 })).ok).toBe(true);
    const listed = (await accounts.devices(laptop)).map(({ name }) => name);
    const out = Array.from({ length: count - 3 }, (_, index) => `job${index + 3}`);
    expect(new Set(listed)).toEqual(new Set(["fresh", "laptop", "lost", ...out]));
    // In the order in which they came.
    expect(listed.filter((name) => name.startsWith("job"))).toEqual(out);
  });

  test("[PR17] a machine that may not stay is gone a day after it was last heard of (abuse 38)", async () => {
    const { accounts, namespace } = await opened();
    const shortLived = { job: undefined, usesMax: 5 };
    await accounts.createLink(rule(namespace, "fleet", shortLived));
    await accounts.createLink(rule(namespace, "lasting", { ...shortLived, ephemeral: false }));
    await admit(accounts, "job");
    for (const [id, name] of [
      ["fleet", "brief"],
      ["fleet", "heard"],
      ["lasting", "stays"],
    ] as const) {
      const joined = await accounts.redeemLink({
        id,
        authHash: "auth",
        mac: "mac",
        nowMs: 100,
        device: world.device(name),
        user: undefined,
      });
      expect(joined.ok).toBe(true);
    }
    await accounts.touchDevice("dev_heard" as DeviceId, 200);
    expect(await accounts.expireMachines(100 + machineSilenceMsMax - 1)).toEqual([]);
    const gone = await accounts.expireMachines(100 + machineSilenceMsMax);
    expect(gone.toSorted()).toEqual(["dev_brief", "dev_job"]);
    expect(await accounts.expireMachines(100 + machineSilenceMsMax)).toEqual([]);
    const status = async (id: string) => (await accounts.device(id as DeviceId))?.status;
    expect([await status("dev_job"), await status("dev_stays")]).toEqual(["revoked", "active"]);
    const told = (await audited(accounts, namespace)).filter(
      ({ event }) => event === "device-expired",
    );
    expect(new Set(told.map(({ target }) => target))).toEqual(new Set(["dev_brief", "dev_job"]));
    expect(told).toHaveLength(2);
    expect((await accounts.verifyAudit()).brokenAt).toBeUndefined();
  });

  test("[ST21] pages say which writers are machines", async () => {
    const { store, accounts, namespace } = await opened();
    await admit(accounts, "box");
    const told = await store.writeNamespace(namespace, async (tx) => {
      const row = { acked: 0, chain: "c", since: 0, results: [] };
      await tx.saveWriters([
        { ...row, writer: "w1" as never, device: laptop },
        { ...row, writer: "w2" as never, device: "dev_box" as DeviceId },
      ]);
      return await tx.writers(["w1", "w2"] as never);
    });
    expect(told?.map(({ device, machine }) => [device, machine])).toEqual([
      [laptop, undefined],
      ["dev_box", true],
    ]);
  });
}
