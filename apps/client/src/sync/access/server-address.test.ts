import { describe, expect, test } from "vitest";
import { readLink } from "./pairing.ts";
import { checkServerAddress } from "./server-address.ts";

function codeOf(address: string, allowPlainLan: boolean): string {
  const checked = checkServerAddress(address, { allowPlainLan });
  return checked.ok ? "ok" : checked.error.code;
}

describe("[AU56] plain http reaches this device alone, or a private network by explicit wish (abuse 183)", () => {
  const cases: readonly (readonly [address: string, plain: string, withFlag: string])[] = [
    ["https://tidemark.example", "ok", "ok"],
    ["http://localhost:8420", "ok", "ok"],
    ["http://127.0.0.1:8420", "ok", "ok"],
    ["http://127.8.9.1", "ok", "ok"],
    ["http://[::1]:8420", "ok", "ok"],
    ["http://192.168.1.7:8420", "not-https", "ok"],
    ["http://10.0.0.1", "not-https", "ok"],
    ["http://172.16.0.1", "not-https", "ok"],
    ["http://172.32.0.1", "not-https", "not-https"],
    ["http://100.64.0.1", "not-https", "ok"],
    ["http://100.128.0.1", "not-https", "not-https"],
    ["http://nas.local", "not-https", "ok"],
    ["http://tidemark", "not-https", "ok"],
    ["http://[fd00::1]", "not-https", "ok"],
    ["http://[2001:db8::1]", "not-https", "not-https"],
    ["http://tidemark.example", "not-https", "not-https"],
    ["http://8.8.8.8", "not-https", "not-https"],
    ["http://127.0.0.1.evil.example", "not-https", "not-https"],
    ["http://10.evil.example", "not-https", "not-https"],
    ["http://0x7f000001", "ok", "ok"],
    ["https://user:secret@tidemark.example", "bad-address", "bad-address"],
    ["ftp://tidemark.example", "bad-address", "bad-address"],
    ["tidemark.example", "bad-address", "bad-address"],
  ];
  for (const [address, plain, withFlag] of cases) {
    test(address, () => {
      expect([codeOf(address, false), codeOf(address, true)]).toEqual([plain, withFlag]);
    });
  }
});

test("an address is kept as its origin, as proofs name it", () => {
  expect(checkServerAddress("https://Tidemark.Example:443/x?y", { allowPlainLan: false })).toEqual({
    ok: true,
    value: "https://tidemark.example",
  });
});

describe("[AU55] a link is read before anything is sent", () => {
  const secret = "a".repeat(26);
  const options = { allowPlainLan: false };
  test("each kind", () => {
    expect(readLink(`https://h.example/#s=${secret}`, options)).toMatchObject({
      value: { kind: "setup", url: "https://h.example", secret },
    });
    expect(readLink(` https://h.example#j=abcdefgh.${secret}\n`, options)).toMatchObject({
      value: { kind: "device", id: "abcdefgh" },
    });
    expect(readLink(`https://h.example/#i=abcdefgh.${secret}`, options)).toMatchObject({
      value: { kind: "invite" },
    });
  });
  test("what is no link, with a hint", () => {
    for (const text of ["", "https://h.example", `https://h.example/#x=${secret}`]) {
      expect(readLink(text, options)).toMatchObject({ ok: false, error: { code: "bad-link" } });
    }
    expect(readLink(`http://h.example/#s=${secret}`, options)).toMatchObject({
      ok: false,
      error: { code: "not-https" },
    });
  });
});
