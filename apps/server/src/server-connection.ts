/** What connections of a server call themselves, so that the database shows whose they are. */
export const serverConnection = "tidemark-server";
