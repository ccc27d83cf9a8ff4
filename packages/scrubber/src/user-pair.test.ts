import { expect, test } from "vitest";
import { userChars } from "./user-pair.ts";

test("[SC1] a user stands before the password where the name says that both do", () => {
  for (const name of [
    "auth",
    "BASIC_AUTH",
    "credentials",
    "credential",
    "creds",
    "login",
    "userpass",
    "user-pass",
    "user_password",
  ]) {
    expect([name, userChars(name, "ada:hunter2")]).toEqual([name, 4]);
  }
  for (const name of ["password", "authority", "token"]) {
    expect([name, userChars(name, "ada:hunter2")]).toEqual([name, 0]);
  }
  for (const value of [
    "hunter2",
    "ada:abc",
    "ada:/abc",
    "ada: abc",
    "1ada:hunter2",
    "sha256:abcdef",
    "md5:abcdef",
    "Bearer:abcdef",
    "https:abcd",
    "arn:aws:x",
    "env:ABCD",
    `${"a".repeat(65)}:hunter2`,
    "",
  ]) {
    expect([value, userChars("auth", value)]).toEqual([value, 0]);
  }
  expect(userChars("auth", `${"a".repeat(64)}:hunter2`)).toBe(65);
  expect(userChars("auth", "a.b@c-d+e_1:hunter2")).toBe(12);
});
