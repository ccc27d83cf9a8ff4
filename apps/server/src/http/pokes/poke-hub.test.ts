import type { DeviceId, NamespaceId, UserId } from "@tidemark/protocol";
import { expect, test } from "vitest";
import { serverLimits } from "../../limits.ts";
import { createPokeHub, type PokeHub, type StreamOwner } from "./poke-hub.ts";

const { ofDeviceMax, ofPersonMax, inAllMax } = serverLimits.pokes;

function owner(device: string, user: string): StreamOwner {
  return { id: device as DeviceId, user: user as UserId };
}

function openMany(hub: PokeHub, count: number, of: (at: number) => StreamOwner): readonly string[] {
  return Array.from({ length: count }, (_, at) => {
    const opened = hub.open(of(at));
    return opened.ok ? "open" : opened.error;
  });
}

test("[WR18] a device has two streams, and a new one ends its oldest (abuse 131)", async () => {
  const hub = createPokeHub();
  const streams = Array.from({ length: ofDeviceMax + 1 }, () => hub.open(owner("d", "u")));
  hub.ping();
  const events = await Promise.all(streams.map(async (at) => (at.ok ? await at.value.next() : "")));
  expect(events).toEqual(["end", ...Array.from({ length: ofDeviceMax }, () => "ping")]);
});

test("[WR18] a person's devices have fifty streams, and others are not held up (abuse 131)", () => {
  const hub = createPokeHub();
  const opened = openMany(hub, ofPersonMax + 1, (at) => owner(`d${at}`, "u"));
  expect(opened.slice(0, -1).every((answer) => answer === "open")).toBe(true);
  expect(opened.at(-1)).toBe("rate-limited");
  expect(hub.open(owner("other", "v")).ok).toBe(true);
  hub.endDevice("d7" as DeviceId);
  expect(hub.open(owner("later", "u")).ok).toBe(true);
  // A device that comes back takes its own place.
  expect(openMany(hub, 3, () => owner("d1", "u"))).toEqual(["open", "open", "open"]);
  expect(hub.open(owner("later still", "u"))).toEqual({ ok: false, error: "rate-limited" });
});

test("[WR18] a process has two thousand streams (abuse 131)", () => {
  const hub = createPokeHub();
  const opened = openMany(hub, inAllMax + 1, (at) => owner(`d${at}`, `u${at}`));
  expect(opened.slice(0, -1).every((answer) => answer === "open")).toBe(true);
  expect(opened.at(-1)).toBe("unavailable");
});

test("[WR18] of a stream that nobody reads, each namespace waits once (abuse 131)", async () => {
  const hub = createPokeHub();
  const opened = hub.open(owner("d", "u"));
  if (!opened.ok) throw new Error(opened.error);
  const id = "ns_a" as NamespaceId;
  opened.value.follow([{ id, head: 0 }]);
  for (let head = 1; head <= 100_000; head += 1) {
    hub.headMoved(id, head);
    hub.ping();
  }
  expect(await opened.value.next()).toEqual({ namespace: id, head: 100_000 });
  expect(await opened.value.next()).toBe("ping");
  opened.value.end();
  expect(await opened.value.next()).toBe("end");
});
