/** Connections that a store opens at most, where nobody says another number. */
export const poolSizePreset = 8;
