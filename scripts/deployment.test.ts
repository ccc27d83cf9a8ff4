import { spawnSync } from "node:child_process";
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { expect, test } from "vitest";

const root = fileURLToPath(new URL("..", import.meta.url));
const dockerfile = readFileSync(join(root, "Dockerfile"), "utf8");
const compose = readFileSync(join(root, "docker-compose.yml"), "utf8");

/** The text of a service of the compose file. */
function service(name: string): string {
  return new RegExp(`^  ${name}:\\n((?:    .*\\n|\\n)+)`, "m").exec(compose)?.[1] ?? "";
}

test("[OPS77] the image runs as nobody in particular, and holds the program alone (abuse 186)", () => {
  const final = dockerfile.slice(dockerfile.lastIndexOf("\nFROM "));
  expect(final).toMatch(/^USER [1-9]\d{3,}:[1-9]\d{3,}$/m);
  expect(final.indexOf("USER ")).toBeLessThan(final.indexOf("ENTRYPOINT "));
  // The form without a shell, so that signals reach the server.
  expect(final).toMatch(/^ENTRYPOINT \["node", "[^"]+"\]$/m);
  const copied = [...final.matchAll(/^(?:COPY|ADD) (.*)$/gm)].map(([, what]) => what);
  expect(copied).toEqual(["--from=build /src/apps/server/dist/ /opt/tidemark/"]);
  expect(final).not.toMatch(/apt-get|curl|npm |npx|--privileged|chmod [0-7]*7[0-7]*7/);
  expect(dockerfile).toContain("install --frozen-lockfile --ignore-scripts");
  expect(dockerfile).not.toMatch(/^FROM \S+:latest|^FROM [^:\s]+(?:\s|$)/m);
});

test.each(["server", "database"])(
  "[OPS77] %s has a root nobody writes to, no capabilities and no way to more (abuse 186)",
  (name) => {
    const text = service(name);
    expect(text).toContain("    read_only: true\n");
    expect(text).toContain("    cap_drop:\n      - ALL\n");
    expect(text).toContain("    security_opt:\n      - no-new-privileges:true\n");
    expect(text).not.toMatch(/privileged: true|cap_add|network_mode|pid: host|docker\.sock/);
    expect(text).not.toMatch(/PASSWORD: |password@/);
  },
);

test("[OPS77] the database is reached from the server alone, and the server from this machine (abuse 186)", () => {
  expect(service("database")).not.toContain("ports:");
  expect(service("database")).toContain("    networks:\n      - back\n");
  expect(compose).toMatch(/^ {2}back:\n {4}internal: true$/m);
  const published = [...compose.matchAll(/^ {6}- "([^"]+)"$/gm)].map(([, port]) => port);
  expect(published).toEqual(["127.0.0.1:8420:8420"]);
  expect(service("database")).toContain("--auth-host=scram-sha-256");
});

const hasSystemd = spawnSync("systemd-analyze", ["--version"]).status === 0;

test.runIf(hasSystemd).each(["tidemark-server", "tidemark"])(
  "[OPS88] systemd takes %s.service as it stands, and knows each of its settings",
  (name) => {
    const folder = mkdtempSync(join(tmpdir(), "tidemark-units-"));
    // The program that the unit starts need not be where this runs.
    const unit = serviceUnit(name).replace("/usr/bin/node ", `${process.execPath} `);
    const path = join(folder, `${name}.service`);
    const verify = (text: string) => {
      writeFileSync(path, text);
      return spawnSync("systemd-analyze", ["verify", "--man=no", path], { encoding: "utf8" });
    };
    const good = verify(unit);
    const bad = verify(unit.replace("[Service]", "[Service]\nNoSuchSetting=yes"));
    rmSync(folder, { recursive: true, force: true });
    const ofUnit = (text: string) => text.split("\n").filter((line) => line.includes(folder));
    expect(ofUnit(good.stderr)).toEqual([]);
    expect(good.status).toBe(0);
    expect(ofUnit(bad.stderr).join()).toContain("NoSuchSetting");
  },
);

test("[OPS88] the server's unit runs as nobody in particular, and writes to its own folder alone", () => {
  const unit = serviceUnit("tidemark-server");
  for (const line of [
    "DynamicUser=yes",
    "NoNewPrivileges=yes",
    "CapabilityBoundingSet=",
    "ProtectSystem=strict",
    "ProtectHome=yes",
    "PrivateTmp=yes",
    "StateDirectory=tidemark",
    "StateDirectoryMode=0700",
    "UMask=0077",
  ]) {
    expect(unit.split("\n")).toContain(line);
  }
  expect(unit).not.toMatch(/^(User=root|ReadWritePaths=\/$)/m);
  expect(serviceUnit("tidemark")).not.toMatch(/^User=/m);
});

function serviceUnit(name: string): string {
  return readFileSync(join(root, `deploy/systemd/${name}.service`), "utf8");
}
