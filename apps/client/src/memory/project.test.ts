import { expect, test } from "vitest";
import { deviceMark, projectAt } from "./project.ts";
import { testHmac } from "./testing/scrub.ts";

const key = new Uint8Array(32).fill(7);
const otherKey = new Uint8Array(32).fill(8);

function projectOf(remote: string | undefined, scrubKey: Uint8Array): string {
  const place = remote === undefined ? { root: "/src/app" } : { root: "/src/app", remote };
  const deps = { workPlaceOf: () => place, deviceMark: deviceMark(scrubKey, testHmac) };
  return projectAt(deps, "/src/app/deep");
}

test("[CP52] a project without a remote carries the mark of its device, which follows from its key", () => {
  const mark = deviceMark(key, testHmac);
  expect(mark).toMatch(/^[0-9a-z]{13}$/u);
  expect(projectOf(undefined, key)).toBe(`path:${mark}:/src/app`);
  expect(projectOf(undefined, otherKey)).not.toBe(projectOf(undefined, key));
});

test("[CP52] a project with a remote is the same on every device", () => {
  const remote = "git@example.com:team/app.git";
  expect(projectOf(remote, otherKey)).toBe(projectOf(remote, key));
});
