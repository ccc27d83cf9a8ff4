import { readFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { expect, test } from "vitest";
import { parseAllDocuments } from "yaml";
import { settings, type Setting } from "../apps/server/src/config/settings.ts";
import { routeTable } from "../apps/server/src/http/route-table.ts";

const root = fileURLToPath(new URL("..", import.meta.url));
const textOf = (path: string): string => readFileSync(join(root, path), "utf8");

interface Probe {
  readonly httpGet: { readonly path: string; readonly port: string | number };
}

interface Container {
  readonly image: string;
  readonly args: readonly string[];
  readonly env: readonly { readonly name: string; readonly value?: string }[];
  readonly ports?: readonly { readonly name: string; readonly containerPort: number }[];
  readonly startupProbe?: Probe;
  readonly livenessProbe?: Probe;
  readonly readinessProbe?: Probe;
  readonly securityContext: Readonly<Record<string, unknown>>;
  readonly volumeMounts: readonly { readonly name: string }[];
}

interface Manifest {
  readonly kind: string;
  readonly metadata: { readonly name: string; readonly namespace?: string };
  readonly data?: Readonly<Record<string, string>>;
  readonly spec?: unknown;
}

interface PodSpec {
  readonly initContainers: readonly Container[];
  readonly containers: readonly Container[];
  readonly securityContext: unknown;
  readonly automountServiceAccountToken: boolean;
  readonly volumes: readonly { readonly name: string }[];
}

interface Spec {
  readonly selector: Readonly<Record<string, unknown>>;
  readonly template: { readonly metadata: { readonly labels: unknown }; readonly spec: PodSpec };
}

function manifestsOf(path: string): readonly Manifest[] {
  return parseAllDocuments(textOf(path)).map((document) => {
    if (document.errors[0] !== undefined) throw document.errors[0];
    return document.toJS() as Manifest;
  });
}

const manifests = ["tidemark", "autoscale"].flatMap((name) =>
  manifestsOf(`deploy/kubernetes/${name}.yaml`),
);

function manifest(kind: string): Manifest {
  const found = manifests.filter((each) => each.kind === kind);
  if (found[0] === undefined || found.length > 1) throw new Error(`${found.length} of ${kind}`);
  return found[0];
}

const deployment = manifest("Deployment").spec as Spec;
const pod = deployment.template.spec;
const containers = [...pod.initContainers, ...pod.containers];

test("[OPS90] every setting that the manifests name is the server's, and it takes each value", () => {
  const all: readonly Setting<unknown>[] = Object.values(settings);
  const given = [
    ...containers.flatMap(({ env }) => env.map(({ name, value }) => [name, value] as const)),
    ...Object.entries(manifest("ConfigMap").data ?? {}),
  ];
  const bad = given.filter(([name, value]) => {
    const row = all.find(({ env, envFile }) => env === name || envFile === name);
    return row === undefined || (value !== undefined && !row.parse(value).ok);
  });
  expect(bad).toEqual([]);
  expect(given.length).toBeGreaterThan(4);
});

test("[OPS90] ports and paths of probes are the server's", () => {
  const [server] = pod.containers;
  const paths = new Set<string>(Object.values(routeTable).map(({ path }) => path));
  const { startupProbe, livenessProbe, readinessProbe } = server ?? {};
  const probes = [startupProbe, livenessProbe, readinessProbe].flatMap((probe) => probe ?? []);
  expect(probes.map(({ httpGet }) => httpGet.path)).toEqual(["/healthz", "/healthz", "/readyz"]);
  expect(probes.filter(({ httpGet }) => !paths.has(httpGet.path))).toEqual([]);
  expect(probes.map(({ httpGet }) => httpGet.port)).toEqual(["http", "http", "http"]);
  const port = Number(settings.port.preset);
  expect(server?.ports).toEqual([{ name: "http", containerPort: port }]);
  expect(textOf("Dockerfile")).toContain(`TIDEMARK_PORT=${port} `);
  expect(JSON.stringify(manifest("Service").spec)).toContain('"targetPort":"http"');
  expect(JSON.stringify(manifest("NetworkPolicy").spec)).toContain(`"ports":[{"port":${port}}]`);
});

test("[OPS90] the image is of this version, and its commands are migrate, then serve", () => {
  const { version } = JSON.parse(textOf("package.json")) as { readonly version: string };
  expect(containers.map(({ image, args }) => [image, ...args])).toEqual([
    [`tidemark-server:${version}`, "migrate"],
    [`tidemark-server:${version}`, "serve"],
  ]);
});

test("[OPS90] the pods fit the restricted profile, and write to volumes of theirs alone", () => {
  expect(pod.securityContext).toMatchObject({
    runAsNonRoot: true,
    runAsUser: 10_001,
    seccompProfile: { type: "RuntimeDefault" },
  });
  expect(textOf("Dockerfile")).toContain("USER 10001:10001");
  expect(pod.automountServiceAccountToken).toBe(false);
  for (const { securityContext } of containers) {
    expect(securityContext).toEqual({
      allowPrivilegeEscalation: false,
      readOnlyRootFilesystem: true,
      capabilities: { drop: ["ALL"] },
    });
  }
  const volumes = new Set(pod.volumes.map(({ name }) => name));
  const mounts = containers.flatMap(({ volumeMounts }) => volumeMounts.map(({ name }) => name));
  expect(mounts.filter((name) => !volumes.has(name))).toEqual([]);
  const text = textOf("deploy/kubernetes/tidemark.yaml");
  expect(text).not.toMatch(/privileged|host(?:Path|Network|PID|IPC|Port)|kind: Secret$/m);
  expect(text).not.toMatch(/postgres:\/\//);
});

test("[OPS90] all that selects pods selects those of the deployment", () => {
  const { labels } = deployment.template.metadata;
  const budget = manifest("PodDisruptionBudget").spec as Spec;
  const policy = manifest("NetworkPolicy").spec as { readonly podSelector: unknown };
  expect(deployment.selector).toEqual({ matchLabels: labels });
  expect((manifest("Service").spec as Spec).selector).toEqual(labels);
  expect(budget.selector).toEqual({ matchLabels: labels });
  expect(policy.podSelector).toEqual({ matchLabels: labels });
  const scaled = manifest("HorizontalPodAutoscaler").spec as { readonly scaleTargetRef: unknown };
  expect(scaled.scaleTargetRef).toMatchObject({
    kind: "Deployment",
    name: manifest("Deployment").metadata.name,
  });
  const placed = manifests.filter(({ kind }) => kind !== "Namespace");
  expect(new Set(placed.map(({ metadata }) => metadata.namespace))).toEqual(new Set(["tidemark"]));
});
