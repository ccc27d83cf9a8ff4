/**
 * A module of Node's own that is loaded when it is first asked for. `node:crypto` alone costs a
 * hook four milliseconds, as it brings streams with it, and most hooks never need it.
 */
export const builtin = {
  crypto: () => process.getBuiltinModule("node:crypto"),
  childProcess: () => process.getBuiltinModule("node:child_process"),
  os: () => process.getBuiltinModule("node:os"),
} as const;
