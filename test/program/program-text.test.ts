/** That the built programs hold the very characters of their sources. */
import { afterAll, expect, test } from "vitest";
import { createDevices } from "./client-process.ts";

const devices = createDevices();
const laptop = devices.device("laptop");
const secret = "Vesna-Groza77!kq";

afterAll(() => {
  devices.clear();
});

test.each([
  ["Chinese", `密码：${secret}`],
  ["Chinese, said", `数据库密码是 ${secret}`],
  ["Japanese", `パスワードは ${secret} です`],
  ["Korean", `비밀번호는 ${secret} 입니다`],
])("[RL6] the built command line scrubs what is said in %s", async (_, line) => {
  const { code, stdout } = await laptop.run(["scrub"], `${line}\n`);
  expect(code).toBe(0);
  expect(stdout).not.toContain(secret);
  expect(stdout).toContain("__SECRET_");
});

test("[RL6] the built hook scrubs what is said in other scripts", async () => {
  const session = "s-other-scripts";
  const hook = async (event: string, payload: object): Promise<void> => {
    const given = { session_id: session, cwd: laptop.folder, hook_event_name: event, ...payload };
    await laptop.run(["hook", "claude-code", event], JSON.stringify(given));
  };
  await hook("UserPromptSubmit", { prompt: `From now on 数据库密码是 ${secret} in every test.` });
  await hook("SessionEnd", { reason: "exit" });
  const kept = await laptop.run(["list", "--all", "--json"]);
  expect(kept.stdout).toContain("数据库密码是");
  expect(kept.stdout).not.toContain(secret);
});
