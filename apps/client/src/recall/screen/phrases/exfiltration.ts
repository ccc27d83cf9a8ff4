import type { FamilyPhrase } from "../phrase.ts";
import { secrets, sending } from "./words.ts";

/** Secrets and files on their way out. */
export const exfiltrationPhrases: readonly FamilyPhrase[] = [
  {
    weight: 0.6,
    groups: [
      sending,
      secrets,
      "to at via into in",
      "http https url webhook endpoint server address pastebin gist collector example.com",
    ],
    gap: 7,
  },
  {
    weight: 0.6,
    groups: [
      sending,
      "contents content output dump value values copy environment .env ~/.ssh id_rsa credentials",
      "to",
      "http https url webhook endpoint server address pastebin gist collector bucket",
    ],
    gap: 8,
  },
  {
    weight: 0.6,
    groups: [
      "read cat collect gather dump base64 zip tar harvest grab list",
      secrets,
      sending,
      "to",
    ],
    gap: 7,
  },
  {
    weight: 0.4,
    groups: [
      "print output reveal repeat include paste show",
      "your the full entire",
      "system hidden initial",
      "prompt instructions message",
    ],
    gap: 2,
  },
  {
    weight: 0.5,
    groups: [
      "include paste append embed attach put print",
      secrets,
      "in into to as",
      "answer answers response responses reply summary commit comment url query header description message",
    ],
    gap: 6,
  },
  {
    weight: 0.5,
    groups: [
      "post upload mail e-mail send push tar zip attach",
      "src folder repo code repository branches conversation history users table users' messages files",
      "https http issue public fork gist remote partner",
    ],
    gap: 10,
  },
  {
    weight: 0.5,
    groups: [
      `${sending} put write store commit`,
      "key keys secret secrets token password passwords credentials",
      "public fork gist issue comment readme.md description fixture",
    ],
    gap: 9,
  },
];
