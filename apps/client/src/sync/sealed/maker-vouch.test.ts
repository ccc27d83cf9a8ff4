import { expect, test } from "vitest";
import type { LogDevice, LogState, NamespaceId, UserId } from "@tidemark/protocol";
import type { SealingDevice } from "@tidemark/protocol/wire";
import { newDeviceKey, thumbprintOf } from "../../platform/device-key.ts";
import { hmacSha256, sha256 } from "../../platform/hash.ts";
import { epochSecretOf, sealingKeyOf } from "../../platform/sealing-key.ts";
import { linkMac } from "../access/link-secrets.ts";
import { makeStatement, type StatedVouch } from "./device-statement.ts";
import { createLinkBook, type LinkBook, type NewLink } from "./link-book.ts";
import { isLetInByMaker, makerVouches } from "./maker-vouch.ts";

const user = "usr_ada" as UserId;
const binding = sha256("what the two devices have");
const link: Pick<NewLink, "id" | "binding"> = { id: "link1", binding };

function device(id: string) {
  const key = newDeviceKey();
  const sealing = sealingKeyOf(key.privateJwk());
  const keys = { device: id, user: user as string, sig: key.publicJwk.x, enc: sealing.x };
  return {
    key,
    keys,
    self: {
      keys,
      sign: { ...key.privateJwk() },
      open: { ...sealing },
      epochSecret: epochSecretOf(key.privateJwk()),
    },
  };
}

const maker = device("dev_maker");
const newcomer = device("dev_new");
const rogue = device("dev_rogue");

function book(serverId = "srv_a", nowMs = 1_000): LinkBook {
  const facts = new Map<string, string | undefined>();
  return createLinkBook({
    facts: {
      meta: (key) => facts.get(key),
      changeMeta: (key, change) => facts.set(key, change(facts.get(key))),
    },
    clock: { nowMs: () => nowMs },
    serverId,
  });
}

function made(kept: Partial<NewLink> = {}, links = book()): readonly StatedVouch[] {
  links.keep({ ...link, side: "made", lifeMs: 600_000, ...kept });
  return makerVouches({ hmacSha256, links }, maker.keys);
}

function logOf(...devices: readonly LogDevice[]): LogState {
  return {
    namespace: "nse_x" as NamespaceId,
    head: "h",
    length: devices.length,
    devices: new Map(devices.map((one) => [one.device, one])),
    epoch: 1,
    epochs: new Map(),
    isRotationDue: false,
  };
}

const inLog = (keys: typeof maker.keys, by: string, isRemoved = false): LogDevice => ({
  ...keys,
  role: "admin",
  wasAdmin: true,
  isRemoved,
  by,
});

interface Told {
  readonly by?: typeof maker;
  readonly vouches?: readonly StatedVouch[];
  readonly enc?: string;
  readonly id?: string;
  readonly user?: UserId;
}

async function told({ by = maker, vouches = made(), ...other }: Told = {}): Promise<SealingDevice> {
  const { id = by.keys.device, user: whose = user, enc = by.keys.enc } = other;
  const stated = { device: id, user: whose, enc };
  const sealingKey = await makeStatement(by.self.sign, stated, vouches);
  return { id, name: "laptop", user: whose, userName: "Ada", key: by.key.publicJwk, sealingKey };
}

/** Whether the newcomer takes what a log lets it in to. */
async function isTaken(
  log: LogState,
  devices: readonly SealingDevice[],
  links = book(),
): Promise<boolean> {
  links.keep({ ...link, side: "opened", lifeMs: 0 });
  return await isLetInByMaker({ hmacSha256, links, self: newcomer.self }, log, { devices });
}

const wanted = logOf(
  inLog(maker.keys, "dev_maker"),
  inLog(newcomer.keys, "dev_maker"),
  inLog(rogue.keys, "dev_maker"),
);

test("[EE22] what the device that made the link lets the newcomer in to counts as asked for", async () => {
  expect(await isTaken(wanted, [await told()])).toBe(true);
});

test("[EE22] a log in which somebody else lets the newcomer in does not, though the maker is in it", async () => {
  const own = logOf(
    inLog(rogue.keys, "dev_rogue"),
    inLog(maker.keys, "dev_rogue"),
    inLog(newcomer.keys, "dev_rogue"),
  );
  const devices = [await told(), await told({ by: rogue })];
  expect(await isTaken(own, devices)).toBe(false);
  // Not even where that device repeats what the maker said.
  expect(await isTaken(own, [await told({ by: rogue, id: "dev_rogue" })])).toBe(false);
});

test("[EE22] another key than the one vouched for does not, under the maker's name either", async () => {
  const posed = { ...rogue.keys, device: "dev_maker" };
  const log = logOf(inLog(posed, "dev_maker"), inLog(newcomer.keys, "dev_maker"));
  expect(await isTaken(log, [await told({ by: rogue, id: "dev_maker" })])).toBe(false);
  const other = logOf(inLog({ ...maker.keys, enc: rogue.keys.enc }, "dev_maker"), inLog(newcomer.keys, "dev_maker")); // prettier-ignore
  expect(await isTaken(other, [await told()])).toBe(false);
  const stated = await told({ enc: rogue.keys.enc });
  expect(await isTaken(other, [stated])).toBe(false);
});

test("[EE22] neither a maker that is out, nor one of another person, nor a newcomer that is out counts", async () => {
  const out = logOf(inLog(maker.keys, "dev_maker", true), inLog(newcomer.keys, "dev_maker"));
  expect(await isTaken(out, [await told()])).toBe(false);
  const gone = logOf(inLog(maker.keys, "dev_maker"), inLog(newcomer.keys, "dev_maker", true));
  expect(await isTaken(gone, [await told()])).toBe(false);
  const theirs = "usr_bob" as UserId;
  const bobs = { ...maker.keys, user: theirs };
  const vouches = makerVouches({ hmacSha256, links: keeping() }, bobs);
  const log = logOf(inLog(bobs, "dev_maker"), inLog(newcomer.keys, "dev_maker"));
  expect(await isTaken(log, [await told({ user: theirs, vouches })])).toBe(false);
  expect(await isTaken(logOf(inLog(maker.keys, "dev_maker")), [await told()])).toBe(false);
});

function keeping(): LinkBook {
  const links = book();
  links.keep({ ...link, side: "made", lifeMs: 600_000 });
  return links;
}

test("[EE22] nothing is vouched for by another link, another server's, or what a newcomer says", async () => {
  expect(await isTaken(wanted, [await told({ vouches: [] })])).toBe(false);
  expect(await isTaken(wanted, [])).toBe(false);
  const other = made({ binding: sha256("another") });
  expect(await isTaken(wanted, [await told({ vouches: other })])).toBe(false);
  const mac = made({ id: "link2" })[0]?.mac ?? "";
  expect(await isTaken(wanted, [await told({ vouches: [{ link: "link1", mac }] })])).toBe(false);
  const elsewhere = made({}, book("srv_b"));
  expect(await isTaken(wanted, [await told({ vouches: elsewhere })])).toBe(false);
  const thumbprint = thumbprintOf(maker.keys.sig);
  const reflected = linkMac({ hmacSha256 }, binding, { thumbprint, name: "n", serverId: "srv_a" });
  expect(await isTaken(wanted, [await told({ vouches: [{ link: "link1", mac: reflected }] })])).toBe(false); // prettier-ignore
});

test("[EE22] a device that made the link itself asks for nothing by it", async () => {
  const links = keeping();
  const answer = { devices: [await told()] };
  expect(await isLetInByMaker({ hmacSha256, links, self: newcomer.self }, wanted, answer)).toBe(
    false,
  );
});

test("[EE22] what a server makes of the vouching part changes nothing of the keys that are stated", async () => {
  const strange = [7, { link: 1 }, null, { link: "link1" }] as unknown as readonly StatedVouch[];
  expect(await isTaken(wanted, [await told({ vouches: strange })])).toBe(false);
  expect(makerVouches({ hmacSha256, links: book() }, maker.keys)).toEqual([]);
  expect(made({ lifeMs: 3_600_001 })).toEqual([]);
});
