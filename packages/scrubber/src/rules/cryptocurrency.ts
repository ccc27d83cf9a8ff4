import { hasBase58Check } from "../checks/base58.ts";
import { hasBech32Check } from "../checks/bech32.ts";
import { type NamedKind, run, type Rule, tokenRules } from "../rule.ts";
import { scanKeyNumbers, scanSeedPhrase } from "../scanners/wallet.ts";
import { type NamedRow, namedKinds } from "./rows.ts";

const wif = "https://en.bitcoin.it/wiki/Wallet_import_format";
const bip32 = "https://github.com/bitcoin/bips/blob/master/bip-0032.mediawiki";
const bip39 = "https://github.com/bitcoin/bips/blob/master/bip-0039.mediawiki";
const slip132 = "https://github.com/satoshilabs/slips/blob/master/slip-0132.md";
const nip19 = "https://github.com/nostr-protocol/nips/blob/master/19.md";
const solana = "https://solana.com/docs/intro/installation";
const ethereum = "https://ethereum.org/en/developers/docs/accounts/";

/** Keys to wallets. Whoever reads one owns what is in the wallet. */
export const cryptocurrencyRules: readonly Rule[] = [
  ...tokenRules([
    {
      kind: "bitcoin_key",
      priority: 2,
      source: wif,
      anchors: ["5H", "5J", "5K", "Kw", "Kx", "Ky", "Kz", "L1", "L2", "L3", "L4", "L5"],
      body: [run("alnum", 49, 50)],
      require: hasBase58Check,
    },
    {
      kind: "wallet_key",
      priority: 2,
      source: bip32,
      anchors: ["xprv9", "xprvA"],
      body: [run("alnum", 90, 120)],
      valid: hasBase58Check,
    },
    {
      kind: "wallet_segwit_key",
      priority: 2,
      source: slip132,
      anchors: ["yprv", "zprv", "tprv"],
      body: [run("alnum", 100, 120)],
      valid: hasBase58Check,
    },
    {
      kind: "nostr_key",
      priority: 2,
      source: nip19,
      anchors: ["nsec1"],
      body: [run("lowerAlnum", 58)],
      valid: hasBech32Check,
    },
  ]),
  {
    id: "seed-phrase",
    kind: "seed_phrase",
    priority: 2,
    source: bip39,
    anchors: [
      "mnemonic", "seed phrase", "seed_phrase", "seed-phrase", "seedphrase", "seed words", "seed:", "seed is",
      "recovery phrase", "recovery_phrase", "backup phrase", "recovery words", "word phrase", "wallet words", "bip39", "bip-39", "secret phrase", "secret_recovery_phrase",
    ],
    contextual: true,
    scan: scanSeedPhrase,
  },
  {
    id: "key-numbers",
    kind: "solana_key",
    priority: 2,
    source: solana,
    anchors: Array.from("0123456789", (digit) => `[${digit}`),
    scan: scanKeyNumbers,
  },
]; // prettier-ignore

const hex64 = run("anyHex", 64);

const names = (): readonly NamedRow[] => [
  ["ethereum_key", "privatekey|deployerkey|walletkey|ethereum", [["0x", hex64], [hex64]], ethereum],
  ["solana_secret", "solana|phantom", [[run("alnum", 86, 88)]], solana],
  ["infura_key", "infura", [[run("hex", 32)]], "https://docs.metamask.io/services/"],
  ["alchemy_key", "alchemy", [[run("word", 32)]], "https://www.alchemy.com/docs/"],
  ["etherscan_key", "etherscan", [[run("upperAlnum", 34)]], "https://docs.etherscan.io/"],
]; // prettier-ignore

/** What goes by its name alone. */
export const cryptocurrencyNames = (): readonly NamedKind[] => namedKinds(2, names());
