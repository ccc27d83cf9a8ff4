import { expect, test } from "vitest";
import { alnum, drawChars, testScrubber } from "../testing/fakes.ts";

const scrubber = testScrubber();
const drawn = drawChars(alnum, 12, 61);
const words = ["amber", "puzzle", "violet", "meadow"].join(" ");
const bare = (text: string): string =>
  scrubber.scrub(text).text.replaceAll(/__SECRET_\w+?_[a-z2-7]{12}__/g, "<>");

test.each([
  `SECRET_KEY=<${drawn}&Zq4T-w=${drawn}>`,
  `DB_PASS=<${drawn}%&&x9Ps>`,
  `export DB_PASS=<${drawn}&&x9Ps>\nexport DB_NAME=a`,
  `db_password: <${drawn}&&Lq9z>\nport: 1`,
  `db.password = <${drawn}&&Lq9z>`,
  `GPG_PASSPHRASE=<${words}>`,
  `RESTIC_PASSWORD=<${words}>\nRESTIC_REPOSITORY=x`,
])("[SC1] a value goes to the end of its line: %s", (marked) => {
  expect(bare(marked.replace(/<(.*)>/, "$1"))).toBe(marked.replace(/<.*>/, "<>"));
});

test.each([
  `username=bob&password=<${drawn}>&remember=1`,
  `password=<${drawn}>&user=bob&rememberMe=1`,
  `PASSWORD=<${drawn}>&user=bob`,
  `PASSWORD=<${drawn}>&&curl -s http://localhost/`,
  `DB_PASSWORD=<${drawn}> docker compose run web`,
  `https://h.test/?a=1&password=<${drawn}>&b=2`,
  `API_TOKEN=<${drawn}9> make puzzle violet meadow`,
])("[SC1] what follows a value stays: %s", (marked) => {
  expect(bare(marked.replace(/<(.*)>/, "$1"))).toBe(marked.replace(/<.*>/, "<>"));
});
