import { must } from "../corpus/marks.ts";
import { bareForms, namedForms, namedWordForms } from "./form.ts";

const host = must("api.corp.test");

/** Requests, answers and URLs. */
export const httpForms = [
  ...namedWordForms({
    "curl header": ({ header, value }) =>
      `curl -s https://${host}/v1/items -H "X-${header}: ${value}" -H "Accept: */*"`,
    "request header": ({ header, value }) =>
      `GET /v1/items HTTP/1.1\r\nHost: ${host}\r\nX-${header}: ${value}\r\nAccept: */*\r\n\r\n`,
    "header object": ({ kebab, value }) =>
      `fetch(url, { headers: { "x-${kebab}": "${value}", accept: "*/*" } })`,
  }),
  ...namedForms({
    "url query": ({ snake, percent }) => `GET https://${host}/v1/items?page=2&${snake}=${percent}`,
    "url query, first": ({ snake, percent }) => `https://${host}/v1?${snake}=${percent}&page=2`,
    "url fragment": ({ snake, percent }) => `https://${host}/cb#${snake}=${percent}&state=7`,
    "curl form": ({ snake, percent }) =>
      `curl https://${host}/oauth -d 'grant_type=x&${snake}=${percent}&scope=all'`,
    "curl form field": ({ snake, value }) => `curl -F '${snake}=${value}' https://${host}/up`,
    "curl json": ({ snake, value }) =>
      `curl -X POST https://${host}/v1 -d '{"${snake}": "${value}", "n": 1}'`,
    "multipart body": ({ snake, value }) =>
      `--x\r\nContent-Disposition: form-data; name="${snake}"\r\n\r\n${value}\r\n--x--`,
    cookie: ({ snake, percent }) => `Cookie: lang=en; ${snake}=${percent}; theme=dark\r\n`,
    "set-cookie": ({ snake, percent }) => `Set-Cookie: ${snake}=${percent}; Path=/; Secure\r\n`,
    "json answer": ({ snake, value }) =>
      `HTTP/1.1 200 OK\r\nContent-Type: application/json\r\n\r\n{"${snake}":"${value}","expires_in":3600}`,
    "graphql variables": ({ camel, value }) =>
      `{"query":"mutation($i: In!){login(i:$i){ok}}","variables":{"i":{"${camel}":"${value}"}}}`,
  }),
  ...bareForms({
    "bearer header": ({ value }) =>
      `curl -H "${must("Authorization")}: Bearer ${value}" https://${host}/v1/me`,
    "bearer in code": ({ value }) =>
      `const headers = { ${must("Authorization")}: \`Bearer ${value}\`, accept: "*/*" };`,
    "bearer in a request": ({ value }) =>
      `POST /v1 HTTP/1.1\r\nHost: ${host}\r\n${must("authorization")}: Bearer ${value}\r\n\r\n`,
    "user of a URL": ({ percent }) => `git clone https://${percent}@${host}/team/app.git`,
    "password of a URL": ({ percent }) => `https://x-access-token:${percent}@${host}/team/app.git`,
    "path of a URL": ({ percent }) => `POST https://${host}/hooks/${percent}/run 200 5ms`,
    "unnamed query": ({ percent }) => `https://${host}/open?v=2&t=${percent}&x=1`,
  }),
];
