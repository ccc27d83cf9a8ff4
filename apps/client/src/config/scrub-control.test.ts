import { createScrubber } from "@tidemark/scrubber";
import { expect, test } from "vitest";
import { readScrubControl, type ScrubControl } from "./scrub-control.ts";

const weakening = `
literals = ["acme-internal"]
[allow]
tags = ["abcdefghijkl"]
kinds = ["credential"]
paths = ["fixtures/**"]
[personalData]
email = false
iban = true
`;

function read(text: string | undefined, isTrusted = false, own?: unknown) {
  return readScrubControl({
    own: { path: "/conf/config.json", file: own },
    project: text === undefined ? undefined : { path: "/p/.tidemark/scrub.toml", text },
    isTrusted: () => isTrusted,
  });
}

function control(...given: Parameters<typeof read>): ScrubControl {
  const result = read(...given);
  if (!result.ok) throw new Error(result.error.problems.join());
  return result.value;
}

const own = {
  logLevel: "info",
  scrub: { literals: ["my-host.example"], personalData: ["email"], allow: { kinds: ["jwt"] } },
};

test("[SC56] what a project adds counts at once, what it would let through does not", () => {
  const { options, project } = control(weakening, false, own);
  expect(options.literals).toEqual(["my-host.example", "acme-internal"]);
  expect(options.allow).toEqual({ tags: ["abcdefghijkl"], kinds: ["jwt"], paths: [] });
  expect(options.personalData).toEqual(["email", "iban"]);
  expect(project).toEqual({
    path: "/p/.tidemark/scrub.toml",
    isTrusted: false,
    weakens: ["allows the kinds credential", "allows all in fixtures/**", "leaves email"],
  });
});

test("[SC56] with the user's consent all of it counts", () => {
  const { options, project } = control(weakening, true, own);
  expect(options.allow).toEqual({
    tags: ["abcdefghijkl"],
    kinds: ["jwt", "credential"],
    paths: ["fixtures/**"],
  });
  expect(options.personalData).toEqual(["iban"]);
  expect(project?.isTrusted).toBe(true);
});

test("[SC56] a file that only adds needs no consent", () => {
  expect(control('literals = ["acme-internal"]').project).toMatchObject({
    weakens: [],
    isTrusted: true,
  });
});

test("[SC56] an untrusted project takes out no less than none, whatever it says", () => {
  const secret = `ghp_${"a1B2c3D4e5F6".repeat(3)}`;
  const rule = `[[rules]]\nid = "x"\nkind = "jwt"\nanchors = ["${secret.slice(0, 20)}"]\nbody = "[A-Za-z0-9]+"\n`;
  const { options } = control(`${weakening}${rule}`, false, own);
  const hmac = (message: string): Uint8Array => new TextEncoder().encode(message).slice(-8);
  const { text } = createScrubber({ hmac, ...options }).scrub(`export GH=${secret} done`);
  expect(text).not.toContain(secret.slice(4));
});

test("[SC56] two rules of one name are the user's and the project's", () => {
  const rule = { id: "acme", kind: "acme_token", anchors: ["acme_"], body: "[0-9]{8}" };
  const theirs = `[[rules]]\nid = "acme"\nkind = "acme_token"\nanchors = ["acm-"]\nbody = "[0-9]{8}"\n`;
  const { options } = control(theirs, false, { scrub: { rules: [rule] } });
  expect(options.rules.map(({ id }) => id)).toEqual(["acme", "project.acme"]);
});

test("[SC55] a broken file of either side spoils all, and says which and where", () => {
  const project = read("literals = 3", false, own);
  expect(project.ok ? undefined : project.error).toEqual({
    kind: "bad-scrub-settings",
    path: "/p/.tidemark/scrub.toml",
    problems: ["literals: expected a list of texts"],
  });
  const mine = read(undefined, false, { scrub: { literals: ["abc"] } });
  expect(mine.ok ? undefined : mine.error).toMatchObject({
    path: "/conf/config.json",
    problems: [expect.stringMatching(/^scrub: literals\[0\]: a literal has 4/)],
  });
});

test("[SC55] without settings the catalogue stands alone", () => {
  expect(control(undefined)).toEqual({
    hasOwn: false,
    project: undefined,
    options: {
      literals: [],
      rules: [],
      allow: { tags: [], kinds: [], paths: [] },
      personalData: [],
    },
  });
});
