import { describe, expect, test } from "vitest";
import { alnum, drawChars, testScrubber } from "../testing/fakes.ts";

const scrubber = testScrubber();
const pw = `${drawChars(alnum, 8, 11)}9x!7`;
const bare = (text: string): string =>
  scrubber.scrub(text).text.replaceAll(/__SECRET_\w+?_[a-z2-7]{12}__/g, "@");

describe("sentences and tables", () => {
  test.each([
    "The password for the staging database is @ and it never expires.",
    "Set the root password to `@` first.",
    "I changed the password from @ to @ on Tuesday.",
    "Credentials: admin / @",
    "You can log in with ada:@ on the site",
    "here's the api key: @",
    "Das Passwort lautet @.",
    "The password was changed from @ to @.",
    "your password has been set to @",
    "Set POSTGRES_PASSWORD to @ in .env",
    "My password's @",
    "The old password was @, the new one is @",
    "log in as admin with @",
    "use admin:@",
    "default credentials (admin/@)",
    "Test accounts (user / password):\n- admin / @\n- dev / @",
    "| Service | Credentials |\n|---|---|\n| grafana | admin / @ |",
    "Das Kennwort für den Server ist @.",
    "Le mot de passe est @",
    "La contraseña es @",
    "| user | password |\n|---|---|\n| ops | @ |\n| dev | @ |\n",
    " user | password \n------+----------\n ops  | @\n(1 row)",
    '~ password = "@" -> "@"',
  ])("[SC1] the value goes and the sentence stays: %s", (text) => {
    expect(bare(text.replaceAll("@", pw))).toBe(text);
    const said = JSON.stringify({ said: text });
    expect(bare(said.replaceAll("@", pw))).toBe(said);
  });

  test.each([
    "The password is required and must be at least 8 characters.",
    "pass the token to v2Client2 then to the server",
    "The token is a 32-character hex string.",
    "The password column is users_v2.",
    "The password was changed from MD5 to SHA-256.",
    "Token auth is deprecated, use OAuth2Client instead",
    "credentials:\n  id: AbC123xyz9Q\n  kind: usernamePassword",
    "log in as admin / editor and check",
    "use admin:latest for testing",
    "Invalid token for request id: 9b1deb4d3b7d4bad",
    "The password is hashed with bcrypt12.",
    "The token is valid until 2026-03-11T10:11:12Z",
    "Login: see docs/setup-2",
    "login to https://host.test/a",
    "The token endpoint is https://auth.host.test/oauth2/token",
    "Change the password to something with 12+ characters",
    "The secret key is stored in AWS-KMS-2",
    "The token limit is 128k-tokens for gpt-4o-mini-2024",
    "The password policy is PCI-DSS-4.0",
    "styles = {\n  Token: '#dcdccc',\n}",
    "token = tokens[3]; secret = secrets.pop();",
    "| Secret | Purpose |\n|---|---|\n| API_KEY_V2 | calls |\n| DB_PASSWORD | rows |",
    "| Option | Default | `password` | none |",
    '~ version = "1.2.3" -> "1.2.4"',
  ])("[SC10] a sentence about passwords stays: %s", (text) => {
    expect(bare(text)).toBe(text);
  });
});
