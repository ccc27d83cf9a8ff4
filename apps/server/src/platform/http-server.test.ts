import { expect, test } from "vitest";
import { claimServer, outcome, signedHeadersFor, type Sending } from "../http/testing/client.ts";
import { createHarness } from "../http/testing/harness.ts";
import { listen } from "./http-server.ts";
import { exchange } from "./testing/raw-http.ts";
import { systemTimers } from "./timers.ts";

async function serving() {
  const harness = createHarness();
  const owner = await claimServer(harness);
  const http = await listen(
    systemTimers,
    { host: "127.0.0.1", port: 0 },
    async () => await Promise.resolve(harness.app),
  );
  return { harness, owner, http };
}

test("[AU6] the address of a proof is compared with the public URLs, whatever the request says (abuse 63)", async () => {
  const { harness, owner, http } = await serving();
  try {
    const evil = "http://evil.example/v1/devices";
    const proof: Sending["proof"] = ({ header, claims }) => ({
      header,
      claims: { ...claims, htu: evil },
    });
    for (const target of ["/v1/devices", evil]) {
      for (const [sending, status] of [[{}, 200] as const, [{ proof }, 401] as const]) {
        const headers = await signedHeadersFor(harness, owner, "/v1/devices", sending);
        const lines = Object.entries(headers).map(([name, value]) => `${name}: ${value}`);
        const rest = [...lines, "x-forwarded-host: evil.example", "connection: close"].join("\r\n");
        const request = `GET ${target} HTTP/1.1\r\nhost: evil.example\r\n${rest}\r\n\r\n`;
        expect(await exchange(http.port, request)).toContain(`HTTP/1.1 ${status} `);
        // A good proof was taken by now; one for the other host may not pass with two of them.
        const twice = request.replace("host: ", "host: tidemark.example\r\nhost: ");
        expect(await exchange(http.port, twice)).toMatch(/^HTTP\/1\.1 40[01] /);
      }
    }
  } finally {
    await http.close(100);
  }
});

test("[AU6] two Authorization headers or two proofs are refused on the socket as well (abuse 68)", async () => {
  const { harness, owner, http } = await serving();
  try {
    for (const twice of ["authorization", "dpop"] as const) {
      const headers = await signedHeadersFor(harness, owner, "/v1/devices");
      const lines = Object.entries(headers).map(([name, value]) => `${name}: ${value}`);
      const text = [...lines, `${twice}: ${headers[twice]}`, "connection: close"].join("\r\n");
      const answer = await exchange(
        http.port,
        `GET /v1/devices HTTP/1.1\r\nhost: a\r\n${text}\r\n\r\n`,
      );
      expect(answer).toMatch(/^HTTP\/1\.1 401 /);
    }
  } finally {
    await http.close(100);
  }
});

test("[WR12] a chunked body without end is cut off at the limit", async () => {
  const { http } = await serving();
  try {
    const body = `${(70_000).toString(16)}\r\n${"x".repeat(70_000)}\r\n0\r\n\r\n`;
    const head = "POST /v1/join HTTP/1.1\r\nhost: a\r\ncontent-type: application/json";
    const answer = await exchange(
      http.port,
      `${head}\r\ntransfer-encoding: chunked\r\nconnection: close\r\n\r\n${body}`,
    );
    expect(answer).toMatch(/^HTTP\/1\.1 413 /);
  } finally {
    await http.close(100);
  }
});

test("[OPS22] closing waits for open streams no longer than it is told", async () => {
  const { harness, owner, http } = await serving();
  const headers = await signedHeadersFor(harness, owner, "/v1/pokes");
  const response = await fetch(`http://127.0.0.1:${http.port}/v1/pokes`, { headers });
  expect(response.status).toBe(200);
  const reader = response.body?.getReader();
  await reader?.read();
  await http.close(50);
  await expect(fetch(`http://127.0.0.1:${http.port}/healthz`)).rejects.toThrow("fetch failed");
  await reader?.cancel().catch(() => {});
  expect(await outcome(await owner.send("/v1/devices"))).toBe("200");
});

test("[WR15] methods that no client has, and paths with dots, reach no handler on the socket (abuse 92)", async () => {
  const { harness, owner, http } = await serving();
  try {
    const id = owner.admission.device.id;
    const path = `/v1/devices/${id}`;
    for (const line of [
      `TRACE ${path}`,
      `CONNECT ${path}`,
      `PROPFIND ${path}`,
      `DELETE /v1/nothing/../devices%2f${id}`,
      `DELETE /v1/devices/..;/${id}`,
    ]) {
      const [method = "", target = ""] = line.split(" ");
      const signed = await signedHeadersFor(harness, owner, target, { method });
      const lines = Object.entries(signed).map(([name, value]) => `${name}: ${value}`);
      const rest = ["host: tidemark.example", ...lines, "connection: close"].join("\r\n");
      const answer = await exchange(http.port, `${line} HTTP/1.1\r\n${rest}\r\n\r\n`);
      expect(answer.slice(0, 12)).not.toMatch(/HTTP\/1\.1 [25]/);
    }
    const [device] = await harness.store.accounts.devices(id);
    expect(device).toMatchObject({ id, status: "active" });
  } finally {
    await http.close(100);
  }
});
