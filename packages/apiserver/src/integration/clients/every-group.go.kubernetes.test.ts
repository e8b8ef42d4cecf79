// client-go's generated clients with an object of every group: create, update, patch, watch, and delete with preconditions, propagation policy,
// grace period and dry run. In protobuf and in JSON, what this server answers equals what a real one answers.
import { beforeAll, describe, expect, test } from "vitest";
import { GoClient, type Line } from "./go-client.contract.ts";
import { normalForm } from "./normal-form.contract.ts";
import { type ClientTarget, targets } from "./target.contract.ts";

/** By default the clients send protobuf. */
const contents = ["default", "json"] as const;
type Content = (typeof contents)[number];

const resources = [
  ...["pods", "configmaps", "deployments", "cronjobs", "horizontalpodautoscalers", "ingresses", "poddisruptionbudgets"],
  ...["roles", "leases", "endpointslices", "events", "storageclasses", "priorityclasses", "runtimeclasses"],
  ...["prioritylevelconfigurations", "validatingwebhookconfigurations", "certificatesigningrequests", "deviceclasses"],
];

async function visit(open: () => Promise<ClientTarget>): Promise<Readonly<Record<Content, readonly Line[]>>> {
  await using target = await open();
  const { send, kubeconfigPath } = target;
  await send("POST", "/api/v1/namespaces", { apiVersion: "v1", kind: "Namespace", metadata: { name: "shop" } });
  const answered: Record<Content, readonly Line[]> = { default: [], json: [] };
  for (const content of contents) {
    const args = ["every-group", "--namespace", "shop", "--content", content];
    await using client = await GoClient.start({ kubeconfigPath, args });
    await client.until(({ did }) => did === "end");
    await client.end();
    answered[content] = client.lines;
  }
  return answered;
}

/** Without what is another each time: uids and versions in texts, and who asked. */
function story(lines: readonly Line[], resource: string): readonly unknown[] {
  const own = lines.filter((line) => line["resource"] === resource).map(normalForm);
  const text = JSON.stringify(own)
    .replaceAll(/[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}/g, "{uid}")
    .replaceAll(/(resource version: )\d+(, current: )\d+/g, "$1{version}$2{version}")
    .replaceAll(/(in (?:precondition|record): )\d+/g, "$1{version}")
    .replaceAll(/(in record \()\d+|(the ResourceVersion in the precondition \()\d+/g, "$1$2{version}");
  return (JSON.parse(text) as readonly unknown[]).map(withoutUser);
}

function withoutUser(line: unknown): unknown {
  const { object, ...rest } = line as { readonly object?: { readonly spec?: Readonly<Record<string, unknown>> } };
  if (object?.spec?.["signerName"] === undefined) return line;
  const { username: _name, uid: _uid, groups: _groups, extra: _extra, ...spec } = object.spec;
  return { ...rest, object: { ...object, spec } };
}

describe("client-go's generated clients", () => {
  let real: Awaited<ReturnType<typeof visit>>;
  let embedded: Awaited<ReturnType<typeof visit>>;
  beforeAll(async () => {
    real = await visit(targets.real);
    embedded = await visit(targets.embedded);
  }, 240_000);

  for (const content of contents) {
    for (const resource of resources) {
      test(`${resource} with content ${content} are answered as a real server answers`, () => {
        const theirs = story(real[content], resource);
        expect(theirs.length).toBeGreaterThan(15);
        expect(story(embedded[content], resource)).toEqual(theirs);
      });
    }
  }
});
