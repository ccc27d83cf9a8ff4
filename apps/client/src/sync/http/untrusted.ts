import type { Failure } from "../transport.ts";

/** An answer that nobody vouches for: an authority of one's own, a wrong name, or a time that is over. */
export const untrusted: Failure = {
  family: "retry",
  code: "untrusted-certificate",
  title: "The server's certificate is not trusted here.",
};

/** What a person does about it. */
export const untrustedHint =
  "if an authority of your own signed it, set NODE_EXTRA_CA_CERTS to the file of that authority's certificate; " +
  "else check the address, this machine's clock, and when the certificate ends";
