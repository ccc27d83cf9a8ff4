import { describe, expect, test } from "vitest";
import { alnum, base64, drawChars, hex, testScrubber } from "../testing/fakes.ts";

const scrubber = testScrubber();
const encode = (text: string): string => btoa(text);
const lines = Array.from({ length: 12 }, (_, index) => drawChars(base64, 64, index + 1));
const last = `${drawChars(base64, 22, 99)}==`;
const label = ["RSA PRIVATE", "KEY"].join(" ");
const pemLines = [`-----BEGIN ${label}-----`, ...lines, last, `-----END ${label}-----`];
const body = [...lines, last];

const pemContexts: Readonly<Record<string, string>> = {
  file: pemLines.join("\n"),
  CRLF: pemLines.join("\r\n"),
  "one line with blanks": pemLines.join(" "),
  "escaped line ends": pemLines.join("\\n"),
  "twice escaped line ends": pemLines.join("\\\\n"),
  json: JSON.stringify({ key: pemLines.join("\n"), after: "kept" }),
  "json in json": JSON.stringify({ t: JSON.stringify({ key: `${pemLines.join("\n")}\n` }) }),
  "list of lines": JSON.stringify(pemLines),
  "indented list of lines": JSON.stringify({ key: pemLines }, null, 2),
  "joined strings": pemLines.map((line) => `  "${line}\\n"`).join(" +\n"),
  yaml: `key: |\n${pemLines.map((line) => `    ${line}`).join("\n")}\nafter: kept`,
  diff: pemLines.map((line) => `+${line}`).join("\n"),
  "cat -n": pemLines.map((line, index) => `${String(index + 1).padStart(6)}\t${line}`).join("\n"),
  "numbers with arrows": pemLines
    .map((line, index) => `${String(index + 1).padStart(5)}→${line}`)
    .join("\n"),
  dotenv: `KEY="${pemLines.join("\n")}"\nNEXT=kept`,
  "no closing line": pemLines.slice(0, -1).join("\n"),
  "cut off in the middle": `${pemLines.slice(0, 6).join("\n")}\n[output cut]`,
  "no opening line": pemLines.slice(1).join("\n"),
};

describe("private keys in armour", () => {
  test.each(Object.entries(pemContexts))("[SC7] every line goes: %s", (_context, input) => {
    const { text } = scrubber.scrub(input);
    for (const line of body) expect(text).not.toContain(line);
    expect(scrubber.scrub(text).text).toBe(text);
    if (/^[[{]/.test(input)) expect(() => JSON.parse(text)).not.toThrow();
    expect(text.includes("kept")).toBe(input.includes("kept"));
  });

  test("[SC3] a key has one placeholder, however its lines end", () => {
    const whole = [
      "file",
      "CRLF",
      "json",
      "json in json",
      "yaml",
      "diff",
      "cat -n",
      "list of lines",
    ];
    const tags = whole.map(
      (context) => scrubber.scrub(pemContexts[context] ?? "").findings[0]?.placeholderTag,
    );
    expect(new Set(tags).size).toBe(1);
  });

  test.each([
    "ENCRYPTED PRIVATE KEY",
    "EC PRIVATE KEY",
    "OPENSSH PRIVATE KEY",
    "PGP PRIVATE KEY BLOCK",
    "PRIVATE KEY",
  ])("[SC7] the label may be %s", (each) => {
    const header = each.startsWith("PGP") ? "Version: GnuPG v2\n\n" : "";
    const input = `x\n-----BEGIN ${each}-----\n${header}${body.join("\n")}\n-----END ${each}-----\ny`;
    expect(scrubber.scrub(input).text).toMatch(/^x\n__SECRET_private_key_[a-z2-7]{12}__\ny$/);
  });

  test("[SC7] headers of an encrypted key go with it", () => {
    const head = `Proc-Type: 4,ENCRYPTED\nDEK-Info: AES-128-CBC,${drawChars(hex, 32, 1).toUpperCase()}\n\n`;
    const input = `-----BEGIN ${label}-----\n${head}${body.join("\n")}\n-----END ${label}-----`;
    expect(scrubber.scrub(input).text).toMatch(/^__SECRET_private_key_[a-z2-7]{12}__$/);
  });

  test("[SC10] a certificate between two keys stays", () => {
    const certificate = `-----BEGIN CERTIFICATE-----\n${lines.join("\n")}\n-----END CERTIFICATE-----`;
    const key = pemLines.join("\n").replaceAll(lines[3] ?? "", drawChars(base64, 64, 77));
    const { text } = scrubber.scrub(`${key}\n${certificate}\n${key}`);
    expect(text).toContain(certificate);
    expect(text.match(/__SECRET_private_key_/g)).toHaveLength(2);
  });

  test("[SC7] keys without armour, in PuTTY's form and wrapped in base64", () => {
    const openssh = `b3BlbnNzaC1rZXktdjEAAAAA${drawChars(base64, 40, 2)}\n${lines.slice(0, 5).join("\n")}`;
    const putty = `PuTTY-User-Key-File-3: ssh-rsa\nPrivate-Lines: 3\n${lines.slice(0, 3).join("\n")}\nPrivate-MAC: ${drawChars(hex, 64, 3)}`;
    const wrapped = `client-key-data: ${encode(pemLines.join("\n"))}`;
    const certificate = `client-certificate-data: ${encode("-----BEGIN CERTIFICATE-----\nMIIB")}`;
    expect(scrubber.scrub(openssh).text).toMatch(/^__SECRET_private_key_[a-z2-7]{12}__$/);
    expect(scrubber.scrub(putty).text).not.toContain(lines[1]);
    expect(scrubber.scrub(putty).text).toContain(
      "PuTTY-User-Key-File-3: ssh-rsa\nPrivate-Lines: 3\n",
    );
    expect(scrubber.scrub(wrapped).text).toMatch(
      /^client-key-data: __SECRET_private_key_[a-z2-7]{12}__$/,
    );
    expect(scrubber.scrub(certificate).text).toBe(certificate);
  });

  test("[SC7] a service account keeps all but its key", () => {
    const account = {
      type: "service_account",
      project_id: "demo-1",
      private_key: `${pemLines.join("\n")}\n`,
      client_email: "x@demo-1.iam.example",
    };
    const scrubbed = JSON.parse(scrubber.scrub(JSON.stringify(account)).text) as typeof account;
    expect(scrubbed).toEqual({
      ...account,
      private_key: expect.stringMatching(/^__SECRET_private_key_[a-z2-7]{12}__\n$/),
    });
  });
});

describe("JSON web tokens", () => {
  const url = (value: unknown): string =>
    encode(JSON.stringify(value)).replaceAll("+", "-").replaceAll("/", "_").replaceAll("=", "");
  const head = url({ alg: "HS256", typ: "JWT" });
  const claims = url({ sub: "1234567890", name: "Bob" });
  const signature = drawChars(alnum, 43, 4);

  test.each([
    ["signed", `${head}.${claims}.${signature}`],
    ["unsigned", `${url({ alg: "none" })}.${claims}.`],
    ["cut off", `${head}.${claims.slice(0, 20)}`],
    ["encrypted", `${url({ enc: "A256GCM", alg: "dir" })}..${signature}.${signature}.${signature}`],
    ["key id first", `${url({ kid: "a".repeat(40), alg: "RS256" })}.${claims}.${signature}`],
  ])("[SC7] is taken out: %s", (_name, token) => {
    for (const write of [
      token,
      `Authorization: Bearer ${token}`,
      JSON.stringify({ t: `${token}\n` }),
      `x=${token}&y`,
    ]) {
      const { text, findings } = scrubber.scrub(write.replace("x=", "?x="));
      expect(text).not.toContain(token.slice(0, 40));
      expect(findings.map((finding) => finding.kind)).toEqual(["jwt"]);
    }
  });

  test("[SC10] base64 of other JSON stays", () => {
    const text = `${url({ page: 2, sort: "asc" })}.${claims}`;
    expect(scrubber.scrub(text).text).toBe(text);
  });
});

const secret = ["S3cr", "etPw", "9"].join("");
const opaque = drawChars(alnum, 40, 5);
const kept: readonly (readonly [string, string, string])[] = [
  [
    "postgres",
    `postgresql+asyncpg://bob:${secret}@db.example:5432/app?ssl=1`,
    "postgresql+asyncpg://bob:@@db.example:5432/app?ssl=1",
  ],
  ["mongodb", `mongodb+srv://bob:${secret}@c0.example/?w=1`, "mongodb+srv://bob:@@c0.example/?w=1"],
  ["redis without user", `redis://:${secret}@cache:6379/0`, "redis://:@@cache:6379/0"],
  ["escaped slashes", `"url":"amqp:\\/\\/bob:${secret}@mq\\/v"`, '"url":"amqp:\\/\\/bob:@@mq\\/v"'],
  ["password with an at sign", `mysql://bob:${secret}@x@db/app`, "mysql://bob:@@db/app"],
  ["token as user", `https://${opaque}@git.example/r.git`, "https://@@git.example/r.git"],
  [
    "oauth2 user",
    `https://oauth2:${opaque}@git.example/r.git`,
    "https://oauth2:@@git.example/r.git",
  ],
  ["two in a line", `http://a:${secret}@h http://h/p`, "http://a:@@h http://h/p"],
  [
    "query",
    `https://h.example/p?page=2&access_token=${opaque}&x=1`,
    "https://h.example/p?page=2&access_token=@&x=1",
  ],
  [
    "presigned",
    `https://s3.example/k?X-Amz-Date=20260101&X-Amz-Signature=${drawChars(hex, 64, 1)}&x=1`,
    "https://s3.example/k?X-Amz-Date=20260101&X-Amz-Signature=@&x=1",
  ],
  [
    "shared access",
    `https://b.example/k?sv=2020&sig=${drawChars(alnum, 43, 2)}%3D&se=2026`,
    "https://b.example/k?sv=2020&sig=@&se=2026",
  ],
  [
    "storage account",
    `DefaultEndpointsProtocol=https;AccountName=demo;AccountKey=${drawChars(base64, 86, 3)}==;EndpointSuffix=core.example`,
    "DefaultEndpointsProtocol=https;AccountName=demo;AccountKey=@;EndpointSuffix=core.example",
  ],
  [
    "service bus",
    `Endpoint=sb://x.example/;SharedAccessKeyName=Root;SharedAccessKey=${drawChars(base64, 43, 4)}=`,
    "Endpoint=sb://x.example/;SharedAccessKeyName=Root;SharedAccessKey=@",
  ],
  [
    "bearer",
    `Authorization: Bearer ${opaque}\r\nAccept: */*`,
    "Authorization: Bearer @\r\nAccept: */*",
  ],
  [
    "bearer in a flag",
    `curl -H 'authorization: bearer ${opaque}' x`,
    "curl -H 'authorization: bearer @' x",
  ],
  ["basic", `Authorization: Basic ${encode(`bob:${secret}`)}`, "Authorization: Basic @"],
  ["token scheme", `Authorization: Token ${opaque}`, "Authorization: Token @"],
  ["no scheme", `"authorization": "${opaque}"`, '"authorization": "@"'],
  [
    "signed request",
    `Authorization: AWS4-HMAC-SHA256 Credential=demo/20260101/eu/s3/aws4_request, SignedHeaders=host, Signature=${drawChars(hex, 64, 6)}`,
    "Authorization: AWS4-HMAC-SHA256 Credential=demo/20260101/eu/s3/aws4_request, SignedHeaders=host, Signature=@",
  ],
  ["key header", `X-Api-Key: ${opaque}`, "X-Api-Key: @"],
  ["vault header", `X-Vault-Token: ${opaque}`, "X-Vault-Token: @"],
  ["gitlab header", `PRIVATE-TOKEN: ${opaque}`, "PRIVATE-TOKEN: @"],
  [
    "cookie",
    `Cookie: theme=dark; sessionid=${opaque}; lang=en`,
    "Cookie: theme=dark; sessionid=@; lang=en",
  ],
  [
    "set-cookie",
    `Set-Cookie: connect.sid=s%3A${opaque}.x; Path=/; HttpOnly`,
    "Set-Cookie: connect.sid=@; Path=/; HttpOnly",
  ],
  ["session cookie alone", `PHPSESSID=${opaque.slice(0, 26)}`, "PHPSESSID=@"],
  ["npmrc", `//registry.example/:_authToken=${opaque}`, "//registry.example/:_authToken=@"],
  [
    "docker config",
    `{"auths":{"r.example":{"auth":"${encode(`bob:${secret}`)}"}}}`,
    '{"auths":{"r.example":{"auth":"@"}}}',
  ],
];

test.each(kept)("[SC1] the secret goes and its surroundings stay: %s", (_name, input, output) => {
  const { text } = scrubber.scrub(input);
  expect(text.replaceAll(/__SECRET_credential_[a-z2-7]{12}__/g, "@")).toBe(output);
  expect(scrubber.scrub(text).text).toBe(text);
});

test("[SC9] a bare value or key goes by the name of what it is in", () => {
  const drawn = ["Zq7Lw2Xr", "9Tn4Vb6K"].join("");
  const settings = {
    admin_password: { type: "string", value: drawn },
    Jwt: { Key: drawn + drawn },
  };
  const { value, findings } = scrubber.scrubJson({ ...settings, cache: { key: drawn } });
  expect(findings.map(({ path }) => path)).toEqual(["/admin_password/value", "/Jwt/Key"]);
  expect(value).toMatchObject({ cache: { key: drawn } });
});
