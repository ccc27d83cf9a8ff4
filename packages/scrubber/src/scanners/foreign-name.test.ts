import { describe, expect, test } from "vitest";
import { alnum, drawChars, testScrubber } from "../testing/fakes.ts";

const scrubber = testScrubber();
const pw = `${drawChars(alnum, 8, 12)}7x!4`;
const key = `${drawChars(alnum, 30, 13)}4aB`;
const bare = (text: string): string =>
  scrubber.scrub(text).text.replaceAll(/__SECRET_\w+?_[a-z2-7]{12}__/g, "@");
const nbsp = "\u00a0";

describe("what other languages call a secret", () => {
  test.each([
    "Das Passwort lautet @ für den Server",
    "Ich habe das Passwort von @ auf @ geändert.",
    "Le mot de passe de la base est @ maintenant",
    `mot de passe${nbsp}: @`,
    "La contraseña del servidor es @ ahora",
    "contraseña: @",
    "A senha do banco é @ agora",
    "Het wachtwoord voor de database is @",
    "Hasło do bazy to @",
    "Пароль от базы: @",
    "Я сменил пароль с @ на @",
    "логин/пароль: admin / @",
    "密码是@",
    "数据库密码：@",
    "把密码从 @ 改为 @",
    "パスワードは @ です",
    "パスワードを @ から @ に変更しました",
    "비밀번호는 @입니다",
    "비밀번호를 @로 변경했습니다",
    '{"密码": "@", "主机": "db1"}',
    "datenbank_passwort: @",
    `password${nbsp}:${nbsp}@ host`,
    "DB_PASSWORD：@",
    "| логин | пароль |\n|---|---|\n| admin | @ |\n",
  ])("[SC1] the value goes and the sentence stays: %s", (text) => {
    expect(bare(text.replaceAll("@", pw))).toBe(text);
    const said = JSON.stringify({ said: text });
    expect(bare(said.replaceAll("@", pw))).toBe(said);
  });

  test.each([
    "Der API-Schlüssel lautet @",
    "La clé API est @",
    "chave de API: @",
    "Klucz API to @",
    "Секретный ключ: @",
    "API密钥是 @",
    "アクセストークンは @ です",
    "액세스 토큰은 @ 입니다",
  ])("[SC1] so does a key: %s", (text) => {
    expect(bare(text.replaceAll("@", key))).toBe(text);
  });

  test.each([
    "Das Passwort muss mindestens 8 Zeichen haben.",
    "Das Passwort wird mit bcrypt12 gehasht",
    "Der Schlüssel ist user_id_2",
    "passwort_hash: argon2id",
    "La clé primaire est user_id",
    "mot de passe : 8 caractères minimum",
    "clave: valor1",
    "enclave: v2Enclave3",
    "A senha é obrigatória",
    "Klucz główny to user_id",
    "Пароль хранится в 1Password",
    "ключ кэша: user:42:profile",
    "密码长度必须是 8-16 位",
    "密码字段是 user_password2",
    "令牌有效期为 30d",
    '"密码": "请输入密码"',
    "password：必填",
    "パスワードは8文字以上で入力してください",
    "비밀번호: 필수",
    "암호: AES256",
  ])("[SC10] a sentence about a secret stays: %s", (text) => {
    expect(bare(text)).toBe(text);
  });
});
