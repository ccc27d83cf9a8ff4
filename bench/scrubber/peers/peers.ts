import { spawnSync } from "node:child_process";
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { installPinned } from "../../measure/npm-ci.ts";
import type { Corpus } from "../corpus/case.ts";
import { measureQuality, type Quality } from "../measure/quality.ts";
import { drawMix, rowsOf } from "../speed/mix.ts";

/** A scrubber of others. */
interface Peer {
  readonly name: string;
  /** How much of the mix it gets, and in what rows: some would take minutes for all. */
  readonly mixChars: number;
  readonly rowChars: number;
}

const peers: readonly Peer[] = [
  { name: "secretlint", mixChars: 20_000_000, rowChars: 100_000 },
  { name: "sensitive-canary", mixChars: 5_000_000, rowChars: 100_000 },
  { name: "openredaction", mixChars: 500_000, rowChars: 20_000 },
  { name: "redact-pii", mixChars: 5_000_000, rowChars: 100_000 },
];
const peerMsMax = 20 * 60_000;

/** What was measured of a peer, or why nothing was. */
export type PeerResult =
  | { readonly name: string; readonly quality: Quality; readonly mbPerCpuSecond: number }
  | { readonly name: string; readonly failure: string };

interface Answer {
  readonly outputs: readonly string[];
  readonly again: readonly string[];
  readonly cpuSeconds: number;
}

const folder = fileURLToPath(new URL(".", import.meta.url));

/** Installs the peers where they are missing and measures each on the same corpus. */
export async function measurePeers(
  corpus: Corpus,
  say: (line: string) => void,
): Promise<readonly PeerResult[]> {
  const failure = await installPinned(
    { folder, notice: "installing the peers (half a minute) …", hasScripts: false },
    say,
    new AbortController().signal,
  );
  return peers.map((peer) => {
    if (failure !== undefined) return { name: peer.name, failure };
    say(`${peer.name} …`);
    return measurePeer(peer, corpus);
  });
}

function measurePeer(peer: Peer, corpus: Corpus): PeerResult {
  const texts = [...corpus.positives, ...corpus.negatives].map(({ text }) => text);
  const rows = rowsOf(drawMix(peer.mixChars, corpus.positives), peer.rowChars);
  const answer = ask(peer, texts, rows);
  if (typeof answer === "string") return { name: peer.name, failure: answer };
  const outputByText = new Map<string, string>();
  answer.outputs.forEach((output, at) => {
    outputByText.set(output, answer.again[at] ?? output);
  });
  texts.forEach((text, at) => outputByText.set(text, answer.outputs[at] ?? text));
  const quality = measureQuality(corpus, {
    name: peer.name,
    rewrite: (text) => outputByText.get(text) ?? text,
    placeholder: /\u25A0\u25A0/g,
    hasTags: false,
  });
  const chars = rows.reduce((sum, row) => sum + row.length, 0);
  return { name: peer.name, quality, mbPerCpuSecond: chars / 1e6 / answer.cpuSeconds };
}

function ask({ name }: Peer, texts: readonly string[], rows: readonly string[]): Answer | string {
  const scratch = mkdtempSync(join(tmpdir(), "scrubber-peer-"));
  try {
    const input = join(scratch, "input.json");
    const output = join(scratch, "output.json");
    writeFileSync(input, JSON.stringify({ texts, rows }));
    const { status, signal, stderr } = spawnSync(
      process.execPath,
      [join(folder, `${name}.mjs`), input, output],
      { encoding: "utf8", timeout: peerMsMax, stdio: ["ignore", "ignore", "pipe"] },
    );
    if (status !== 0) return `ended with ${status ?? signal}: ${stderr.trim().slice(-400)}`;
    return JSON.parse(readFileSync(output, "utf8")) as Answer;
  } finally {
    rmSync(scratch, { recursive: true });
  }
}
