import { localNamespace, unpairedNamespace } from "@tidemark/protocol";
import { expect, test } from "vitest";
import { testStore } from "../store/testing/test-store.ts";
import { namespacesOfScrubbed } from "./bound-project.ts";
import { createDeviceScrubber, scrubOver } from "./scrub.ts";
import { testHmac } from "./testing/scrub.ts";

test("[CP91] a binding from before its name was scrubbed holds until the project is bound anew", () => {
  const options = { literals: ["moonshot"] };
  const scrub = scrubOver(createDeviceScrubber(new Uint8Array(32).fill(7), testHmac, options));
  const store = testStore();
  const name = "git:example.com/acme/moonshot";
  const namespaceNow = () => namespacesOfScrubbed({ store, scrub })(scrub.text(name));
  store.bindings.bind(name, localNamespace);
  expect(namespaceNow()).toBe(localNamespace);
  store.bindings.bind(scrub.text(name), unpairedNamespace);
  expect(namespaceNow()).toBe(unpairedNamespace);
  store.close();
});
