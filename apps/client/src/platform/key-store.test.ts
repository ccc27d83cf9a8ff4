import { chmodSync, mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fail, ok } from "@tidemark/protocol";
import { afterEach, beforeEach, expect, test } from "vitest";
import { newDeviceKey } from "./device-key.ts";
import { readKeyPlace } from "./key-file.ts";
import { loadKey, loadOrMakeKey, moveKey, renewKey, type KeyStoreDeps } from "./key-store.ts";
import type { Keychain, KeychainFailure } from "./keychain/keychain.ts";

let path = "";
beforeEach(() => {
  path = join(mkdtempSync(join(tmpdir(), "tidemark-key-")), "device.key");
});
afterEach(() => {
  rmSync(join(path, ".."), { recursive: true, force: true });
});

/** A keychain in memory. `before` and `after` run around the effect of each call. */
function memoryKeychain(
  options: {
    readonly unfit?: KeychainFailure;
    readonly before?: () => KeychainFailure | undefined;
    readonly after?: () => void;
  } = {},
) {
  const entries = new Map<string, string>();
  const call = <T>(act: () => T) => {
    const why = options.before?.();
    if (why !== undefined) return Promise.resolve(fail(why));
    const value = act();
    options.after?.();
    return Promise.resolve(ok(value));
  };
  const keychain: Keychain = {
    unfit: options.unfit,
    keep: (account, secret) => call(() => void entries.set(account, secret)),
    read: (account) => call(() => entries.get(account)),
    remove: (account) => call(() => void entries.delete(account)),
  };
  return { entries, keychain };
}

function depsOf(keychain: Keychain): KeyStoreDeps {
  return { path, keychain, inTurn: (work) => work() };
}

async function thumbprintOf(keychain: Keychain): Promise<string | undefined> {
  const key = await loadKey(depsOf(keychain));
  return key.ok ? key.value?.thumbprint : undefined;
}

test("[OPS48] a new key goes into the keychain, and the file only names it", async () => {
  const { entries, keychain } = memoryKeychain();
  expect(await loadKey(depsOf(keychain))).toEqual({ ok: true, value: undefined });
  const made = await loadOrMakeKey(depsOf(keychain));
  const again = await loadOrMakeKey(depsOf(keychain));
  expect(made.ok && again.ok && again.value.thumbprint === made.value.thumbprint).toBe(true);
  expect(entries.size).toBe(1);
  expect(readKeyPlace(path)).toEqual({ place: "keychain", reason: null });
  const { d } = JSON.parse([...entries.values()][0] ?? "") as { d: string };
  expect(readFileSync(path, "utf8")).not.toContain(d);
  expect(statSync(path).mode & 0o777).toBe(0o600);
});

test.each(["no-session", "over-ssh", "not-installed", "no-keychain"] as const)(
  "[OPS48] with %s the keychain is not asked, and the file says why (abuse 177)",
  async (unfit) => {
    let asked = 0;
    const { keychain } = memoryKeychain({
      unfit,
      before: () => {
        asked += 1;
        return unfit;
      },
    });
    const made = await loadOrMakeKey(depsOf(keychain));
    const again = await loadOrMakeKey(depsOf(keychain));
    expect(made.ok && again.ok && again.value.thumbprint === made.value.thumbprint).toBe(true);
    expect(asked).toBe(0);
    expect(readKeyPlace(path)).toEqual({ place: "file", reason: unfit });
    expect(statSync(path).mode & 0o777).toBe(0o600);
  },
);

test("[OPS48] a key that a silent keychain may have taken is not the one that is used (abuse 177)", async () => {
  const offered: string[] = [];
  const { keychain } = memoryKeychain({ before: () => "no-answer" });
  const spy: Keychain = {
    ...keychain,
    keep: (account, secret) => {
      offered.push(account);
      return keychain.keep(account, secret);
    },
  };
  const made = await loadOrMakeKey(depsOf(spy));
  expect(made.ok).toBe(true);
  expect(offered).toHaveLength(1);
  expect(await thumbprintOf(spy)).not.toBe(offered[0]);
  expect(readKeyPlace(path)).toEqual({ place: "file", reason: "no-answer" });
});

test("[OPS46] a key that lies in a file stays there (abuse 177)", async () => {
  const key = newDeviceKey();
  writeFileSync(path, JSON.stringify(key.privateJwk()), { mode: 0o600 });
  const { entries, keychain } = memoryKeychain();
  const loaded = await loadOrMakeKey(depsOf(keychain));
  expect(loaded.ok && loaded.value.thumbprint).toBe(key.thumbprint);
  expect(readKeyPlace(path)).toEqual({ place: "file", reason: null });
  const renewed = await renewKey(depsOf(keychain));
  expect(renewed.ok && renewed.value.thumbprint !== key.thumbprint).toBe(true);
  expect(readKeyPlace(path)?.place).toBe("file");
  expect(entries.size).toBe(0);
});

test("[OPS46] a damaged or readable key file is refused and never replaced (abuse 175)", async () => {
  const { keychain } = memoryKeychain();
  writeFileSync(path, '{"kty":"OKP"}', { mode: 0o600 });
  expect(await loadOrMakeKey(depsOf(keychain))).toMatchObject({ error: { kind: "bad-key" } });
  expect(await moveKey(depsOf(keychain), "keychain")).toMatchObject({ error: { kind: "bad-key" } });
  expect(readFileSync(path, "utf8")).toBe('{"kty":"OKP"}');
  writeFileSync(path, JSON.stringify(newDeviceKey().privateJwk()));
  chmodSync(path, 0o644);
  const unsafe = { ok: false, error: { kind: "unsafe-file" } };
  expect(await loadOrMakeKey(depsOf(keychain))).toMatchObject(unsafe);
  expect(await renewKey(depsOf(keychain))).toMatchObject(unsafe);
});

test("[OPS48] a renewed key stays in the keychain, where the old one is gone", async () => {
  const { entries, keychain } = memoryKeychain();
  const first = await loadOrMakeKey(depsOf(keychain));
  const second = await renewKey(depsOf(keychain));
  expect(first.ok && second.ok && first.value.thumbprint !== second.value.thumbprint).toBe(true);
  expect([...entries.keys()]).toEqual(second.ok ? [second.value.thumbprint] : []);
  expect(await thumbprintOf(keychain)).toBe([...entries.keys()][0]);
});

test("[OPS48] an entry that is missing, damaged or another key's is told apart (abuse 177, 178)", async () => {
  const { entries, keychain } = memoryKeychain();
  await loadOrMakeKey(depsOf(keychain));
  const [account = ""] = entries.keys();
  const before = readFileSync(path, "utf8");
  const load = () => loadKey(depsOf(keychain));
  for (const text of ["", "garbage", JSON.stringify(newDeviceKey().privateJwk())]) {
    entries.set(account, text);
    expect(await load()).toEqual({ ok: false, error: { kind: "keychain", why: "garbled" } });
  }
  entries.clear();
  const missing = { ok: false, error: { kind: "keychain", why: "no-entry" } };
  expect(await load()).toEqual(missing);
  expect(await loadOrMakeKey(depsOf(keychain))).toEqual(missing);
  expect(await moveKey(depsOf(keychain), "file")).toEqual(missing);
  expect(readFileSync(path, "utf8")).toBe(before);
});

test("[OPS48] a key moves there and back, and leaves nothing behind", async () => {
  const { entries, keychain } = memoryKeychain({ unfit: "over-ssh" });
  const made = await loadOrMakeKey(depsOf(keychain));
  const thumbprint = made.ok ? made.value.thumbprint : "";
  const moved = { place: "keychain", hasMoved: true, isLeftBehind: false };
  expect(await moveKey(depsOf(keychain), "keychain")).toEqual({ ok: true, value: moved });
  expect([...entries.keys()]).toEqual([thumbprint]);
  expect(await thumbprintOf(keychain)).toBe(thumbprint);
  expect(await moveKey(depsOf(keychain), "keychain")).toMatchObject({ value: { hasMoved: false } });
  expect(await moveKey(depsOf(keychain), "file")).toMatchObject({ value: { hasMoved: true } });
  expect(entries.size).toBe(0);
  expect(readKeyPlace(path)).toEqual({ place: "file", reason: "asked" });
  expect(await thumbprintOf(keychain)).toBe(thumbprint);
});

test("[OPS48] a keychain that does not take the key leaves it in its file (abuse 177)", async () => {
  const { keychain } = memoryKeychain({ before: () => "refused" });
  const key = newDeviceKey();
  writeFileSync(path, JSON.stringify(key.privateJwk()), { mode: 0o600 });
  const before = readFileSync(path, "utf8");
  const why = { ok: false, error: { kind: "not-taken", why: "refused" } };
  expect(await moveKey(depsOf(keychain), "keychain")).toEqual(why);
  expect(readFileSync(path, "utf8")).toBe(before);
});

const cuts = (["keychain", "file"] as const).flatMap((to) =>
  (["before", "after"] as const).flatMap((side) => [1, 2].map((call) => ({ to, side, call }))),
);

test.each(cuts)(
  "[OPS48] cut off $side call $call a move to $to has the key, and asking again ends it (abuse 176)",
  async ({ to, side, call }) => {
    let left = Number.POSITIVE_INFINITY;
    const die = (): undefined => {
      left -= 1;
      if (left === 0) throw new Error("killed");
    };
    const { entries, keychain } = memoryKeychain({ [side]: die });
    const made = await loadOrMakeKey(depsOf(keychain));
    if (to === "keychain") await moveKey(depsOf(keychain), "file");
    const thumbprint = made.ok ? made.value.thumbprint : "";
    left = call;
    await expect(moveKey(depsOf(keychain), to)).rejects.toThrow("killed");
    expect(await thumbprintOf(keychain)).toBe(thumbprint);
    expect((await moveKey(depsOf(keychain), to)).ok).toBe(true);
    expect(await thumbprintOf(keychain)).toBe(thumbprint);
    expect(readKeyPlace(path)?.place).toBe(to);
    expect(entries.size).toBe(to === "keychain" ? 1 : 0);
  },
);

test("[OPS48] who finds no entry looks once more whether the key was moved meanwhile", async () => {
  const { entries, keychain } = memoryKeychain();
  const made = await loadOrMakeKey(depsOf(keychain));
  const racing: Keychain = {
    ...keychain,
    read: async (account) => {
      if (entries.has(account)) await moveKey(depsOf(keychain), "file");
      return keychain.read(account);
    },
  };
  const loaded = await loadKey(depsOf(racing));
  expect(loaded.ok && made.ok && loaded.value?.thumbprint === made.value.thumbprint).toBe(true);
});

test("[OPS48] who gets no turn changes nothing", async () => {
  const { entries, keychain } = memoryKeychain();
  const deps: KeyStoreDeps = { path, keychain, inTurn: () => Promise.resolve(undefined) };
  for (const act of [loadOrMakeKey(deps), renewKey(deps), moveKey(deps, "keychain")])
    expect(await act).toEqual({ ok: false, error: { kind: "busy" } });
  expect([entries.size, readKeyPlace(path)]).toEqual([0, undefined]);
});
