import { expect, test } from "vitest";
import { estimateBits } from "./checks/randomness.ts";
import { createTagger } from "./tagger.ts";

test("[SC3] guessable secrets take the second key, by their kind or by how few they are", () => {
  const asked: string[] = [];
  const mac = (key: string) => (message: string) => {
    asked.push(`${key} ${message}`);
    return new Uint8Array(8);
  };
  const tagOf = createTagger(mac("first"), mac("second"));
  tagOf("Zk3vQ9xB7mW2pL8nR4tY6uJ1");
  tagOf("hunter2");
  tagOf("Zk3vQ9xB7mW2pL8nR4tY6uJ1", true);
  tagOf("hunter2", false);
  expect(asked).toEqual([
    "first tidemark scrub tag v1\nZk3vQ9xB7mW2pL8nR4tY6uJ1",
    "second tidemark scrub tag v1\nhunter2",
    "second tidemark scrub tag v1\nZk3vQ9xB7mW2pL8nR4tY6uJ1",
    "first tidemark scrub tag v1\nhunter2",
  ]);
});

test("[SC3] the second key is taken below 40 bits, and from there on the first", () => {
  const tagOf = createTagger(
    () => new Uint8Array(8),
    () => new Uint8Array(8).fill(255),
  );
  const isSecond = (secret: string): boolean => tagOf(secret).startsWith("7");
  expect([estimateBits("\u0001".repeat(80)), isSecond("\u0001".repeat(20))]).toEqual([160, false]);
  expect([estimateBits("1".repeat(20)), isSecond("1".repeat(20))]).toEqual([40, false]);
  expect([estimateBits("1".repeat(19)), isSecond("1".repeat(19))]).toEqual([19, true]);
});

test("[SC3] what fills base64 up is no part of a secret, and belongs to a short one", () => {
  const asked: string[] = [];
  const mac = (message: string): Uint8Array => {
    asked.push(message.slice(message.indexOf("\n") + 1));
    return new Uint8Array(8);
  };
  const tagOf = createTagger(mac, mac);
  const key = "Zk3vQ9xB7mW2pL8nR4tY6u";
  for (const fill of ["", "=", "==", "%3D%3D", "%3d"]) tagOf(key + fill);
  expect(new Set(asked)).toEqual(new Set([key]));
  const kept = [`${key}===`, "hunter2=", `${key}=x`];
  for (const each of kept) tagOf(each);
  expect(asked.slice(5)).toEqual(kept);
});
