import { base58check, bech32, isMnemonic, mnemonicWords, pgpCrc } from "../corpus/checksums.ts";
import { named, shaped, snippet, type Kind } from "../corpus/kind.ts";
import { free, secret, toBase64 } from "../corpus/marks.ts";
import type { Random } from "../corpus/random.ts";
import { chars, password, word } from "../corpus/template.ts";

const dashes = "-".repeat(5);
const privateKey = ["PRIVATE", "KEY"].join(" ");

/** Bytes drawn one by one. */
export function bytes(random: Random, count: number): Uint8Array {
  return Uint8Array.from({ length: count }, () => random.int(0, 255));
}

interface Armour {
  readonly label: string;
  readonly head: string;
  readonly chars: number;
  readonly headers?: readonly string[];
  readonly tail?: string;
}

const rsa: Armour = { label: `RSA ${privateKey}`, head: "MIIEpAIBAAKCAQEA", chars: 1592 };
const pkcs8: Armour = { label: privateKey, head: "MIIEvQIBADANBgkqhkiG9w0BAQEFAASCBKcwggSj", chars: 1624 }; // prettier-ignore
const ec: Armour = { label: `EC ${privateKey}`, head: "MHcCAQEEI", chars: 164 };
const dsa: Armour = { label: `DSA ${privateKey}`, head: "MIIBuwIBAAKBgQD", chars: 604 };
const openssh: Armour = {
  label: `OPENSSH ${privateKey}`,
  head: "b3BlbnNzaC1rZXktdjEAAAAABG5vbmUAAAAEbm9uZQAAAAAAAAABAAAAMwAAAAtzc2gtZWQyNTUxOQAAACD",
  chars: 352,
};
const encrypted: Armour = {
  label: `ENCRYPTED ${privateKey}`,
  head: "MIIFHDBOBgkqhkiG9w0BBQ0wQTApBgkqhkiG9w0BBQwwHAQI",
  chars: 1760,
};
const oldEncrypted: Armour = {
  ...rsa,
  headers: ["Proc-Type: 4,ENCRYPTED", "DEK-Info: AES-128-CBC,3F17F5316E2BAC89B3C2D1E0F9A8B7C6", ""],
};

function body(random: Random, armour: Armour): readonly string[] {
  const text = `${armour.head}${chars(random, "b64", armour.chars - armour.head.length - 2)}==`;
  return text.match(/.{1,64}/g) ?? [];
}

/** The lines of an armoured key, the body marked line by line. */
function lines(random: Random, armour: Armour): readonly string[] {
  return [
    `${dashes}BEGIN ${armour.label}${dashes}`,
    ...(armour.headers ?? []),
    ...body(random, armour).map((line) => secret(line)),
    ...(armour.tail === undefined ? [] : [armour.tail]),
    `${dashes}END ${armour.label}${dashes}`,
  ];
}

/** An armoured key as one marked text, its lines joined by something. */
export function pem(random: Random, armour: Armour = rsa, joint: string = "\n"): string {
  return free(lines(random, armour).join(joint));
}

function pgp(random: Random): string {
  const payload = bytes(random, 660);
  payload.set([0x95, 0x03, 0xbe, 0x04], 0);
  const encoded = Buffer.from(payload).toString("base64");
  const label = `PGP ${privateKey} BLOCK`;
  return free(
    [
      `${dashes}BEGIN ${label}${dashes}`,
      "",
      ...(encoded.match(/.{1,64}/g) ?? []).map((line) => secret(line)),
      pgpCrc(payload),
      `${dashes}END ${label}${dashes}`,
    ].join("\n"),
  );
}

function putty(random: Random): string {
  const part = (count: number): string[] =>
    Array.from({ length: count }, () => chars(random, "b64", 64));
  const version = random.pick([2, 3]);
  const hidden = part(3).map((line) => secret(line));
  return [
    `PuTTY-User-Key-File-${version}: ssh-rsa`,
    "Encryption: none",
    `Comment: rsa-key-${word(random)}`,
    "Public-Lines: 2",
    ...part(2),
    free(`Private-Lines: 3\n${hidden.join("\n")}`),
    `${free("Private-MAC:")} ${secret(chars(random, "hex", version === 2 ? 40 : 64))}`,
  ].join("\n");
}

/** The first lines of a key as `head` shows them: it never ends. */
function headOnly(random: Random): string {
  const armour = random.pick([rsa, pkcs8, openssh]);
  const count = random.int(3, 6);
  return `$ head -${count} deploy.pem\n${free(lines(random, armour).slice(0, count).join("\n"))}`;
}

/** The last lines of a key: it never began. */
function tailOnly(random: Random): string {
  const armour = random.pick([rsa, pkcs8, openssh]);
  return `$ tail -4 deploy.pem\n${free(lines(random, armour).slice(-random.int(3, 6)).join("\n"))}\n`;
}

/** A key without any armour, as one long value. */
function bareBody(random: Random): string {
  const armour = random.pick([rsa, pkcs8, openssh]);
  return `deploy_key_body: ${secret(body(random, armour).join(""))}\nnext: 1`;
}

const quotedLines = (random: Random): string =>
  `const pem = [\n${lines(random, rsa)
    .map((line) => `  "${line}",`)
    .join("\n")}\n].join("\\n");`;

const mangled: Readonly<Record<string, (random: Random) => string>> = {
  spaces: (random) => `key: ${pem(random, rsa, " ")}\n`,
  "escaped-newlines": (random) => `TLS_KEY="${pem(random, pkcs8, "\\n")}"\n`,
  "twice-escaped": (random) => `{\\"key\\": \\"${pem(random, pkcs8, "\\\\n")}\\"}`,
  crlf: (random) => pem(random, rsa, "\r\n"),
  "yaml-block": (random) =>
    `tls:\n  key: |\n${free(
      lines(random, ec)
        .map((line) => `    ${line}`)
        .join("\n"),
    )}\n  port: 443`,
  "template-literal": (random) => `const key = \`${pem(random, ec)}\`;\nserver.listen(443);`,
  "line-array": (random) => free(quotedLines(random)),
  "java-concatenation": (random) =>
    free(
      `String KEY = ${lines(random, ec)
        .map((line) => `"${line}\\n"`)
        .join("\n    + ")};`,
    ),
  "html-breaks": (random) => `<pre>${pem(random, ec, "<br>")}</pre>`,
  "no-final-newline": (random) => `# key\n${pem(random, openssh)}`,
  indented: (random) =>
    free(
      lines(random, pkcs8)
        .map((line) => `\t\t${line}`)
        .join("\n"),
    ),
  "in-terraform": (random) =>
    `resource "tls_key" "main" {\n  pem = <<EOT\n${pem(random, pkcs8)}\nEOT\n}`,
};

function mnemonic(random: Random): string {
  for (;;) {
    const count = random.pick([12, 24]);
    const head = Array.from({ length: count - 1 }, () => random.pick(mnemonicWords));
    const last = mnemonicWords.find((each) => isMnemonic([...head, each]));
    if (last !== undefined) return [...head, last].join(" ");
  }
}

const bech32Key = (random: Random): string =>
  bech32("age-secret-key-", bytes(random, 32)).toUpperCase();
/** Version, depth of the path, then fingerprint, number, chain code and key. */
const extendedKey = (version: string) => (random: Random) =>
  base58check(
    Buffer.concat([Buffer.from(version, "hex"), Buffer.of(random.int(0, 5)), bytes(random, 73)]),
  );

/** Private keys in every armour and mangling, keys of wallets, and passwords' hashes. */
export const privateKeyKinds: readonly Kind[] = [
  snippet("P0", "pem", "pem-rsa", (random) => `$ cat id_rsa\n${pem(random)}\n$ `),
  snippet("P0", "pem", "pem-pkcs8", (random) => pem(random, pkcs8)),
  snippet("P0", "pem", "pem-ec", (random) => pem(random, ec)),
  snippet("P0", "pem", "pem-dsa", (random) => pem(random, dsa)),
  snippet("P0", "pem", "pem-encrypted", (random) => pem(random, encrypted)),
  snippet("P0", "pem", "pem-proc-type", (random) => pem(random, oldEncrypted)),
  snippet("P0", "pem", "openssh-key", (random) => pem(random, openssh)),
  snippet("P0", "pem", "pgp-key", pgp),
  snippet("P0", "key file", "putty-key", putty),
  snippet("P0", "pem cut", "pem-head", headOnly),
  snippet("P0", "pem cut", "pem-tail", tailOnly),
  snippet("P0", "pem cut", "pem-body", bareBody),
  ...Object.entries(mangled).map(([how, draw]) => snippet("P0", `pem ${how}`, `pem-${how}`, draw)),
  snippet("P0", "pem base64", "pem-base64", (random) => `tls.key: ${toBase64(pem(random))}\n`),
  named(
    "P0",
    "pkcs12",
    (random) => `MIIJ${chars(random, "b64", 400)}==`,
    "P12_PRIVATE_KEY KEYSTORE_BASE64_SECRET",
  ),
  shaped("P2", "age-key", bech32Key, "SOPS_AGE_KEY AGE_SECRET_KEY"),
  shaped("P2", "nostr-key", (random) => bech32("nsec", bytes(random, 32)), "NOSTR_PRIVATE_KEY"),
  shaped(
    "P2",
    "bitcoin-wif",
    (random) => base58check(Buffer.concat([Buffer.of(0x80), bytes(random, 32), Buffer.of(1)])),
    "WALLET_WIF BTC_PRIVATE_KEY",
  ),
  shaped(
    "P2",
    "bitcoin-wif-long",
    (random) => base58check(Buffer.concat([Buffer.of(0x80), bytes(random, 32)])),
    "WALLET_WIF BTC_PRIVATE_KEY",
  ),
  shaped("P2", "xprv", extendedKey("0488ade4"), "HD_WALLET_KEY MASTER_XPRV"),
  shaped("P2", "yprv", extendedKey("049d7878"), "HD_WALLET_KEY"),
  shaped("P2", "zprv", extendedKey("04b2430c"), "HD_WALLET_KEY"),
  snippet(
    "P2",
    "seed phrase",
    "bip39-phrase",
    (random) =>
      random.pick([
        "MNEMONIC=",
        "seed phrase: ",
        'const mnemonic = "',
        "wallet recovery phrase: ",
      ]) +
      secret(mnemonic(random)) +
      random.pick(["\nRPC=1", '"\n', "\n"]),
  ),
  named(
    "P2",
    "ethereum-key",
    "0x<hex:64>",
    "DEPLOYER_PRIVATE_KEY ETH_PRIVATE_KEY WALLET_PRIVATE_KEY",
  ),
  snippet(
    "P2",
    "keypair file",
    "solana-keypair",
    (random) => `$ cat id.json\n[${secret(bytes(random, 64).join(","))}]\n`,
  ),
  named("P2", "wireguard-key", "<b64:42>A=", "WG_PRIVATE_KEY WIREGUARD_PRESHARED_KEY"),
  snippet(
    "P2",
    "key file",
    "wireguard-conf",
    (random) =>
      `[Interface]\nPrivateKey = ${secret(`${chars(random, "b64", 42)}E=`)}\nAddress = 10.8.0.2/24\n\n[Peer]\nPublicKey = ${chars(random, "b64", 42)}A=\nPresharedKey = ${secret(`${chars(random, "b64", 42)}I=`)}\nEndpoint = vpn.corp.test:51820`,
  ),
  named("P2", "keystore-password", password, "KEYSTORE_PASSWORD KEY_PASSPHRASE STORE_PASSWORD"),
];
