import { describe, expect, test } from "vitest";
import { alnum, drawChars, hex, testScrubber } from "../testing/fakes.ts";

const scrubber = testScrubber();
const pw = `${drawChars(alnum, 8, 21)}9x`;
const token = drawChars(alnum, 32, 22);
const bare = (text: string): string =>
  scrubber.scrub(text).text.replaceAll(/__SECRET_\w+?_[a-z2-7]{12}__/g, "<>");

describe("addresses", () => {
  test.each([
    `https://hooks.slack.com/services/T01ABCDEF/B01ABCDEF/<${drawChars(alnum, 24, 1)}>`,
    `https:\\/\\/hooks.slack.com\\/services\\/T01ABCDEF\\/B01ABCDEF\\/<${drawChars(alnum, 24, 2)}>`,
    `https://discord.com/api/webhooks/123456789012345678/<${drawChars(alnum, 68, 3)}>`,
    `https://api.telegram.org/bot<758386983:AA${drawChars(alnum, 33, 4)}>/sendMessage?chat_id=1`,
    `https://mainnet.infura.io/v3/<${drawChars(hex, 32, 5)}>`,
    `https://app.test/reset-password/<${token}>`,
    `https://app.test/reset/MQ/<c4x5k2-${drawChars(hex, 24, 6)}>/`,
    `https://app.test/cb?code=<${token}>&state=abc`,
    `https://app.test/v1?page=2&key=<${token}>#top`,
    `jdbc:oracle:thin:app/<${pw}>@db:1521/x`,
    `postgres://app:<${pw}@ss/${pw}>@db.host:5432/orders?x=1`,
    `https://u:<${pw}>@h.test/a/b@2x.png`,
    `http://u:<${pw}>@localhost/@scope/pkg`,
    `$ cat ~/.pgpass\n*:*:*:app:<${pw}>\n`,
    `[::1]:5433:orders:app:<${pw}>`,
    `{"cookies": [{"name": "JSESSIONID", "value": "<${drawChars(hex, 32, 7)}>"}]}`,
    `git -c http.extraheader="AUTHORIZATION: bearer <${pw}>" clone https://h.test/a.git`,
  ])("[SC1] the secret part goes; host, path and names stay: %s", (marked) => {
    expect(bare(marked.replace(/<(.*)>/s, "$1"))).toBe(marked.replace(/<.*>/s, "<>"));
  });

  test.each([
    "https://hooks.slack.com/services/T000/B000/XXXX",
    "https://app.test/cb?code=200&key=name&sort=token",
    "https://app.test/verify/email",
    "https://app.test/invite/team-acme-2024",
    "https://github.com/a/b/blob/main/src/auth/reset-password/index.ts",
    "/home/dev/src/auth/password-reset/token-service.spec.ts:12:3",
    "postgres://app:<password>@db/orders",
    "https://ada@host.test/a/b.git",
    '{"sessionId":"258c7280-ae70-4798-800f-63464d01a85d","version":"2.1.39"}',
    "jdbc:oracle:thin:@db:1521/x",
  ])("[SC10] what has no secret part stays: %s", (text) => {
    expect(bare(text)).toBe(text);
  });
});
