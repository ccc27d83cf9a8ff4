import type { NamespaceId } from "./ids.ts";

/** The namespace that never leaves the device. */
export const localNamespace = "local" as NamespaceId;

/** The personal namespace of a device that is not paired yet; it takes the server's id at pairing. */
export const unpairedNamespace = "personal" as NamespaceId;
