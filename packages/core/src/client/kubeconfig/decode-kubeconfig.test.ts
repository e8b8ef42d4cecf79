import { describe, expect, test } from "vitest";
import { parseKubeconfig } from "./decode-kubeconfig.ts";
import { printKubeconfig } from "./write-kubeconfig.ts";

const empty = { clusters: [], users: [], contexts: [] };

describe("a kubeconfig is read", () => {
  test.each([
    ["from nothing", "", empty],
    ["from a comment", "# nothing\n", empty],
    [
      "with nulls for lists and parts",
      "clusters: null\nusers: [{name: u, user: null}]\n",
      { ...empty, users: [{ name: "u", user: {} }] },
    ],
    ["with a byte order mark", "\uFEFFcurrent-context: a\n", { ...empty, "current-context": "a" }],
    ["from JSON", '{"kind":"Config","apiVersion":"v1","current-context":"a"}', { ...empty, "current-context": "a" }],
    [
      "with unknown fields passed over",
      "foo: 1\npreferences: {colors: true}\nclusters: [{name: c, cluster: {Server: x}}]",
      { ...empty, clusters: [{ name: "c", cluster: {} }] },
    ],
    [
      "with empty texts as absent",
      'current-context: ""\nusers: [{name: u, user: {token: ""}}]',
      { ...empty, users: [{ name: "u", user: {} }] },
    ],
    [
      "with data over several lines",
      "clusters:\n- name: c\n  cluster:\n    certificate-authority-data: |\n      YWJj\n      YWJj\n",
      { ...empty, clusters: [{ name: "c", cluster: { "certificate-authority-data": "YWJjYWJj" } }] },
    ],
  ])("%s", async (_name, text, expected) => {
    expect(await parseKubeconfig(text)).toEqual(expected);
  });

  test("with everything it can hold, and printed and read again the same", async () => {
    const everything = {
      clusters: [
        {
          name: "c",
          cluster: {
            server: "https://x",
            "tls-server-name": "y",
            "insecure-skip-tls-verify": true,
            "certificate-authority": "ca.crt",
            "certificate-authority-data": "YWJj",
            "proxy-url": "http://p",
            "disable-compression": true,
            extensions: [{ name: "e", extension: { any: ["thing", 1] } }],
          },
        },
      ],
      users: [
        {
          name: "u",
          user: {
            "client-certificate": "a",
            "client-certificate-data": "YWJj",
            "client-key": "b",
            "client-key-data": "YWJj",
            token: "12345",
            tokenFile: "t",
            as: "jane",
            "as-uid": "1",
            "as-groups": ["g"],
            "as-user-extra": { k: ["v", "w"] },
            username: "n",
            password: "yes",
            "auth-provider": { name: "gcp" },
            exec: {
              command: "c",
              args: ["--x", "y"],
              env: [{ name: "N", value: "0o10" }],
              apiVersion: "client.authentication.k8s.io/v1",
              installHint: "get it\nsomewhere",
              provideClusterInfo: true,
              interactiveMode: "Never",
            },
            extensions: [{ name: "e", extension: 1 }],
          },
        },
      ],
      contexts: [
        {
          name: "x",
          context: { cluster: "c", user: "u", namespace: "n", extensions: [{ name: "e", extension: "1" }] },
        },
      ],
      "current-context": "x",
      extensions: [{ name: "e", extension: null }],
    };
    expect(await parseKubeconfig(JSON.stringify(everything))).toEqual(everything);
    expect(await parseKubeconfig(await printKubeconfig(everything))).toEqual(everything);
  });
});

test.each([
  [
    "a number for a token",
    "users: [{name: u, user: {token: 1234}}]",
    "/c: users[0].user.token: must be a string, not a number",
  ],
  ["y for a token", "users: [{name: u, user: {token: y}}]", "/c: users[0].user.token: must be a string, not a boolean"],
  [
    "a text for a switch",
    'clusters: [{name: c, cluster: {insecure-skip-tls-verify: "true"}}]',
    "/c: clusters[0].cluster.insecure-skip-tls-verify: must be true or false, not a string",
  ],
  [
    "data that is not base64",
    'clusters: [{name: c, cluster: {certificate-authority-data: "@@"}}]',
    "/c: clusters[0].cluster.certificate-authority-data: must be base64",
  ],
  [
    "data without padding",
    'users: [{name: u, user: {client-key-data: "YQ"}}]',
    "/c: users[0].user.client-key-data: must be base64",
  ],
  ["a name twice", "users: [{name: a}, {name: b}, {name: a}]", '/c: users[2].name: "a" is also the name of users[0]'],
  ["another kind", "kind: Pod", '/c: kind: must be Config, not "Pod"'],
  ["another version", "apiVersion: v2", '/c: apiVersion: must be v1, not "v2"'],
  ["a list", "[1]", "/c: must be an object, not a list"],
  ["a word", "hello", "/c: must be an object, not a string"],
  ["an object for a list", "users: {a: b}", "/c: users: must be a list, not an object"],
  ["a word in a list", "users: [a]", "/c: users[0]: must be an object, not a string"],
  [
    "numbers as arguments",
    "users: [{name: u, user: {exec: {args: [a, 1]}}}]",
    "/c: users[0].user.exec.args[1]: must be a string, not a number",
  ],
  [
    "odd extras",
    "users: [{name: u, user: {as-user-extra: {k: v}}}]",
    "/c: users[0].user.as-user-extra.k: must be a list, not a string",
  ],
  ["broken YAML", "a: b: secret", "/c: line 1, column 4: Nested mappings are not allowed in compact mappings"],
  [
    "several of them",
    "kind: Pod\nusers: [{name: u, user: {token: 1, exec: {command: 2}}}]",
    '/c: kind: must be Config, not "Pod"\n/c: users[0].user.token: must be a string, not a number\n/c: users[0].user.exec.command: must be a string, not a number',
  ],
])("a kubeconfig with %s is refused", async (_name, text, expected) => {
  await expect(parseKubeconfig(text, "/c")).rejects.toMatchObject({
    name: "KubeconfigError",
    reason: "Invalid",
    message: expected,
  });
});

test("a fault without a file names the field alone", async () => {
  await expect(parseKubeconfig("kind: Pod")).rejects.toThrow(/^kind: must be Config/);
});
