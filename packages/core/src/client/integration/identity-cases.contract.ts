// Who the server takes a client for: impersonation, tokens that rotate, exec plugins, certificates.
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect } from "vitest";
import { configMaps, selfSubjectReviews, serviceAccounts } from "../../api/generated/resources.ts";
import { isForbidden, isUnauthorized } from "../../api/index.ts";
import { FakeClock, noLog, systemClock } from "../../base/index.ts";
import type { Client } from "../client.ts";
import {
  type Credentials,
  certificateCredentials,
  noCredentials,
  tokenCredentials,
} from "../credentials/credentials.ts";
import { execCredentials } from "../credentials/exec-plugin.ts";
import { tokenFileCredentials } from "../credentials/file-credentials.ts";
import { nodeHost } from "../credentials/node-host.ts";
import type { ClientCase, Stage } from "./client-suite.contract.ts";
import { configMap, refusal } from "./objects.contract.ts";

async function whoAmI(client: Client, signal: AbortSignal) {
  const review = { apiVersion: "authentication.k8s.io/v1", kind: "SelfSubjectReview", metadata: {} } as const;
  return (await client.resource(selfSubjectReviews).create(review, signal)).status?.userInfo;
}

/** A service account of that name, and a token of its. */
async function tokenOf({ client, namespace, signal }: Stage, name: string): Promise<string> {
  const accounts = client.resource(serviceAccounts).in(namespace);
  await accounts.create({ apiVersion: "v1", kind: "ServiceAccount", metadata: { name } }, signal);
  const request = { apiVersion: "authentication.k8s.io/v1", kind: "TokenRequest", spec: { audiences: [] } } as const;
  const answer = await accounts.subresource("token").create(name, request, signal);
  return answer.status?.token ?? "";
}

function openAs({ target }: Stage, credentials: Credentials): Client {
  if (target.openAs === undefined) throw new Error("the target cannot open clients");
  return target.openAs(credentials);
}

/** A folder for one case. */
async function throwAwayFolder(): Promise<{ readonly path: string } & AsyncDisposable> {
  const path = await mkdtemp(join(tmpdir(), "kubeloop-client-"));
  return { path, [Symbol.asyncDispose]: () => rm(path, { recursive: true, force: true }) };
}

const accountName = ({ namespace }: Stage, name: string) => `system:serviceaccount:${namespace}:${name}`;

export const identityCases: readonly ClientCase[] = [
  {
    name: "a client acts as somebody else, with that one's rights",
    needs: ["authorization"],
    async run({ client, namespace, signal }) {
      const jane = client.with({ impersonate: { user: "jané", groups: ["developers"], extra: { "a/b": ["ü"] } } });
      expect(await whoAmI(jane, signal)).toMatchObject({
        username: "jané",
        groups: expect.arrayContaining(["developers", "system:authenticated"]),
        extra: { "a/b": ["ü"] },
      });
      const refused = await refusal(jane.resource(configMaps).in(namespace).list(signal).toArray());
      expect([isForbidden(refused), refused.message]).toEqual([
        true,
        expect.stringContaining('User "jané" cannot list'),
      ]);
      expect((await whoAmI(client, signal))?.username).not.toBe("jané");
    },
  },
  {
    name: "a client with other credentials shares connections",
    needs: ["credentials", "tokens"],
    async run(stage) {
      const other = stage.client.with({ credentials: tokenCredentials(await tokenOf(stage, "robot")) });
      expect((await whoAmI(other, stage.signal))?.username).toBe(accountName(stage, "robot"));
      const nobody = stage.client.with({ credentials: noCredentials });
      const refused = await refusal(nobody.resource(configMaps).in(stage.namespace).get("a", stage.signal));
      expect(refused.message).toContain('User "system:anonymous" cannot get');
      await stage.client.resource(configMaps).in(stage.namespace).create(configMap("a"), stage.signal);
    },
  },
  {
    name: "bad credentials are Unauthorized, for lists and watches too",
    needs: ["credentials"],
    async run(stage) {
      await using client = openAs(stage, tokenCredentials("no.such.token"));
      const maps = client.resource(configMaps).in(stage.namespace);
      for (const call of [
        () => maps.get("a", stage.signal),
        () => maps.list(stage.signal).toArray(),
        () => maps.watch(stage.signal).batches().next(),
        () => maps.deleteCollection({}, stage.signal),
      ]) {
        expect(isUnauthorized(await refusal(call()))).toBe(true);
      }
    },
  },
  {
    name: "a token file is read again when its time has come",
    needs: ["credentials", "tokens"],
    async run(stage) {
      await using folder = await throwAwayFolder();
      const path = join(folder.path, "token");
      await writeFile(path, await tokenOf(stage, "first"));
      const clock = new FakeClock();
      await using client = openAs(stage, tokenFileCredentials({ path, host: nodeHost, clock, log: noLog }));
      expect((await whoAmI(client, stage.signal))?.username).toBe(accountName(stage, "first"));
      await writeFile(path, await tokenOf(stage, "second"));
      expect((await whoAmI(client, stage.signal))?.username).toBe(accountName(stage, "first"));
      await clock.advance(60_000);
      expect((await whoAmI(client, stage.signal))?.username).toBe(accountName(stage, "second"));
    },
  },
  {
    name: "a token file is read again at once when the server refuses the token",
    needs: ["credentials", "tokens"],
    async run(stage) {
      await using folder = await throwAwayFolder();
      const path = join(folder.path, "token");
      await writeFile(path, "no.such.token");
      await using client = openAs(
        stage,
        tokenFileCredentials({ path, host: nodeHost, clock: systemClock, log: noLog }),
      );
      expect(isUnauthorized(await refusal(whoAmI(client, stage.signal)))).toBe(true);
      await writeFile(path, await tokenOf(stage, "robot"));
      expect((await whoAmI(client, stage.signal))?.username).toBe(accountName(stage, "robot"));
    },
  },
  {
    name: "an exec plugin gives a token, once, and again when the server refuses it",
    needs: ["credentials", "tokens"],
    async run(stage) {
      await using folder = await throwAwayFolder();
      const path = join(folder.path, "tokens");
      // Each run takes the first line of the file.
      const script = `
        const fs = require("node:fs");
        const [token, ...rest] = fs.readFileSync(process.env.TOKENS, "utf8").split("\\n");
        fs.writeFileSync(process.env.TOKENS, rest.join("\\n"));
        const { apiVersion, kind } = JSON.parse(process.env.KUBERNETES_EXEC_INFO);
        console.log(JSON.stringify({ apiVersion, kind, status: { token } }));`;
      const plugin = {
        command: process.execPath,
        args: ["-e", script],
        env: [{ name: "TOKENS", value: path }],
        apiVersion: "client.authentication.k8s.io/v1",
        interactiveMode: "Never",
      } as const;
      const good = await tokenOf(stage, "robot");
      await writeFile(path, ["no.such.token", good, "never used"].join("\n"));
      const credentials = execCredentials({ plugin, host: nodeHost, clock: systemClock, log: noLog });
      await using client = openAs(stage, credentials);
      for (let round = 0; round < 2; round++) {
        expect((await whoAmI(client, stage.signal))?.username).toBe(accountName(stage, "robot"));
      }
    },
  },
  {
    name: "a client certificate says who one is",
    needs: ["credentials", "clientCertificates"],
    async run(stage) {
      const identity = { user: "jane", groups: ["developers"] };
      const pair = await stage.target.clientCertificate?.(identity);
      if (pair === undefined) throw new Error("no certificate");
      await using client = openAs(stage, certificateCredentials(pair.certPem, pair.keyPem));
      const who = await whoAmI(client, stage.signal);
      expect([who?.username, who?.groups]).toEqual(["jane", expect.arrayContaining(["developers"])]);
    },
  },
];
