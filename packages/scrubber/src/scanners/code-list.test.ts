import { describe, expect, test } from "vitest";
import { digits, drawChars, hex, upper } from "../testing/draw.ts";
import { testScrubber } from "../testing/fakes.ts";

const scrubber = testScrubber();
const bare = (text: string): string =>
  scrubber.scrub(text).text.replaceAll(/__SECRET_\w+?_[a-z2-7]{12}__/g, "@");
const draw = (text: string, next: (index: number) => string): string => {
  let index = 0;
  return text.replaceAll("@", () => next(index++));
};
const code = (index: number): string =>
  `${drawChars(hex, 4, index + 40)}7-3${drawChars(hex, 4, index + 60)}`;

describe("codes that let a person in", () => {
  test.each([
    "Recovery codes:\n@\n@\nKeep them safe",
    "Your recovery codes:\n\n@   @\n@   @\n",
    "## Backup codes\n\n1. @\n2. @\n3. @\n",
    "Wiederherstellungscodes\n@\n@\n",
    "恢复代码：\n@\n@\n",
  ])("[SC1] every code of a list goes and its numbers stay: %s", (text) => {
    expect(bare(draw(text, code))).toBe(text);
    const said = JSON.stringify({ said: text });
    expect(bare(draw(said, code))).toBe(said);
  });

  test.each([
    "Your verification code is @. It expires in 10 minutes.",
    "Use code @ to sign in",
    "Votre code de vérification est @",
    "您的验证码是 @，5分钟内有效",
  ])("[SC1] the number of a one-time code goes: %s", (text) => {
    expect(bare(draw(text, () => `7${drawChars(digits, 5, 41)}`))).toBe(text);
  });

  test.each(["Enter this key manually: @", "TOTP seed: @", "2FA secret: @"])(
    "[SC1] the seed of one-time codes goes: %s",
    (text) => {
      const seed = `KB${drawChars(upper, 20, 42).slice(2)}W7M2`;
      expect(bare(draw(text, () => seed))).toBe(text);
      const groups = seed.replaceAll(/(.{4})(?=.)/g, "$1 ");
      expect(bare(draw(text, () => groups))).toBe(text);
    },
  );

  test("[SC1] the words of a wallet's seed go from a numbered list", () => {
    const words = Array.from({ length: 12 }, (_, index) => drawChars("abcdefghijklm", 6, index));
    const list = words.map((word, index) => `${index + 1}. ${word}`).join("\n");
    expect(bare(`Seed phrase:\n${list}\nKeep it`)).toBe("Seed phrase:\n1. @\nKeep it");
  });

  test.each([
    "Recovery codes:\n\nYou can generate new recovery codes at any time.",
    "recovery codes:\n- not found\n- expired",
    "Recovery code path:\nsrc/recovery/index2.ts",
    "The verification code is 6 digits long",
    "verification code: 6-digit",
    "security code review: 2026 plan",
    "Exit code is 137",
    "base32 alphabet is ABCDEFGHIJKLMNOPQRSTUVWXYZ234567",
    "TOTP setup: scan the QR code",
    "Seed phrase:\n1. open the wallet\n2. write it down",
  ])("[SC10] what only speaks of codes stays: %s", (text) => {
    expect(bare(text)).toBe(text);
  });
});
