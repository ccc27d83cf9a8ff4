/** Bytes from which on a check of the whole database takes long enough to be noticed: half a second. */
export const largeDatabaseBytes: number = 16 * 1024 * 1024;
