/** Version of this program; a test compares it with the package's. */
export const version = "0.1.0";
