import { expect, test } from "vitest";
import { judgePosition, type OwnPosition, type Position } from "./position.ts";

const chains = new Map([
  [3, "c3"],
  [4, "c4"],
  [5, "c5"],
]);

function own(change: Partial<OwnPosition> = {}): OwnPosition {
  return { ackedAtRequest: 3, acked: 3, made: 5, chainAt: (n) => chains.get(n), ...change };
}

function theirs(change: Partial<Position> = {}): Position {
  return { acked: 3, chain: "c3", since: 2, results: [], ...change };
}

test("[CH3] the same position says nothing new", () => {
  expect(judgePosition(own(), theirs())).toEqual({ kind: "same" });
});

test("[CH3] a passed position with the same chain means that an answer was lost", () => {
  const position = theirs({ acked: 5, chain: "c5", since: 3 });
  expect(judgePosition(own(), position)).toEqual({ kind: "answer-lost", position });
});

test("[CH3] an answer older than what is acknowledged by now is stale, not a fork", () => {
  const late = judgePosition(own({ acked: 5 }), theirs({ acked: 4, chain: "c4" }));
  expect(late).toEqual({ kind: "stale" });
});

test("[CH3] the server ahead of all that was ever made: this home was restored", () => {
  expect(judgePosition(own(), theirs({ acked: 6, chain: "c6" }))).toEqual({
    kind: "fork",
    cause: "home-restored",
  });
});

test("[CH3] acknowledged beyond the kept results: this home was restored", () => {
  const position = theirs({ acked: 5, chain: "c5", since: 4 });
  expect(judgePosition(own(), position)).toEqual({ kind: "fork", cause: "home-restored" });
});

test("[CH3] the same n with another chain: the home was cloned", () => {
  expect(judgePosition(own(), theirs({ acked: 4, chain: "other" }))).toEqual({
    kind: "fork",
    cause: "home-cloned",
  });
  expect(judgePosition(own(), theirs({ acked: 3, chain: "other" }))).toEqual({
    kind: "fork",
    cause: "home-cloned",
  });
});

test("[CH3] behind what was acknowledged when the request left: the server was restored", () => {
  expect(judgePosition(own(), theirs({ acked: 2, chain: "c2" }))).toEqual({
    kind: "fork",
    cause: "server-restored",
  });
});

test("[CH3] a running hash that is no longer kept proves nothing", () => {
  const late = own({ acked: 5, chainAt: (n) => (n === 5 ? "c5" : undefined) });
  expect(judgePosition(late, theirs({ acked: 4, chain: "other" }))).toEqual({ kind: "stale" });
});

test("[CH3] all that was ever made may be acknowledged, with results from the start on", () => {
  const position = theirs({ acked: 5, chain: "c5", since: 0 });
  expect(judgePosition(own(), position)).toEqual({ kind: "answer-lost", position });
  expect(judgePosition(own({ acked: 5 }), theirs({ acked: 5, chain: "c5", since: 4 }))).toEqual({
    kind: "same",
  });
});
