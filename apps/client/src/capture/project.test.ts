import fc from "fast-check";
import { expect, test } from "vitest";

import { normaliseRemote, projectOf } from "./project.ts";

test.each([
  "git@github.com:Acme/App.git",
  "ssh://git@github.com/Acme/App.git",
  "ssh://git@GitHub.com:22/Acme/App/",
  "https://github.com/Acme/App",
  "https://github.com:443/Acme/App.git/",
  "https://ghp_0123456789abcdef@github.com/Acme/App.git",
  "https://user:p%40ss@github.com/Acme/App.git?ref=x#readme",
  "https://user:p@ss@github.com/Acme/App.git",
  "git://github.com/Acme//App.git",
  "github.com:Acme/App.git",
  "  https://github.com/Acme/App.git\n",
])("[CP17] %j is one project (abuse 128)", (remote) => {
  expect(normaliseRemote(remote)).toBe("github.com/Acme/App");
});

test.each([
  ["https://git.example.com:8443/a/b.git", "git.example.com:8443/a/b"],
  ["ssh://git@git.example.com:2222/a/b", "git.example.com:2222/a/b"],
  ["git@work:team/app.git", "work/team/app"],
])("[CP17] %j keeps what tells it apart", (remote, identity) => {
  expect(normaliseRemote(remote)).toBe(identity);
});

test.each([
  "",
  "file:///home/u/app.git",
  "/home/u/app.git",
  "../app.git",
  "C:/code/app",
  "C:\\code\\app",
  "https://192.168.1.4/a/b.git",
  "git@10.0.0.1:a/b.git",
  "ssh://git@[::1]/a/b.git",
  "https://github.com/",
  "https://github.com/a/b@token",
  "https://github.com/../b",
  "ext::sh -c evil",
  `https://github.com/${"a".repeat(2000)}`,
])("[CP17] %j names no project (abuse 128)", (remote) => {
  expect(normaliseRemote(remote)).toBeUndefined();
});

test("[CP17] no remote leaves a credential or throws (abuse 128)", () => {
  const secret = "s3cretT0ken";
  const part = fc.constantFrom(
    "https://",
    "ssh://",
    "git@",
    "@",
    ":",
    "/",
    "//",
    "host.example",
    secret,
    "?",
    "#",
    "\\",
    " ",
  );
  fc.assert(
    fc.property(fc.array(part, { maxLength: 10 }), fc.string(), (parts, tail) => {
      const remote = `https://u:${secret}@${parts.filter((text) => text !== secret).join("")}${tail}`;
      const identity = normaliseRemote(remote);
      normaliseRemote(`${parts.join("")}${tail}`);
      return identity === undefined || !identity.includes(secret);
    }),
    { seed: 5, numRuns: 3000 },
  );
});

test("[CP18] a project is its remote, else its name, else its path on one device", () => {
  const place = { path: "/home/u/app/", deviceId: "dev_1" };
  expect(projectOf({ ...place, remote: "git@github.com:o/r.git", name: "x" })).toBe(
    "git:github.com/o/r",
  );
  expect(projectOf({ ...place, remote: "file:///srv/r.git", name: " x " })).toBe("name:x");
  expect(projectOf({ ...place, name: " " })).toBe("path:dev_1:/home/u/app");
  expect(projectOf({ ...place, deviceId: "dev_2" })).toBe("path:dev_2:/home/u/app");
  expect(projectOf({ deviceId: "dev_1", path: "/" })).toBe("path:dev_1:/");
});
