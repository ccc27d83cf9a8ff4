import { describe, expect, test } from "vitest";
import { readSecretName } from "./secret-name.ts";

/** What a name promises, in short: its family, and `weak`, `env`, `shape`, `vague` where it is. */
function promise(name: string): string {
  const read = readSecretName(name);
  if (read === undefined) return "nothing";
  const marks = [
    read.isWeak ? "weak" : "",
    read.isEnv ? "env" : "",
    read.asksShape ? "shape" : "",
    read.isVague === true ? "vague" : "",
  ];
  return [read.family, ...marks.filter((mark) => mark !== "")].join(" ");
}

describe("[SC1] a name promises by its last word", () => {
  test.each([
    "password",
    "dbPassword",
    "db-password",
    "x.y.password",
    "mysqlpassword",
    "passwd",
    "pwd",
    "passphrase",
    "pass_phrase",
    "passWord",
    "pswd",
    "passcode",
    "bindpw",
    "ldap_bindpasswd",
    "Passwort",
    "Kennwort",
    "wachtwoord",
    "senha",
    "contrasena",
    "haslo",
    "motDePasse",
    "wifi_psk",
    "WiFi-Psk",
    "smtp_pass_phrase",
    "losenord",
  ])("a password: %s", (name) => {
    expect(promise(name)).toBe("password");
  });

  test.each([
    "token",
    "accessToken",
    "access_token",
    "client_secret",
    "credentials",
    "creds",
    "totp",
    "secret_id",
    "vault_secret_id",
    "approle-secret-id",
    "oauth_signature",
    "mnemonic",
    "secrets",
    "erlang_cookie",
    "sonar_login",
    "sonarLogin",
  ])("a token: %s", (name) => {
    expect(promise(name)).toMatch(/^token/);
  });

  test.each([
    "apikey",
    "accesskey",
    "privateKey2",
    "x_my_key",
    "auth_salt",
    "nonce-salt",
    "pepper",
    "signingkey",
    "passwordsalt",
  ])("a key: %s", (name) => {
    expect(promise(name)).toMatch(/^key/);
  });

  test.each([
    ["pass", "password weak"],
    ["db_pass", "password weak"],
    ["pw", "password weak"],
    ["auth", "token weak"],
    ["github_pat", "token weak"],
    ["api_key", "key weak"],
    ["preshared_key", "password weak"],
    ["pre_shared_key", "password weak"],
    ["redis_auth", "password weak"],
    ["valkey-auth", "password weak"],
    ["sentinel.auth", "password weak"],
    ["shared_key", "key weak"],
    ["api_keys", "key"],
    ["tokens", "token weak"],
    ["passwords", "password weak"],
    ["passphrases", "password weak"],
    ["password_salt", "key weak"],
    ["pepper", "key weak"],
    ["password_confirmation", "password weak"],
    ["password_again", "password weak"],
    ["new_password_repeat", "password weak"],
    ["password_value", "password"],
    ["stripe_key", "key weak"],
    ["openai_token", "token"],
    ["keystore", "key shape"],
    ["client_pfx", "key shape"],
    ["client_p12", "key shape"],
  ])("%s: %s", (name, promised) => {
    expect(promise(name)).toBe(promised);
  });
});

test("[SC1] a name tells whose secret it is, where that is a vendor or a form", () => {
  const ownerOf = (name: string): string | undefined => readSecretName(name)?.owner;
  expect(ownerOf("stripe_key")).toBe("stripe");
  expect(ownerOf("my_openai_token")).toBe("openai");
  expect(ownerOf("db_password")).toBeUndefined();
});

test("[SC1] a variable of the environment is known by its capitals", () => {
  expect(promise("DB_PASSWORD")).toBe("password env");
  expect(promise("TOKEN")).toBe("token env");
  expect(promise("DB_PASSWORD2")).toBe("password env");
  expect(promise("Db_PASSWORD")).toBe("password");
  expect(promise("DB-PASSWORD")).toBe("password");
  expect(promise("_DB_PASSWORD")).toBe("password");
  expect(promise("2DB_PASSWORD")).toBe("password");
});

test("[SC1] what a variable's value is for says nothing of the value", () => {
  expect(promise("PASSWORD_FOR_BACKUP")).toBe("password env");
  expect(promise("KEY_FOR_PASSWORD")).toBe("nothing");
  expect(promise("password_for_backup")).toBe("nothing");
  expect(promise("FOR_PASSWORD")).toBe("password env");
});

test("[SC1] suffixes are passed, and a name of suffixes alone is none", () => {
  for (const suffix of [
    "value",
    "text",
    "prod",
    "dev",
    "old",
    "new",
    "b64",
    "base64",
    "hex",
    "2",
    "12",
    "str",
    "local",
    "env",
    "default",
  ]) {
    expect([suffix, promise(`db_password_${suffix}`)]).toEqual([suffix, "password"]);
  }
  expect(promise("token_primary")).toBe("token");
  expect(promise("password_prod_old_2")).toBe("password");
  expect(promise("password_color")).toBe("nothing");
});

test("[SC10] a name that only speaks of secrets promises none", () => {
  for (const name of [
    "token_type",
    "max_tokens",
    "tokenCount",
    "primary_key",
    "public_key",
    "password_hash",
    "hasPassword",
    "isToken",
    "no_password",
    "password_policy",
    "next_token",
    "page_token",
    "passwordless",
    "compass_direction",
    "key",
    "keyboard",
    "monkey",
    "author",
    "authority",
    "partition_key",
    "foreignKey",
    "sort-key",
    "cache_key",
    "min_password",
    "show_password",
    "forgot_password",
    "invalid_token",
    "missing_token",
    "stop_token",
    "cancellationToken",
    "encrypted_data_password",
    "signature",
    "login",
    "session",
    "cookie",
    "salt",
    "user_id",
    "",
    "secret_version_id",
    "client_id",
    "php_session",
    "SESSION",
  ]) {
    expect([name, promise(name)]).toEqual([name, "nothing"]);
  }
});

test("[SC10] a hash is public, and what is mixed into it is not", () => {
  expect(promise("hash_salt")).toBe("key weak");
  expect(promise("hashed_salt")).toBe("nothing");
  expect(promise("hash_key")).toBe("nothing");
  expect(promise("sea_salt")).toBe("nothing");
});

test("[SC1] the secret of a role has a number of its own, another only a number", () => {
  expect(promise("secret_id")).toBe("token shape");
  for (const role of ["vault", "approle", "role", "consul", "nomad"]) {
    expect(promise(`${role}_my_secret_id`)).toBe("token shape");
  }
  expect(promise("my_other_secret_id")).toBe("nothing");
});

test("[SC10] what is sealed under a name only its cluster can read", () => {
  expect(promise("encryptedData.password")).toBe("nothing");
  expect(promise("encrypted_password")).toBe("password");
  expect(promise("data_encrypted_password")).toBe("password");
});

describe("[SC1] a variable promises by whose it is", () => {
  test.each([
    ["op_session_my", "token"],
    ["OP_SESSION_ID", "nothing"],
    ["BW_SESSION", "token weak env"],
    ["bw_session", "token weak"],
    ["GITHUB_SESSION", "token weak env"],
    ["PHP_SESSION", "nothing"],
    ["SSHPASS", "password env"],
    ["CENSUS_KEY", "key weak env vague"],
    ["CENSUS_ROW_KEY", "nothing"],
    ["census_key", "nothing"],
    ["JWT_PRIVATE", "key env vague"],
    ["RSA_PRIVATE", "key env vague"],
    ["ED25519_PRIVATE", "key env vague"],
    ["COOKIE_SIGNING", "key env vague"],
    ["HOUSE_PRIVATE", "nothing"],
    ["jwt_private", "nothing"],
  ])("%s: %s", (name, promised) => {
    expect(promise(name)).toBe(promised);
  });

  test.each([
    "api",
    "secret",
    "access",
    "encryption",
    "signing",
    "master",
    "account",
    "jwt",
    "hmac",
    "license",
    "webhook",
    "deploy",
    "session",
    "vault",
    "unseal",
    "rails",
    "wallet",
    "fernet",
  ])("the key of %s", (owner) => {
    expect(promise(`my_${owner}_key`)).toMatch(/^key weak/);
  });

  test("[SC10] a key of anything else is none, but in a header of one's own", () => {
    expect(promise("my_color_key")).toBe("nothing");
    expect(promise("x_color_key")).toBe("key weak");
    expect(promise("X-Color-Key")).toBe("key weak");
    expect(promise("x_key")).toBe("nothing");
  });
});

test("[SC3] one name promises the same however often it is read, and after any other", () => {
  const names = [
    "db_password",
    "token_type",
    "db_passcode",
    "DB_PASSWORD",
    "api_key",
    "max_tokens",
  ];
  const once = names.map(promise);
  for (let round = 0; round < 3; round++) expect(names.map(promise)).toEqual(once);
  // Names of one length that differ where nothing is looked at share a place.
  expect([promise("aXb_token"), promise("aYb_tokem"), promise("aXb_token")]).toEqual([
    "token",
    "nothing",
    "token",
  ]);
  for (let index = 0; index < 3000; index++) promise(`name_${index}_token`);
  expect(names.map(promise)).toEqual(once);
});
