/** Whom the commands take this device for. */
export const testIdentity = {
  device: { id: "dev_own", name: "mbp" },
  user: { id: "usr_1", name: "Ada" },
  server: { id: "srv_1", url: "https://tidemark.example" },
};
