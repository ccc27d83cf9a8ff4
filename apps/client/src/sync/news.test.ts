import type { NewsItem } from "@tidemark/protocol/wire";
import { expect, test } from "vitest";
import { newsText, readNews, toldText } from "./news.ts";

const own = { device: "dev_own", server: "srv_1" };

function joined(seq: number, device = `dev_${seq}`): NewsItem {
  const details = { name: device, platform: "linux x64", by: "link" };
  return { seq, at: 1_000 + seq, event: "device-joined", device, by: device, details };
}

function seqs(kept: string | undefined, told?: string): readonly number[] {
  return readNews(kept, told, own)
    .filter(({ isNew }) => isNew)
    .map(({ seq }) => seq);
}

test("[AD5] news are kept until a person was shown them, and shown once", () => {
  const first = newsText(undefined, "srv_1", [joined(4), joined(3)]);
  expect(seqs(first)).toEqual([4, 3]);
  const told = toldText(readNews(first, undefined, own), "srv_1");
  expect(seqs(first, told)).toEqual([]);
  const later = newsText(first, "srv_1", [joined(9)]);
  expect(seqs(later, told)).toEqual([9]);
  expect(readNews(later, told, own).map(({ seq }) => seq)).toEqual([9, 4, 3]);
});

test("[AD5] nothing is shown of what this device did, nor of what this version does not know", () => {
  const revoked = { ...joined(5), event: "device-revoked", by: "dev_own" };
  const copied = { ...joined(6, "dev_own"), event: "key-copied", by: undefined };
  const later = { ...joined(8), event: "device-cloned" };
  const kept = newsText(undefined, "srv_1", [later, joined(7, "dev_own"), copied, revoked]);
  expect(seqs(kept)).toEqual([6]);
});

test("[AD5] a device that a copy of this one's key has let in is shown", () => {
  const kept = newsText(undefined, "srv_1", [{ ...joined(5, "dev_new"), by: "dev_own" }]);
  expect(seqs(kept)).toEqual([5]);
});

test("[AD5] another server's news, and those that a restored one has forgotten, are gone", () => {
  const kept = newsText(undefined, "srv_1", [joined(9), joined(8)]);
  const told = toldText(readNews(kept, undefined, own), "srv_1");
  expect(seqs(newsText(kept, "srv_2", [joined(2)]))).toEqual([]);
  const again = { ...joined(7, "dev_new"), at: 9_000 };
  const restored = newsText(kept, "srv_1", [again]);
  expect(readNews(restored, told, own).map(({ seq }) => seq)).toEqual([7]);
  expect(seqs(restored, told)).toEqual([7]);
});

test("[AD5] what is kept has a bound", () => {
  let kept: string | undefined;
  for (let seq = 1; seq <= 50; seq += 1) kept = newsText(kept, "srv_1", [joined(seq)]);
  expect(seqs(kept)).toHaveLength(20);
  expect(seqs(kept)[0]).toBe(50);
});
