import { expect, test } from "vitest";
import { alnum, drawChars, hex, testScrubber } from "../testing/fakes.ts";

const scrubber = testScrubber();
const drawn = `${drawChars(alnum, 30, 71)}7q`;
const digits = drawChars(hex, 64, 72);
const cookie = ["9QEKRPJ7", "5HRZ6KA6", "IZLO"].join("");
const bare = (text: string): string =>
  scrubber.scrub(text).text.replaceAll(/__SECRET_\w+?_[a-z2-7]{12}__/g, "<>");

test.each([
  `SSHPASS=<${drawn}> sshpass -e rsync -a . host:/srv`,
  `JWT_PRIVATE="<${drawn}>"`,
  `APP_SIGNING=<${digits}>\nAPP_NAME=x`,
  `PASSWORD_FOR_DEMO=<${drawn}>`,
  `cluster.erlang.cookie = <${cookie}>`,
  `$ cat ~/.erlang.cookie\n<${cookie}>`,
  `echo "<${drawn}>" > ~/.vault_pass`,
  `printf '<${drawn}>' >> ./run/db_password.txt && chmod 600 x`,
  `--extra-index-url https://<${drawn}>:@packages.test/simple/`,
  `Authorization: Basic ada:<${drawn}>`,
  `$ dotnet user-secrets list\nJwt:Key = <${drawn}>`,
  `{"id": "https://kv.vault.azure.net/secrets/db/1", "value": "<${drawn}>"}`,
  `{"attributes": {"length": 32, "result": "<${drawn}>"}, "sensitive_attributes": [], "type": "random_password"}`,
])("[SC1] what a place or a name gives goes: %s", (marked) => {
  expect(bare(marked.replace(/<([^>]*)>/, "$1"))).toBe(marked.replace(/<[^>]*>/, "<>"));
});

test.each([
  "sshpass -e rsync -a . host:/srv",
  "CODE_SIGNING=required",
  `SUBNET_PRIVATE=subnet-${digits.slice(0, 17)}`,
  "IS_PRIVATE=true",
  "echo done > /tmp/pass",
  'echo "$PW" > ~/.vault_pass',
  'echo "no token yet" > token.txt',
  "git clone https://username:@host.test/x.git",
  "Authorization: Basic realm:users",
  "Sort:Key = created_at",
  "WAIT_FOR_TOKEN=5",
  `{"id": "https://kv.vault.azure.net/keys/db/1", "value": "${digits.slice(0, 8)}"}`,
  `{"attributes": {"result": "${digits.slice(0, 8)}"}, "type": "random_pet"}`,
])("[SC10] what only looks like it stays: %s", (text) => {
  expect(scrubber.scrub(text).text).toBe(text);
});
