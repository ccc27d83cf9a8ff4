import { readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { expect, test } from "vitest";

function workflow(name: string): string {
  return readFileSync(
    fileURLToPath(new URL(`../.github/workflows/${name}.yml`, import.meta.url)),
    "utf8",
  );
}

const manifest = JSON.parse(
  readFileSync(fileURLToPath(new URL("../package.json", import.meta.url)), "utf8"),
) as { readonly scripts: Readonly<Record<string, string>> };

test.each(["ci", "release"])(
  "[RL3] %s runs no code but this repository's and what it has locked",
  (name) => {
    const text = workflow(name);
    expect(text).not.toMatch(/^\s*(?:- )?uses:/m);
    expect(text).toContain(".ci/run < /dev/null");
    const run = [...text.matchAll(/npm run (?:--silent )?([\w:]+)/g)].map(([, script]) => script);
    expect(run.filter((script) => !(script !== undefined && script in manifest.scripts))).toEqual(
      [],
    );
  },
);

test("[RL3] a release is made from a tag that names the version, after all tests, with provenance", () => {
  const text = workflow("release");
  const steps = [
    "tags: [",
    'test "$GITHUB_REF_NAME" = "v$(node -p',
    ".ci/run < /dev/null",
    "npm run smoke --",
    "publish",
    "--provenance",
  ];
  const places = steps.map((step) => text.indexOf(step, text.indexOf("on:")));
  expect(places).not.toContain(-1);
  expect(places).toEqual(places.toSorted((left, right) => left - right));
  expect(text).toContain("--provenance=mode=max --sbom=true");
});

test("[RL3] no secret is stored for a release, and nobody else's pull request sees its rights", () => {
  const text = workflow("release");
  expect(text).not.toMatch(/secrets\.|pull_request|NPM_TOKEN|NODE_AUTH_TOKEN/);
  expect(text).toMatch(/^permissions: \{\}$/m);
  expect(text).toContain("id-token: write");
  expect(workflow("ci")).toMatch(/^permissions:\n {2}contents: read$/m);
});
