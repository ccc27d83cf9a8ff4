import { describe, expect, test } from "vitest";
import { alnum, base64, drawChars, hex, testScrubber } from "../testing/fakes.ts";

const scrubber = testScrubber();
const pw = `${drawChars(alnum, 12, 21)}7xK4`;
const bare = (text: string): string =>
  scrubber.scrub(text).text.replaceAll(/__SECRET_\w+?_[a-z2-7]{12}__/g, "@");
const expectGone = (text: string, secret: string): void => {
  expect(bare(text.replaceAll("@", secret))).toBe(text);
  const said = JSON.stringify({ said: text });
  expect(bare(said.replaceAll("@", secret))).toBe(said);
};

describe("prompts, and what programs print", () => {
  test.each([
    "Password for 'https://git.example': @",
    "Enter passphrase for key '/home/u/.ssh/id_ed25519': @",
    "Token (will be hidden): @",
    "? Enter your API key › @",
    "PASSWORD elastic = @",
    "Password for the elastic user (reset with `bin/reset`):\n  @",
    "[Note] A temporary password is generated for the user root: @",
    "Please use the following password to proceed to installation:\n\n@\n\nThis may",
    "API key created. Copy it now, you won't see it again:\n@",
    "Your API key is:\n\n    @\n\nKeep it safe.",
  ])("[SC1] what stands at the end of a label goes: %s", (text) => expectGone(text, pw));

  test("[SC1] the keys that open a vault go", () => {
    expectGone("Unseal Key 1: @\nUnseal Key 2: @\n", `${drawChars(base64, 40, 22)}Ab7+`);
    expectGone("AWS Secret Access Key [None]: @\nDefault", drawChars(base64, 40, 23));
  });

  test.each([
    `$ python -c "import secrets; print(secrets.token_hex(32))"\n@\n$ ls\n`,
    `$ head -c 32 /dev/urandom | base64\n@\n`,
    `$ echo $POSTGRES_PASSWORD\n@\n`,
    `$ printenv API_TOKEN\n@\n`,
    `$ cat /run/secrets/db_password\n@\n`,
    `$ kubectl get secret db -o yaml | yq .data.password | base64 -d\n@\n`,
    `$ argocd admin initial-password -n argocd\n@\n`,
  ])("[SC1] the line that a command printed goes: %s", (text) => {
    expectGone(text, drawChars(hex, 64, 24));
  });

  test("[SC1] rows of drawn passwords go", () => {
    const words = [0, 1, 2, 3].map((seed) => `${drawChars(alnum, 9, seed + 30)}7aB`);
    const text = `$ pwgen 12 4\n${words.slice(0, 2).join(" ")}\n${words.slice(2).join(" ")}\n`;
    expect(bare(text)).toBe("$ pwgen 12 4\n@ @\n@ @\n");
  });

  test.each([
    "Password for user alice: incorrect",
    "Enter your password: ********",
    "Token for session user42: expired",
    "The secret key fingerprint is: 3f2a9c1b2d4e5f60718293a4b5c6d7e8",
    "Token usage for gpt-4o-mini: 12345678",
    "# password for the db user: set DB_PASSWORD2",
    'const password = await prompt("Password for user: ");',
    "password: z.string().min(8).max(128),",
    "pass empty passphrases to OpenSSL [#35914](https://x.example/pull/35914)\n* \\[[`644c416389`](x)",
    "$ cat .nvmrc\nv20.20.2",
    "$ echo $GIT_SHA\n3f2a9c1b2d4e5f60718293a4b5c6d7e8f9012345",
    "$ head -c 16 /dev/urandom > seed.bin\n$ ls",
    'crypto.randomBytes(16).toString("hex")\nfoo2Bar',
  ])("[SC10] other labels and other output stay: %s", (text) => {
    expect(bare(text)).toBe(text);
  });
});
