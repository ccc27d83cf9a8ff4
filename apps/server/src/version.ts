/** The version of this program, as `--version` and `hello` tell it. */
export const version = "0.1.0";
