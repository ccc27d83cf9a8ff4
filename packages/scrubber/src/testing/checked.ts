import { toBase58Check } from "../checks/base58.ts";
import { bech32Check } from "../checks/bech32.ts";
import { crc32, hasCrcTail, toBase62 } from "../checks/crc32.ts";
import type { TokenRule } from "../rule.ts";
import { alnum, drawBytes, drawChars } from "./draw.ts";

const bech32 = "qpzry9x8gf2tvdw0s3jn54khce6mua7l";
const triesMax = 4000;

type Maker = (seed: number, anchor: string) => string;

/** Tokens whose checksum must hold, by kind. */
const makers: Readonly<Record<string, Maker>> = {
  bitcoin_key: (seed, anchor) =>
    toBase58Check([0x80, ...drawBytes(32, seed), ...(anchor.startsWith("5") ? [] : [1])]),
  wallet_key: (seed) => toBase58Check([4, 0x88, 0xad, 0xe4, ...drawBytes(74, seed)]),
  wallet_segwit_key: (seed, anchor) => {
    const versions: Readonly<Record<string, readonly number[]>> = {
      yprv: [4, 0x9d, 0x78, 0x78],
      zprv: [4, 0xb2, 0x43, 0x0c],
      tprv: [4, 0x35, 0x83, 0x94],
    };
    return toBase58Check([...(versions[anchor] ?? []), ...drawBytes(74, seed)]);
  },
  nostr_key: (seed) => bech32Key("nsec", 52, seed),
  age_key: (seed) => bech32Key("age-secret-key-", 52, seed).toUpperCase(),
  age_hybrid_key: (seed) => bech32Key("age-secret-key-pq-", 52, seed).toUpperCase(),
};

/** Makes a token with the checksum of its kind; nothing for kinds that have none. */
export function drawChecked(rule: TokenRule, seed: number): string | undefined {
  if (rule.valid === hasCrcTail) return crcToken(rule.anchor, seed);
  const maker = makers[rule.kind];
  if (maker === undefined) return undefined;
  for (let step = 0; step < triesMax; step++) {
    const token = maker(seed * triesMax + step, rule.anchor);
    if (token.startsWith(rule.anchor)) return token;
  }
  throw new Error(`no token of ${rule.kind} begins with its anchor`);
}

function crcToken(anchor: string, seed: number): string {
  const body = drawChars(alnum, 30, seed);
  return anchor + body + toBase62(crc32(body, 0, 30));
}

function bech32Key(prefix: string, chars: number, seed: number): string {
  const body = drawChars(bech32, chars, seed);
  return `${prefix}1${body}${bech32Check(prefix, body)}`;
}
