import { expect, test } from "vitest";
import { printKubeconfig } from "./kubeconfig.ts";

const facts = { url: "https://127.0.0.1:1", caPem: "CA", user: "jane" };

for (const [name, credential, expected] of [
  ["a token is written as it is", { token: "secret" }, { token: "secret" }],
  [
    "a certificate is embedded",
    { certPem: "C", keyPem: "K" },
    { "client-certificate-data": "Qw==", "client-key-data": "Sw==" },
  ],
] as const) {
  test(name, () => {
    expect(JSON.parse(printKubeconfig({ ...facts, credential }))).toMatchObject({
      clusters: [{ cluster: { server: "https://127.0.0.1:1", "certificate-authority-data": "Q0E=" } }],
      users: [{ name: "jane", user: expected }],
      contexts: [{ name: "real-cluster", context: { user: "jane" } }],
      "current-context": "real-cluster",
    });
  });
}
