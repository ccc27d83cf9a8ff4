import {
  chainNext,
  chainStart,
  opLine,
  type NamespaceId,
  type Op,
  type RecordId,
  type WriterId,
} from "@tidemark/protocol";
import type { Admission, Hello, NamespaceInfo, TokenAnswer } from "@tidemark/protocol/wire";
import { ndjsonType } from "@tidemark/protocol/wire";
import { secretHash } from "../../auth/link-secrets.ts";
import {
  assertionParts,
  createTestDevice,
  proofParts,
  type ProofParts,
  type TestDevice,
} from "../../auth/testing/device.ts";
import { sha256 } from "../../platform/hash.ts";
import { bodyText } from "./harness.ts";

/** A server under test, in this process or another. */
export interface Server {
  /** The first of its public URLs. */
  readonly url: string;
  readonly app: { fetch(request: Request): Promise<Response> };
  readonly clock: { nowMs(): number };
  /** A setup secret that opens it. */
  setupSecret(): Promise<string>;
}

/** What a test may change about one request. */
export interface Sending {
  readonly method?: string;
  readonly body?: string | Uint8Array;
  readonly headers?: Readonly<Record<string, string>>;
  /** Changes the proof before it is signed. */
  readonly proof?: (parts: ProofParts) => ProofParts;
}

/** A device that speaks the protocol with real keys, a request at a time. */
export interface TestClient {
  readonly device: TestDevice;
  readonly admission: Admission;
  readonly token: string;
  send(path: string, sending?: Sending): Promise<Response>;
  /** Sends JSON and reads the JSON answer; throws on an error. */
  call<T>(method: string, path: string, body?: object): Promise<T>;
  hello(): Promise<Hello>;
  createNamespace(name: string): Promise<NamespaceInfo>;
  /** Makes an invite or device link and gives its id and the text that opens it. */
  createLink(request: object): Promise<{ id: string; auth: string }>;
}

/** Asks without any credentials. */
export async function ask(server: Server, path: string, init: RequestInit = {}): Promise<Response> {
  return await server.app.fetch(new Request(server.url + path, init));
}

/** Sends JSON without any credentials. */
export async function post(server: Server, path: string, body: unknown): Promise<Response> {
  const headers = { "content-type": "application/json" };
  return await ask(server, path, { method: "POST", headers, body: JSON.stringify(body) });
}

/** The status and the code of an answer. */
export async function outcome(response: Response): Promise<string> {
  const text = await bodyText(response);
  const code = text === "" ? undefined : (JSON.parse(text) as { code?: string }).code;
  return code === undefined ? String(response.status) : `${response.status} ${code}`;
}

/** Opens the setup link as the first device of the owner. */
export async function claimServer(server: Server, name = "ada"): Promise<TestClient> {
  const device = await createTestDevice(`${name} laptop`);
  const secret = await server.setupSecret();
  const response = await post(server, "/v1/setup", {
    secret,
    user: { name },
    device: newDevice(device, "laptop"),
  });
  return await enter(server, device, response);
}

/** Opens a device link or an invite. */
export async function joinServer(
  server: Server,
  link: { id: string; auth: string },
  name: string,
): Promise<TestClient> {
  const device = await createTestDevice(name);
  const response = await post(server, "/v1/join", joinRequest(link, device, name));
  return await enter(server, device, response);
}

/** The body of a join. */
export function joinRequest(
  link: { id: string; auth: string },
  device: TestDevice,
  name: string,
): object {
  return { ...link, mac: "m".repeat(43), device: newDevice(device, name), user: { name } };
}

/** What a device says of itself. */
export function newDevice(device: TestDevice, name: string): object {
  return { name, platform: "linux x64", key: device.key };
}

/** The form of a token request. */
export async function assertionForm(
  server: Server,
  device: TestDevice,
  change: { id: string; claims?: object; header?: object },
): Promise<string> {
  const nowMs = server.clock.nowMs();
  const { header, claims } = assertionParts(device, { id: change.id, audience: server.url, nowMs });
  const assertion = await device.sign(
    { ...header, ...change.header },
    { ...claims, ...change.claims },
  );
  return new URLSearchParams({
    grant_type: "client_credentials",
    client_assertion_type: "urn:ietf:params:oauth:client-assertion-type:jwt-bearer",
    client_assertion: assertion,
  }).toString();
}

/** Asks for a token; the proof is of `prover`, by default the device itself. */
export async function askToken(
  server: Server,
  device: TestDevice,
  form: { body: string; prover?: TestDevice; proof?: string },
): Promise<Response> {
  const proof = form.proof ?? (await tokenProof(server, form.prover ?? device));
  const headers = { "content-type": "application/x-www-form-urlencoded", dpop: proof };
  return await ask(server, "/v1/auth/token", { method: "POST", headers, body: form.body });
}

/** A proof for the token endpoint. */
export async function tokenProof(server: Server, device: TestDevice): Promise<string> {
  const url = `${server.url}/v1/auth/token`;
  const parts = proofParts(device, { method: "POST", url, nowMs: server.clock.nowMs() });
  return await device.sign(parts.header, parts.claims);
}

async function enter(server: Server, device: TestDevice, response: Response): Promise<TestClient> {
  if (response.status !== 201) throw new Error(await outcome(response));
  return await signIn(server, device, JSON.parse(await bodyText(response)) as Admission);
}

/** Gets a token for a device that was admitted. */
export async function signIn(
  server: Server,
  device: TestDevice,
  admission: Admission,
): Promise<TestClient> {
  const body = await assertionForm(server, device, { id: admission.device.id });
  const granted = await askToken(server, device, { body });
  if (granted.status !== 200) throw new Error(await outcome(granted));
  const { access_token: token } = JSON.parse(await bodyText(granted)) as TokenAnswer;
  return createClient(server, { device, admission, token });
}

/** A client of a device that has a token. */
export function createClient(
  server: Server,
  own: Pick<TestClient, "device" | "admission" | "token">,
): TestClient {
  const send = async (path: string, sending: Sending = {}): Promise<Response> => {
    const headers = await signedHeaders(server, own, { path, sending });
    const { method = "GET", body } = sending;
    return await ask(server, path, { method, headers, ...(body === undefined ? {} : { body }) });
  };
  const call = async <T>(method: string, path: string, body?: object): Promise<T> => {
    const response = await send(path, {
      method,
      ...(body === undefined ? {} : { body: JSON.stringify(body) }),
      headers: { "content-type": "application/json" },
    });
    if (response.status >= 300) throw new Error(await outcome(response));
    return JSON.parse(await bodyText(response)) as T;
  };
  return {
    ...own,
    send,
    call,
    hello: async () => await call<Hello>("GET", "/v1/hello"),
    createNamespace: async (name) => await call<NamespaceInfo>("POST", "/v1/namespaces", { name }),
    createLink: async (request) => {
      const auth = `auth of a link ${JSON.stringify(request)}`;
      const authHash = secretHash({ sha256 }, auth);
      const { id } = await call<{ id: string }>("POST", "/v1/links", { ...request, authHash });
      return { id, auth };
    },
  };
}

async function signedHeaders(
  server: Server,
  own: Pick<TestClient, "device" | "token">,
  request: { path: string; sending: Sending },
): Promise<Record<string, string>> {
  const { path, sending } = request;
  const [bare = ""] = path.split("?");
  const query = new URL(server.url + path).search.slice(1);
  const nowMs = server.clock.nowMs();
  const { method = "GET", proof: change } = sending;
  const { token, device } = own;
  const parts = proofParts(device, { method, url: server.url + bare, nowMs, token, query });
  const { header, claims } = change === undefined ? parts : change(parts);
  const dpop = await device.sign(header, claims);
  return { authorization: `DPoP ${token}`, dpop, ...sending.headers };
}

/** The two headers of a correct request, for tests that write it themselves. */
export async function signedHeadersFor(
  server: Server,
  client: TestClient,
  path: string,
  sending: Sending = {},
): Promise<{ authorization: string; dpop: string }> {
  const headers = await signedHeaders(server, client, { path, sending });
  return { authorization: headers["authorization"] ?? "", dpop: headers["dpop"] ?? "" };
}

/** A writer that pushes puts, one position after the other. */
export interface TestWriter {
  readonly writer: WriterId;
  /** The body of a push of one record for each title. */
  body(titles: readonly string[]): string;
}

/** Makes a writer for a namespace. */
export function createTestWriter(name: string): TestWriter {
  const writer = name as WriterId;
  let after = 0;
  let chain = chainStart(sha256, writer);
  return {
    writer,
    body: (titles) => {
      const header = JSON.stringify({ writer, after, chain });
      const lines = titles.map((title) => {
        after += 1;
        const line = opLine(putOp(name, after, title));
        chain = chainNext(sha256, chain, line);
        return line;
      });
      return `${[header, ...lines].join("\n")}\n`;
    },
  };
}

/** Pushes a body to a namespace. */
export async function push(
  client: TestClient,
  namespace: NamespaceId,
  body: string | Uint8Array,
  headers: Readonly<Record<string, string>> = {},
): Promise<Response> {
  return await client.send(`/v1/namespaces/${namespace}/ops`, {
    method: "POST",
    body,
    headers: { "content-type": ndjsonType, ...headers },
  });
}

function putOp(writer: string, n: number, title: string): Op {
  return {
    n,
    record: `${writer}-record-${n}` as RecordId,
    collection: "observation",
    lamport: n,
    at: 1_790_000_000_000,
    op: "put",
    fields: { title },
  };
}
