import fc from "fast-check";
import { Tiktoken } from "js-tiktoken/lite";
import o200k from "js-tiktoken/ranks/o200k_base";
import { expect, test } from "vitest";
import { buildContext } from "./context.ts";
import type { Moment } from "./moment.ts";
import { testObservation, testRecall } from "./testing/observations.ts";
import { tokensOf } from "./tokens.ts";

const tokenizer = new Tiktoken(o200k);
const realTokensOf = (text: string): number => tokenizer.encode(text, [], []).length;

const prose =
  "The queue loses jobs because of a missing await in the worker that drains it at night. ";
const code = "const open = rows.map((row) => ({ ...row, at: row?.at ?? 0 })).filter(Boolean);\n";

const samples: readonly (readonly [name: string, text: string])[] = [
  ["prose", prose.repeat(3)],
  ["code", code.repeat(3)],
  ["paths", "apps/client/src/recall/tokens.ts packages/scrubber/src/value.ts ".repeat(4)],
  ["a hash", "9f86d081884c7d659a2feaa0c55ad015a3bf4f1b2b0b822cd15d6c15b0f00a08".repeat(3)],
  ["ids", "lt97rieqe17v26fjvmglubjoec fpbbl6po7r9qu1issvp5941pvg ".repeat(3)],
  ["base64", Buffer.from(Array.from({ length: 200 }, (_, at) => (at * 73 + 11) & 255)).toString("base64")], // prettier-ignore
  ["JSON", JSON.stringify({ id: "a1", kind: "fix", trust: 4, text: prose, files: ["a/b.ts"] })],
  ["Chinese", "队列因为缺少等待而丢失任务".repeat(4)],
  ["Japanese", "キューは待機がないためジョブを失う".repeat(4)],
  ["Korean", "대기열은 작업을 잃습니다 ".repeat(4)],
  ["Russian", "исправить очередь, потому что задания теряются ".repeat(3)],
  ["German", "Die Warteschlange verliert Aufträge, weil ein await fehlt. ".repeat(3)],
  ["Hindi", "कतार में काम खो जाते हैं ".repeat(3)],
  ["pictures", "🎉🚀👩‍💻".repeat(6)],
];

test.each(samples)("[RC26] %s: no fewer tokens than a tokenizer counts", (_name, text) => {
  expect(tokensOf(text)).toBeGreaterThanOrEqual(realTokensOf(text));
});

test.each([prose, code])("[RC26] of prose and code at most a third more: %s", (text) => {
  const long = text.repeat(5);
  expect(tokensOf(long)).toBeLessThanOrEqual(realTokensOf(long) * 1.34);
});

test("[RC26] what a session is given holds its budget by a real tokenizer", () => {
  const word = fc.constantFrom(
    ...'the queue retry limit failed because migration understanding src/http/auth.ts npm test HEAD~1 v2.11.0 https://example.com/a?b=c 0x7f3a 4218 99.85% {} => ; "quoted" it\'s naïve очередь 队列 🎉'.split(
      " ",
    ),
  );
  const drawn = fc.stringMatching(/^[a-z0-9]{8,40}$/);
  const text = fc.array(fc.oneof({ weight: 6, arbitrary: word }, drawn), { maxLength: 60 });
  const property = fc.property(
    fc.integer({ min: 200, max: 1_200 }),
    fc.array(text, { minLength: 1, maxLength: 20 }),
    (tokensMax, texts) => {
      const all = texts.map((words, at) =>
        testObservation(`lt97rieqe17v26fjvmglub${at}`, {
          title: words.slice(0, 12).join(" "),
          narrative: words.join(" "),
        }),
      );
      const moment: Moment = { project: "git:example.com/p", tokensMax, charsMax: 9_000 };
      const { text: given = "" } = buildContext(testRecall(all), moment);
      expect(realTokensOf(given)).toBeLessThanOrEqual(tokensMax);
    },
  );
  fc.assert(property, { numRuns: 150, seed: 20261123 });
});
