import type { LogDevice, LogRole, LogState, NamespaceId } from "@tidemark/protocol";
import { expect, test } from "vitest";
import { peopleOf, roleFor } from "./letting-in.ts";
import type { Holder } from "./own-keys.ts";

function member(device: string, user: string, role: LogRole, isRemoved = false): LogDevice {
  return { device, user, role, isRemoved, wasAdmin: role === "admin", sig: "s", enc: "e", by: "dev_a" }; // prettier-ignore
}

const devices = [
  member("dev_a", "usr_a", "admin"),
  member("rec_a", "usr_a", "admin"),
  member("dev_b", "usr_b", "admin"),
  member("dev_b2", "usr_b", "member"),
  member("dev_c", "usr_c", "member"),
  member("rec_c", "usr_c", "admin"),
  member("dev_d", "usr_d", "admin", true),
];

const log: LogState = {
  namespace: "nse_a" as NamespaceId,
  head: "h",
  length: devices.length,
  devices: new Map(devices.map((each) => [each.device, each])),
  epoch: 1,
  epochs: new Map(),
  isRotationDue: false,
};

const holder = (device: string) => ({ keys: { device } }) as Holder;

test("[EE25] an admin is who has a device in that may let others in; a recovery code is nobody's", () => {
  expect([...peopleOf(log)]).toEqual([
    ["usr_a", "admin"],
    ["usr_b", "admin"],
    ["usr_c", "member"],
  ]);
});

test("[EE25] a device comes in with its person's right, where who lets it in may give that", () => {
  expect(roleFor(log, holder("dev_a"), "usr_b")).toBe("admin");
  expect(roleFor(log, holder("dev_a"), "usr_c")).toBe("member");
  expect(roleFor(log, holder("dev_a"), "usr_new")).toBe("member");
  // A member's device lets in others of its person, one of which is an admin's, as members.
  expect(roleFor(log, holder("dev_b2"), "usr_b")).toBe("member");
});
