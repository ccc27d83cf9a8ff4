import fc from "fast-check";
import { expect, test } from "vitest";
import { linkText, parseLink, type Link } from "./links.ts";

test("[WR5] a link reads back as it was written", () => {
  const links: Link[] = [
    { kind: "setup", url: "https://tidemark.example", secret: "abc-DEF_1" },
    { kind: "device", url: "http://127.0.0.1:8420", id: "id1", secret: "s1" },
    { kind: "invite", url: "https://x.example:8443", id: "id2", secret: "s2" },
    { kind: "device", url: "https://x.example", id: "i", secret: "s", namePrefix: "runner.eu_1-" },
  ];
  for (const link of links) expect(parseLink(linkText(link))).toEqual(link);
});

test("[WR5] the secret stands behind the hash, where no server log sees it", () => {
  const link: Link = { kind: "device", url: "https://x.example", id: "i", secret: "secret" };
  expect(new URL(linkText(link)).pathname + new URL(linkText(link)).search).toBe("/");
});

test("[WR5] a link is taken with blanks around it and without the slash", () => {
  const link = { kind: "setup", url: "https://x.example", secret: "abc" };
  expect(parseLink(" \n https://x.example/#s=abc\n")).toEqual(link);
  expect(parseLink("https://x.example#s=abc")).toEqual(link);
});

test.each([
  "https://x.example/path/#s=abc",
  "https://x.example?q=1#s=abc",
  "https://x .example/#s=abc",
  "https:///#s=abc",
  "see https://x.example/#s=abc",
  "https://x.example/#s=abc here",
  "https://x.example/#s=ab+c",
  "https://x.example/#s=",
  "https://x.example/#ss=abc",
  "https://x.example/#j=.secret",
  "https://x.example/#i=id.",
  "https://x.example/#i=nosecret",
  "https://x.example/#j=i+d.secret",
  "https://x.example/#j=a.b.c",
  "https://x.example",
  "https://x.example/#q=abc",
  "https://x.example/#j=nosecret",
  "https://x.example/#s=id.secret",
  "https://x.example/#s=secret&n=box",
  "https://x.example/#i=id.secret&n=box",
  "https://x.example/#j=id.secret&n=",
  "https://x.example/#j=id.secret&n=a b",
  "https://user@x.example/#s=abc",
  "ftp://x.example/#s=abc",
  "",
])("[WR5] %j is no link", (text) => {
  expect(parseLink(text)).toBeUndefined();
});

test("[WR5] reading a link never throws", () => {
  fc.assert(
    fc.property(fc.string({ unit: "binary" }), (text) => {
      parseLink(text);
    }),
    { numRuns: 500, seed: 20261121 },
  );
});
