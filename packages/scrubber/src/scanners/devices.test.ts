import { describe, expect, test } from "vitest";
import { alnum, base64, drawChars, testScrubber } from "../testing/fakes.ts";

const scrubber = testScrubber();
const pw = `${drawChars(alnum, 9, 11)}4Kd`;
const key = `${drawChars(base64, 42, 17)}7B`;
const hash = drawChars("0123456789ABCDEF", 40, 5);
const bare = (text: string): string =>
  scrubber.scrub(text).text.replaceAll(/__SECRET_\w+?_[a-z2-7]{12}__/g, "§");

/** Lines with `§` in the place of a password. */
const withPassword = [
  "snmp-server host 10.0.0.9 version 2c § udp-port 162",
  "snmp-server user ops NET v3 auth sha § priv aes 128 §",
  "createUser ops SHA \"§\" AES '§'",
  "radius server R1\n address ipv4 10.1.1.2 auth-port 1812\n key §\n",
  " peer HQ\n  pre-shared-key local §\n  pre-shared-key remote §",
  ' set protocols bgp group X authentication-key "§"',
  " ip ospf message-digest-key 1 md5 §",
  " neighbor 2001:db8::1 password §",
  "\toption key '§'\n",
  "uci set wireless.@wifi-iface[0].key='§'",
  "  check_command  check_mysql!ops!§!shop",
  "$USER3$=§",
  'ops : EAP "§"\n@moon : PSK "§"',
  '# client server secret addresses\n/etc/ppp/chap-secrets\nops  *  "§"  *',
  "<auth-user-pass>\nops\n§\n</auth-user-pass>",
  "WIFI:T:WPA;S:Guests;P:§;H:true;;",
  "ffmpeg -i a.mp4 -f flv rtmp://live.example/app/§",
  "PRIVMSG NickServ :IDENTIFY ops §",
  "/msg NickServ REGISTER § ops@mail.example",
  "AUTHINFO USER ops\nAUTHINFO PASS §",
  "USER ops\nPASS §\nPUT 'A.B' c.txt",
];

/** Lines with `§` in the place of what a product has stored. */
const stored: readonly (readonly [line: string, value: string])[] = [
  ["password=§\n", `{AES}${key}=`],
  ['<variable name="a" value="§"/>', `{xor}${key}`],
  ["<password>§</password>", `{AQAAABAAAAAw${key}=}`],
  ["<master>\n<password>§</password>", `{${key}=}`],
  ['pre-shared-key ascii-text "§"', `$9$${drawChars(alnum, 22, 3)}`],
  ["        set psksecret ENC §\n", key],
  ['users=ops:§"', `$$2y$$05$$${drawChars(alnum, 53, 9)}`],
  ["| ops | % | *§ |", hash],
  ["authentication_string: *§\n", hash],
];

describe("devices and what carries keys", () => {
  test.each(withPassword)("[SC1] the password goes, the rest stays: %s", (line) => {
    expect(bare(line.replaceAll("§", pw))).toBe(line);
  });

  test.each(stored)("[SC1] what can be read back goes: %s", (line, value) => {
    expect(bare(line.replace("§", value))).toBe(line);
  });

  test.each([
    "uses pre-shared-key authentication, and the key-string parser",
    "snmp-server host 10.0.0.9 version 2c public",
    "the neighbor set password rules",
    "    check_command  check_http!-p 8080!5!10",
    "    check_command  check_ping!100.0,20%!500.0,60%",
    "$USER1$=/usr/lib/nagios/plugins",
    "auth-user-pass\nremote vpn.example 1194\ncipher AES-256-GCM",
    "ffplay rtmp://localhost:1935/live/test-stream-1",
    "WIFI:T:nopass;S:Guests;;",
    "/msg NickServ IDENTIFY <password>",
    "USER app\nPASS src/login.test.ts",
    "GET /api 200\nPASS TestLogin2",
    "root:!:19000:0:99999:7:::\ndaemon:*:19000:0:99999:7:::",
    'RequestHeader set X-Api-Key "expr=%{ENV:API_KEY}"',
    "com.auth0:java-jwt:4.4.0=compileClasspath,runtimeClasspath",
    "CREATE USER x IDENTIFIED WITH 'mysql_native_password'",
  ])("[SC10] what looks like it stays: %s", (line) => {
    expect(bare(line)).toBe(line);
  });
});
