/** The server looks for secrets too, and a device that had missed one mends it by itself. */
import { afterEach, expect, test } from "vitest";
import { createWorld, type World } from "./world.ts";

let world: World | undefined;

afterEach(() => {
  world?.close();
});

/** Put together here, so that no file holds one. */
const token = ["ghp", "Q7hX2mVd9Lr4TnB6yKcW8sJf3GzP5u0aEeRt"].join("_");

test("[SC60, SC61] a value that a server refuses for its secret is scrubbed and sent again by itself", async () => {
  const told: string[] = [];
  const made = await createWorld(async (_, deliver) => {
    const response = await deliver();
    told.push(await response.clone().text());
    return response;
  });
  world = made;
  made.a.put("r1", { title: `cloned with ${token} today` });
  made.a.put("r2", { title: "nothing to hide" });
  expect(await made.a.sync()).toMatchObject({ isDone: true });
  await made.b.sync();
  const { r1, ...others } = made.b.titles();
  expect(r1).toMatch(/^cloned with __SECRET_github_pat_[a-z2-7]{12}__ today$/);
  expect(others).toEqual({ r2: "nothing to hide" });
  expect(made.a.titles()).toEqual(made.b.titles());
  expect(made.a.store.reads.rejected()).toEqual([]);
  expect(told.join("\n")).not.toContain(token.slice(4));
  expect(told.join("\n")).toContain("secret-detected");
});

test("[SC61] an edit that was refused for its secret keeps the rest of the record", async () => {
  const made = await createWorld();
  world = made;
  made.a.put("r1", { title: "first", narrative: "stays" });
  await made.a.sync();
  made.a.set("r1", { title: `now ${token}` });
  expect(await made.a.sync()).toMatchObject({ isDone: true });
  await made.b.sync();
  const [view] = made.b.store.reads.records("observation");
  expect(view?.fields).toMatchObject({ narrative: "stays" });
  expect(view?.fields["title"]).toMatch(/^now __SECRET_github_pat_/);
});
