import type { Failure } from "../transport.ts";

/** What stands between this device and its server, and what a person does about it. */
export interface WayTrouble {
  readonly failure: Failure;
  readonly hint: string;
}

/** An answer that nobody vouches for: an authority of one's own, a wrong name, or a time that is over. */
const untrusted: WayTrouble = {
  failure: {
    family: "retry",
    code: "untrusted-certificate",
    title: "The server's certificate is not trusted here.",
  },
  hint:
    "if an authority of your own signed it, set NODE_EXTRA_CA_CERTS to the file of that authority's certificate; " +
    "else check the address, this machine's clock, and when the certificate ends",
};

const pastIt = "name the server in NO_PROXY if it is reached without one";

/** By the codes of the error that came in an answer's place: those of Node.js and OpenSSL, and our own. */
const byCause: ReadonlyMap<unknown, WayTrouble> = new Map([
  ["DEPTH_ZERO_SELF_SIGNED_CERT", untrusted],
  ["SELF_SIGNED_CERT_IN_CHAIN", untrusted],
  ["UNABLE_TO_VERIFY_LEAF_SIGNATURE", untrusted],
  ["UNABLE_TO_GET_ISSUER_CERT", untrusted],
  ["UNABLE_TO_GET_ISSUER_CERT_LOCALLY", untrusted],
  ["CERT_HAS_EXPIRED", untrusted],
  ["CERT_NOT_YET_VALID", untrusted],
  ["ERR_TLS_CERT_ALTNAME_INVALID", untrusted],
  [
    "PROXY_UNUSABLE",
    proxyTrouble({
      code: "proxy-unusable",
      title: "What HTTPS_PROXY names is no proxy that can be used.",
      hint:
        "set it to an http or https address such as http://proxy.example:3128, " +
        "with %25 for a %, %2F for a / and %23 for a # in a name or password; or unset it",
    }),
  ],
  [
    "PROXY_UNREACHABLE",
    proxyTrouble({
      code: "proxy-unreachable",
      title: "The proxy that HTTPS_PROXY names cannot be reached.",
      hint: `check HTTPS_PROXY and the network; ${pastIt}`,
    }),
  ],
  [
    "PROXY_AUTHENTICATION",
    proxyTrouble({
      code: "proxy-authentication",
      title: "The proxy that HTTPS_PROXY names wants another name and password.",
      hint: "set HTTPS_PROXY=http://NAME:PASSWORD@HOST:PORT, with %40 for an @ in either",
    }),
  ],
  [
    "PROXY_REFUSED",
    proxyTrouble({
      code: "proxy-refused",
      title: "The proxy that HTTPS_PROXY names lets nobody through to the server.",
      hint: `ask who runs the proxy to allow the server's address and port; ${pastIt}`,
    }),
  ],
  [
    "PROXY_REACHES_NOBODY",
    proxyTrouble({
      code: "proxy-reaches-nobody",
      title: "The proxy that HTTPS_PROXY names does not reach the server.",
      hint: `check the server's address; ${pastIt}`,
    }),
  ],
]);

function proxyTrouble({
  code,
  title,
  hint,
}: Record<"code" | "title" | "hint", string>): WayTrouble {
  return { failure: { family: "retry", code, title }, hint };
}

/** What an error's code tells of the way; undefined for all else. */
export function wayTroubleBy(cause: unknown): Failure | undefined {
  return byCause.get(cause)?.failure;
}

/** What to do about a failure of the way; undefined for all others. */
export function wayHintOf(code: string): string | undefined {
  return [...byCause.values()].find(({ failure }) => failure.code === code)?.hint;
}
