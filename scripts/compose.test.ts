import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { expect, test } from "vitest";
import { parseDocument } from "yaml";
import { settings, type Setting } from "../apps/server/src/config/settings.ts";
import { routeTable } from "../apps/server/src/http/route-table.ts";

const root = fileURLToPath(new URL("..", import.meta.url));
const textOf = (path: string): string => readFileSync(join(root, path), "utf8");

interface Network {
  readonly name?: string;
  readonly ipam?: {
    readonly config: readonly { readonly subnet: string; readonly ip_range: string }[];
  };
}

interface Service {
  readonly image?: string;
  readonly environment?: Readonly<Record<string, string>>;
  readonly command?: readonly string[];
  readonly labels?: Readonly<Record<string, string>>;
  readonly ports?: readonly string[];
  readonly volumes?: readonly string[];
  readonly secrets?: readonly string[];
  readonly networks?:
    | readonly string[]
    | Readonly<Record<string, { readonly ipv4_address?: string }>>;
  readonly [key: string]: unknown;
}

interface Compose {
  readonly services: Readonly<Record<string, Service>>;
  readonly networks: Readonly<Record<string, Network>>;
  readonly volumes: Readonly<Record<string, unknown>>;
  readonly secrets?: Readonly<Record<string, unknown>>;
}

function composeOf(path: string): Compose {
  const document = parseDocument(textOf(path));
  const [wrong] = [...document.errors, ...document.warnings];
  if (wrong !== undefined) throw wrong;
  return document.toJS() as Compose;
}

function serviceOf(compose: Compose, name: string): Service {
  const found = compose.services[name];
  if (found === undefined) throw new Error(`there is no service ${name}`);
  return found;
}

const bundled = composeOf("docker-compose.yml");
const own = composeOf("deploy/compose/own-postgres.yml");
const traefik = composeOf("deploy/compose/traefik.yml");
const proxy = serviceOf(traefik, "traefik");
const behind = serviceOf(traefik, "server");
const port = Number(settings.port.preset);

/** What stands where a variable has to be given. */
const examples: Readonly<Record<string, string>> = {
  TIDEMARK_DOMAIN: "tidemark.example.com",
  ACME_EMAIL: "admin@example.com",
};

/** A value with its variables as compose puts them in: what is given, else what stands behind `:-`. */
function filled(value: string): string {
  return value.replaceAll(
    /\$\{(\w+)(?::([-?])([^}]*))?\}/g,
    (_, name: string, sign: string | undefined, fallback: string | undefined) =>
      examples[name] ?? (sign === "-" ? (fallback ?? "") : ""),
  );
}

test("[OPS92] each file in deploy/compose is one of those that are looked at here", () => {
  expect(readdirSync(join(root, "deploy/compose"))).toEqual(["own-postgres.yml", "traefik.yml"]);
});

test.each([
  ["docker-compose.yml", bundled],
  ["own-postgres.yml", own],
  ["traefik.yml", traefik],
])(
  "[OPS92] every setting that %s gives the server is one, and it takes each value",
  (_, compose) => {
    const all: readonly Setting<unknown>[] = Object.values(settings);
    const given = Object.entries(serviceOf(compose, "server").environment ?? {});
    const bad = given.filter(([name, value]) => {
      if (all.some(({ envFile }) => envFile === name)) return !value.startsWith("/run/secrets/");
      return all.find(({ env }) => env === name)?.parse(filled(value)).ok !== true;
    });
    expect(bad).toEqual([]);
    expect(given.length).toBeGreaterThan(1);
  },
);

test("[OPS92] without a bundled database the server is the same, and waits for none", () => {
  const { build, depends_on, ...rest } = serviceOf(bundled, "server");
  expect(build).toBe(".");
  expect(Object.keys(depends_on ?? {})).toEqual(["database"]);
  expect(serviceOf(own, "server")).toEqual({
    ...rest,
    build: "../..",
    extra_hosts: ["host.docker.internal:host-gateway"],
    networks: ["front"],
  });
  expect(Object.keys(own.services)).toEqual(["server"]);
  // Its network leads out: the database stands elsewhere.
  expect(own.networks).toEqual({ front: {} });
});

test("[OPS92] ports and health paths are the server's, and it is published to its own machine at most", () => {
  expect(serviceOf(own, "server").ports).toEqual([`127.0.0.1:${port}:${port}`]);
  expect(behind.ports).toBeUndefined();
  const service = "traefik.http.services.tidemark.loadbalancer";
  expect(behind.labels?.[`${service}.server.port`]).toBe(String(port));
  const paths = new Set<string>(Object.values(routeTable).map(({ path }) => path));
  const health = behind.labels?.[`${service}.healthcheck.path`] ?? "none";
  expect(health).toBe("/readyz");
  expect(paths.has(health)).toBe(true);
  // The server's own health check stands in the image, for every one of the files.
  const [, checked = "none"] = /127\.0\.0\.1:8420(\/\w+)/.exec(textOf("Dockerfile")) ?? [];
  expect(paths.has(checked)).toBe(true);
});

test("[OPS92] Traefik is believed by its one address, which nobody else on its network is given", () => {
  const networks = proxy.networks as Readonly<Record<string, { readonly ipv4_address: string }>>;
  expect(Object.keys(networks)).toEqual(["proxy"]);
  const address = networks["proxy"]?.ipv4_address ?? "";
  expect(behind.environment?.["TRUSTED_PROXIES"]).toBe(address);
  const [pool] = traefik.networks["proxy"]?.ipam?.config ?? [];
  const { subnet, ip_range: range } = pool ?? { subnet: "", ip_range: "" };
  expect(isWithin(address, subnet)).toBe(true);
  expect(isWithin(address, range)).toBe(false);
  expect(isWithin(range.split("/")[0] ?? "", subnet)).toBe(true);
  expect(behind.labels?.["traefik.docker.network"]).toBe(traefik.networks["proxy"]?.name);
  expect(Object.keys(behind.networks ?? {})).toEqual(["proxy"]);
  expect(proxy.command?.join("\n")).not.toMatch(/forwardedheaders|insecure/i);
});

test("[OPS92] Traefik asks for a certificate, keeps streams open, and lets go of connections first", () => {
  const flags = new Map(
    (proxy.command ?? []).map((line) => {
      const [name = "", value = ""] = line.split(/=(.*)/s);
      return [name, filled(value)];
    }),
  );
  const labels = behind.labels ?? {};
  const resolver = labels["traefik.http.routers.tidemark.tls.certresolver"] ?? "none";
  const acme = `--certificatesresolvers.${resolver}.acme`;
  expect(flags.get(`${acme}.tlschallenge`)).toBe("true");
  expect(flags.get(`${acme}.email`)).toBe(examples["ACME_EMAIL"]);
  const folder = (flags.get(`${acme}.storage`) ?? "").replace(/\/[^/]+$/, "");
  expect(proxy.volumes).toContain(`certificates:${folder}`);
  const entry = labels["traefik.http.routers.tidemark.entrypoints"] ?? "none";
  expect(flags.get(`--entrypoints.${entry}.address`)).toBe(":443");
  expect(flags.get(`--entrypoints.${entry}.transport.respondingtimeouts.readtimeout`)).toBe("1h");
  expect(flags.get("--serverstransport.forwardingtimeouts.idleconntimeout")).toBe("4s");
  expect(flags.get("--providers.docker.exposedbydefault")).toBe("false");
  const rule = labels["traefik.http.routers.tidemark.rule"] ?? "";
  const [, host = ""] = /^Host\(`(.+)`\)$/.exec(filled(rule)) ?? [];
  expect(host).not.toBe("");
  expect(filled(behind.environment?.["TIDEMARK_PUBLIC_URL"] ?? "")).toBe(`https://${host}`);
});

test("[OPS92] all that is mounted is declared, no file holds a secret, and none gives more rights", () => {
  const files = [own, traefik];
  for (const { services, ...declared } of files) {
    for (const service of Object.values(services)) {
      const mounts = (service.volumes ?? []).map((each) => each.split(":")[0] ?? "");
      const named = mounts.filter((each) => !each.startsWith("/"));
      expect(named.filter((each) => !Object.hasOwn(declared.volumes, each))).toEqual([]);
      const secrets = service.secrets ?? [];
      expect(secrets.filter((each) => !Object.hasOwn(declared.secrets ?? {}, each))).toEqual([]);
    }
  }
  for (const service of [serviceOf(own, "server"), proxy]) {
    expect(service).toMatchObject({
      read_only: true,
      cap_drop: ["ALL"],
      security_opt: ["no-new-privileges:true"],
    });
  }
  expect(proxy["cap_add"]).toEqual(["NET_BIND_SERVICE"]);
  // What is laid over the server takes none of its walls down.
  expect(Object.keys(behind).toSorted()).toEqual(["environment", "labels", "networks"]);
  const { version } = JSON.parse(textOf("package.json")) as { readonly version: string };
  expect(serviceOf(own, "server").image).toBe(`tidemark-server:${version}`);
  const settled = files.map((each) => JSON.stringify(each)).join("\n");
  expect(settled).not.toMatch(/postgres:\/\/|password|"privileged|network_mode|"pid"/i);
});

/** Whether an IPv4 address lies in a network such as 10.0.0.0/8. */
function isWithin(address: string, network: string): boolean {
  const [base = "", bits = "32"] = network.split("/");
  const number = (text: string): number =>
    text.split(".").reduce((sum, part) => sum * 256 + Number(part), 0);
  const size = 2 ** (32 - Number(bits));
  return Math.floor(number(address) / size) === Math.floor(number(base) / size);
}
