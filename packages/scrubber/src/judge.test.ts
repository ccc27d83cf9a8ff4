import fc from "fast-check";
import { expect, test } from "vitest";
import { innocentForms } from "./judge.ts";

const seed = { seed: 20_262, numRuns: 5_000 } as const;

const pieces = fc.constantFrom(
  "placeholder", "credentials", "SHA-512", "hs256", "api_key", "n/a", "x", "***", "****", "...", "…",
  "•", "<", ">", "[", "]", "{", "}", "(", ")", "$", "${", "$(", "{{", "<%", "#{", "@{", "%", "%s",
  "process.env", "import.meta", "os.environ", "env.", "ENV[", "System.getenv", "secrets.", "var.",
  "vars.", "data.", "local.", "module.", "self.", "this.", "config.", "settings.", "arg.", "args.",
  "opt.", "options.", "ctx.", "req.", "request.", "param.", "params.", "props.", "env:", "file:",
  "fd:", "op://", "vault:", "ref+", "arn:aws", "projects/", "!Ref", "!vault", ":name", "?", "@name",
  "v1.2.3", "1.2", "2026-01-02", "T10:00Z", "ssh-rsa", "ecdsa-sha2-", "sk-ssh-", "-----BEGIN CERT",
  "https://", "/20260102/eu-1/s3/aws4_request", "^", "pk_live_", "phc_", "ENC[", "$ANSIBLE_VAULT", "ab", "9", "-", "_", "#", ".", "\n", "é",
); // prettier-ignore

test("a value without a form's sign never has the form", () => {
  const values = fc.array(pieces, { minLength: 1, maxLength: 4 }).map((each) => each.join(""));
  let matched = 0;
  fc.assert(
    fc.property(values, (value) => {
      for (const [sign, form] of innocentForms) {
        if (!form().test(value)) continue;
        matched += 1;
        expect([value, sign(value)]).toEqual([value, true]);
      }
    }),
    seed,
  );
  expect(matched).toBeGreaterThan(1_000);
});
