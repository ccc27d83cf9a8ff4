import { connect } from "node:net";
import { claim } from "../claim.mjs";

/** The titles that the two laptops give the same observation while they cannot talk. */
export const titles = {
  a: "Diffs are rendered on the server (laptop-a)",
  b: "Diffs are rendered in the browser (laptop-b)",
};

/** The network goes away; both laptops keep working, on the same observation. */
export const part = {
  short: "Offline",
  title: "The network is gone; both laptops edit the same observation",
  async run(world, { screen }) {
    const { wire, laptopA, laptopB, edited, hookCalls } = world;
    for (const device of [laptopA, laptopB]) await device.settle();
    await wire.cut();
    claim(await isRefused(wire.port), "nothing answers at the server's address");
    await laptopA.ask("edit", edited.id, "--set", `title=${titles.a}`);
    await laptopB.ask("edit", edited.id, "--set", `title=${titles.b}`);
    const shown = await laptopA.ask("show", edited.id);
    claim(shown.title === titles.a, "an edit without a network is seen at once", shown);

    screen.progress("a hook captures");
    const before = await laptopA.ask("list", "--all");
    await laptopA.hook("UserPromptSubmit", offlinePrompt(hookCalls[0].payload));
    const after = await laptopA.ask("list", "--all");
    claim(after.total === before.total + 1, "a hook captures without a network", {
      before: before.total,
      after: after.total,
    });

    screen.progress("a sync is tried");
    const tried = await laptopB.attempt("sync");
    claim(tried.code === 1, "a sync without a network says that it failed", tried);
    const standing = [await laptopA.ask("status"), await laptopB.ask("status")].map(personalOf);
    claim(
      standing.every(({ outbox, synced }) => outbox > 0 && !synced),
      "status says that changes wait",
      standing,
    );
    return {
      facts: [
        `laptop-a  “${titles.a}”`,
        `laptop-b  “${titles.b}”`,
        `capture goes on; ${standing[0].outbox} and ${standing[1].outbox} changes wait in the outboxes`,
      ],
      summary: "capture and edit without a network",
    };
  },
};

/** The namespace of one's own, as `status` tells it. */
function personalOf(status) {
  return status.namespaces.find(({ name }) => name === "personal");
}

function offlinePrompt(first) {
  const { session_id, transcript_path, cwd, permission_mode } = first;
  return {
    session_id: `${session_id}-offline`,
    transcript_path,
    cwd,
    permission_mode,
    hook_event_name: "UserPromptSubmit",
    prompt: "While we are offline: make the review page keep its scroll position after a comment.",
  };
}

function isRefused(port) {
  return new Promise((resolve) => {
    const socket = connect(port, "127.0.0.1");
    socket.once("connect", () => {
      socket.destroy();
      resolve(false);
    });
    socket.once("error", (error) => resolve(error.code === "ECONNREFUSED"));
  });
}
