import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { expect, test } from "vitest";
import { newDeviceKey } from "../platform/device-key.ts";
import type { LetIn } from "../sync/access/pulled-pairing.ts";
import { giveUp } from "./ask-to-join.ts";

test("[AU23] a device that declines gives itself up, also where it is its person's last", async () => {
  const asked: string[] = [];
  const server = createServer((request, response) => {
    asked.push(`${request.method ?? ""} ${request.url ?? ""}`);
    const isToken = request.url === "/v1/auth/token";
    response.setHeader("content-type", "application/json");
    response.end(
      JSON.stringify(isToken ? { access_token: "a.b.c", token_type: "DPoP", expires_in: 600 } : {}),
    );
  });
  await new Promise<void>((resolve) => {
    server.listen(0, "127.0.0.1", resolve);
  });
  const { port } = server.address() as AddressInfo;
  const letIn = { admission: { device: { id: "dev_1" } } } as unknown as LetIn;
  try {
    const own = { letIn, key: newDeviceKey() };
    const done = await giveUp(`http://127.0.0.1:${port}`, own, new AbortController().signal);
    expect(done).toEqual({ ok: true, value: undefined });
    expect(asked).toEqual(["POST /v1/auth/token", "DELETE /v1/devices/dev_1?force=true"]);
  } finally {
    server.closeAllConnections();
    server.close();
  }
});
