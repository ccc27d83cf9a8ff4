import { expect, test } from "vitest";
import { parseJobIssuers } from "./parsers.ts";

test("[PR18] who runs the server names CI services of their own, by https and nothing else", () => {
  expect(parseJobIssuers("")).toEqual({ ok: true, value: [] });
  expect(
    parseJobIssuers("github=https://ghe.example/_services/token, gitlab=https://gitlab.example"),
  ).toEqual({
    ok: true,
    value: [
      { provider: "github", issuer: "https://ghe.example/_services/token" },
      { provider: "gitlab", issuer: "https://gitlab.example" },
    ],
  });
  for (const wrong of [
    "https://ghe.example",
    "github",
    "github=",
    "jenkins=https://ci.example",
    "github=http://127.0.0.1:8080",
    "github=http://ghe.example",
    "github=file:///etc/passwd",
    "github=https://u:p@ghe.example",
    "github=https://ghe.example?a=b",
    "github=https://ghe.example#a",
    "gitlab=https://gitlab.example,nonsense",
  ]) {
    expect([wrong, parseJobIssuers(wrong).ok]).toEqual([wrong, false]);
  }
});
