// A body of eight times as many elements costs about eight times as much, whichever list they are in: nobody can stop the server with
// three megabytes.
import "@kubeloop/counted-work";
import { collectBytes, fieldPath } from "@kubeloop/core/api";
import { FakeClock, seededRandom } from "@kubeloop/core/base";
import { expectLinearWork } from "@kubeloop/counted-work";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { ApiServer } from "../api-server.ts";
import { requestPem } from "../integration/certificate-request.contract.ts";
import { checkClusterIps } from "./core/services/check-cluster-ips.ts";
import { runtimeClassRules } from "./node/runtime-class.ts";
import { portWarnings } from "./pod-spec/port-warnings.ts";
import { collectFaults } from "./shared/validation-path.ts";

const clock = new FakeClock();
let server: ApiServer;
beforeAll(async () => {
  server = await ApiServer.open({ clock, random: seededRandom(1) });
});
afterAll(() => server[Symbol.asyncDispose]());

async function write(method: "POST" | "PUT", path: string, object: object, { isKept = false } = {}) {
  const bytes = Buffer.from(JSON.stringify(object));
  const headers = { "content-type": "application/json" };
  const query: [string, string][] = isKept ? [] : [["dryRun", "All"]];
  const request = { method, path, query, prefers: "bytes", headers, body: { kind: "bytes", bytes } } as const;
  const { status, body } = await clock.drive(server.transport(request, new AbortController().signal));
  const answer = body.kind === "bytes" ? await collectBytes(body.bytes, { maxBytes: 1e9 }) : new Uint8Array();
  return { status, text: Buffer.from(answer).toString("utf8") };
}

const many = <T>(count: number, each: (i: number) => T) => Array.from({ length: count }, (_, i) => each(i));
const metadata = (count: number) => ({ name: `n-${count}` });
const admission = "/apis/admissionregistration.k8s.io/v1";

const pod = (ports: readonly object[]) => ({ spec: { containers: [{ name: "c", image: "i", ports }] } });
const service = (spec: object) => ({ spec: { type: "LoadBalancer", ports: [{ port: 80 }], ...spec } });
const webhooks = (admissionReviewVersions: readonly string[]) => ({
  webhooks: [
    {
      name: "a.b.c",
      sideEffects: "None",
      clientConfig: { url: "https://a.b" },
      admissionReviewVersions: ["v1", ...admissionReviewVersions],
    },
  ],
});
const rule = { apiGroups: [""], apiVersions: ["v1"], operations: ["CREATE"], resources: ["pods"] };
const policy = (spec: object) => ({ spec: { validations: [{ expression: "true" }], ...spec } });
const definition = (schema: object, spec: object = {}) => ({
  metadata: { name: "ws.a.b" },
  spec: {
    group: "a.b",
    scope: "Namespaced",
    names: { plural: "ws", singular: "w", kind: "W", listKind: "WList" },
    versions: [{ name: "v1", served: true, storage: true, schema: { openAPIV3Schema: { type: "object", ...schema } } }],
    ...spec,
  },
});
const definitions = "/apis/apiextensions.k8s.io/v1/customresourcedefinitions";
const listMap = (keys: readonly string[], properties: object, required: readonly string[] = []) =>
  definition({
    properties: {
      list: {
        type: "array",
        "x-kubernetes-list-type": "map",
        "x-kubernetes-list-map-keys": keys,
        items: { type: "object", properties, required },
      },
    },
  });
const quotas = "/api/v1/namespaces/default/resourcequotas";

/** What the list is, how many elements are enough to tell, what must be answered, where to, and the object. */
const cases: readonly (readonly [string, number, number, string, (count: number) => object])[] = [
  [
    "annotations that name the profile of a container each",
    1_000,
    422,
    "/api/v1/namespaces/default/pods",
    (count) => ({
      metadata: {
        ...metadata(count),
        annotations: Object.fromEntries(
          many(count, (i) => [`container.apparmor.security.beta.kubernetes.io/c${i}`, "unconfined"]),
        ),
      },
      // As many annotations are too long, and few are to be refused too.
      spec: { restartPolicy: "Sometimes", containers: many(count, (i) => ({ name: `c${i}`, image: "i" })) },
    }),
  ],
  [
    "ports of a container that do not collide",
    2_000,
    201,
    "/api/v1/namespaces/default/pods",
    (count) => pod(many(count, (i) => ({ containerPort: 80, hostPort: 80, hostIP: `10.0.${i >> 8}.${i & 255}` }))),
  ],
  [
    "tolerations of a runtime class",
    1_000,
    201,
    "/apis/node.k8s.io/v1/runtimeclasses",
    (count) => ({
      handler: "h",
      scheduling: { tolerations: many(count, (i) => ({ key: `k${i}`, operator: "Exists" })) },
    }),
  ],
  [
    "ports of a service on nodes",
    4_000,
    201,
    "/api/v1/namespaces/default/services",
    (count) => service({ ports: many(count, (i) => ({ name: `p${i}`, port: i + 1, nodePort: i + 1 })) }),
  ],
  [
    "families of a service's addresses",
    8_000,
    422,
    "/api/v1/namespaces/default/services",
    (count) => service({ ipFamilies: many(count, (i) => `IPv${i}`) }),
  ],
  [
    "versions a webhook reads",
    8_000,
    201,
    `${admission}/validatingwebhookconfigurations`,
    (count) => webhooks(many(count, (i) => `v1a${i}`)),
  ],
  [
    "names in a policy's rule",
    8_000,
    201,
    `${admission}/validatingadmissionpolicies`,
    (count) =>
      policy({ matchConstraints: { resourceRules: [{ ...rule, resourceNames: many(count, (i) => `n${i}`) }] } }),
  ],
  [
    "annotations of a policy",
    4_000,
    422,
    `${admission}/validatingadmissionpolicies`,
    (count) => policy({ auditAnnotations: many(count, (i) => ({ key: `k${i}`, valueExpression: "''" })) }),
  ],
  [
    "actions of a binding",
    8_000,
    422,
    `${admission}/validatingadmissionpolicybindings`,
    (count) => ({ spec: { policyName: "p", validationActions: many(count, (i) => `a${i}`) } }),
  ],
  [
    "usages of a certificate",
    8_000,
    422,
    "/apis/certificates.k8s.io/v1/certificatesigningrequests",
    (count) => ({ spec: { signerName: "a.b/c", request: "", usages: many(count, (i) => `u${i}`) } }),
  ],
  [
    "keys of a list in a schema",
    8_000,
    422,
    definitions,
    (count) =>
      listMap(
        many(count, (i) => `k${i}`),
        {},
      ),
  ],
  [
    "keys of a list in a schema, and what its items must have",
    8_000,
    422,
    definitions,
    (count) =>
      listMap(
        many(count, () => "k"),
        { k: { type: "string" } },
        many(count, (i) => `r${i}`),
      ),
  ],
  [
    "versions a conversion reads",
    8_000,
    201,
    definitions,
    (count) =>
      definition(
        {},
        {
          conversion: {
            strategy: "Webhook",
            webhook: {
              clientConfig: { url: "https://a.b" },
              conversionReviewVersions: ["v1", ...many(count, (i) => `v1a${i}`)],
            },
          },
        },
      ),
  ],
  [
    "keys of a driver's topology",
    8_000,
    201,
    "/apis/storage.k8s.io/v1/csinodes",
    (count) => ({ spec: { drivers: [{ name: "d", nodeID: "n", topologyKeys: many(count, (i) => `k${i}`) }] } }),
  ],
  [
    "expressions over a quota's scopes",
    2_000,
    422,
    quotas,
    (count) => ({
      spec: { scopeSelector: { matchExpressions: many(count, (i) => ({ scopeName: `s${i}`, operator: "Exists" })) } },
    }),
  ],
  [
    "expressions over a quota's scopes, and what they cannot bound",
    250,
    422,
    quotas,
    (count) => ({
      spec: {
        hard: Object.fromEntries(many(count, (i) => [`hugepages-${i + 1}Ki`, "1"])),
        scopeSelector: { matchExpressions: many(count, () => ({ scopeName: "BestEffort", operator: "Exists" })) },
      },
    }),
  ],
];

interface Change {
  readonly collection: string;
  readonly stored: (count: number) => object;
  readonly subresource?: string;
  readonly changed: (count: number) => object;
}

const signingRequest = {
  signerName: "a.b/c",
  request: Buffer.from(requestPem).toString("base64"),
  usages: ["client auth"],
};

const changes: readonly (readonly [string, number, Change])[] = [
  [
    "conditions of a certificate",
    4_000,
    {
      collection: "/apis/certificates.k8s.io/v1/certificatesigningrequests",
      stored: () => ({ spec: signingRequest }),
      subresource: "/status",
      changed: (count) => ({
        spec: signingRequest,
        status: { conditions: many(count, (i) => ({ type: `t${i}`, status: "True" })) },
      }),
    },
  ],
];

describe("costs its share:", () => {
  let stores = 0;
  for (const [fact, small, expected, path, objectOf] of cases) {
    test(fact, () =>
      expectLinearWork(small, async (count) => {
        const { status } = await write("POST", path, { metadata: metadata(count), ...objectOf(count) });
        expect(status).toBe(expected);
      }),
    );
  }
  for (const [fact, small, { collection, stored, subresource = "", changed }] of changes) {
    test(fact, () =>
      expectLinearWork(small, async (count) => {
        const { name } = metadata(stores++);
        const { status, text } = await write(
          "POST",
          collection,
          { metadata: { name }, ...stored(count) },
          { isKept: true },
        );
        expect(status).toBe(201);
        const { resourceVersion } = JSON.parse(text).metadata;
        const object = { metadata: { name, resourceVersion }, ...changed(count) };
        expect((await write("PUT", `${collection}/${name}${subresource}`, object)).status).toBe(200);
      }),
    );
  }
});

describe("makes no more than is told:", () => {
  const count = 20_000;

  for (const [fact, path, object] of [
    [
      "a quota's unknown scopes",
      "/api/v1/namespaces/default/resourcequotas",
      { metadata: { name: "q" }, spec: { scopes: many(count, () => "s") } },
    ],
    [
      "a schema's equal keys",
      "/apis/apiextensions.k8s.io/v1/customresourcedefinitions",
      definition({
        properties: {
          spec: {
            type: "array",
            "x-kubernetes-list-type": "map",
            "x-kubernetes-list-map-keys": many(count, () => "k"),
            items: { type: "object", required: ["k"], properties: { k: { type: "string" } } },
          },
        },
      }),
    ],
  ] as const) {
    test(`${fact} are all counted, and the list shown as often as the answer has room`, async () => {
      const { status, text } = await write("POST", path, object);
      expect(status).toBe(422);
      expect(text.length).toBeLessThan(16e6);
      const { message, details } = JSON.parse(text) as { message: string; details: { causes: readonly unknown[] } };
      const more = Number(/ and (\d+) more$/.exec(message)?.[1]);
      expect(details.causes.length + more).toBeGreaterThanOrEqual(count - 1);
    });
  }

  const families = many(count, () => "IPv4");
  for (const [fact, spec] of [
    ["that are none", { clusterIP: "a", clusterIPs: many(count, () => "a") }],
    ["of families that are none", { ipFamilies: many(count, (i) => `IPv${i}`) }],
    ["of other families", { clusterIP: "::1", clusterIPs: many(count, () => "::1"), ipFamilies: families }],
  ] as const) {
    test(`a service's addresses ${fact} are refused a thousand times`, () => {
      const faults = collectFaults("spec", (fldPath) => checkClusterIps(spec, undefined, fldPath));
      expect(faults.length).toBeGreaterThanOrEqual(1_000);
      expect(faults.length).toBeLessThan(1_010);
    });
  }

  for (const [fact, port, first] of [
    ["that are equal", { hostPort: 80 }, "ports[1]: duplicate port definition with spec.containers[0].ports[0]"],
    ["with no more than an address of their host's", { hostIP: "10.0.0.1" }, "ports[0]: hostIP set without hostPort: "],
    ["of one name", { name: "p", hostPort: 80 }, "ports[1]: duplicate port definition with "],
  ] as const) {
    test(`ports ${fact} are warned of a hundred times`, () => {
      const ports = many(count, () => ({ containerPort: 80, protocol: "TCP", ...port }));
      const warnings = portWarnings({ containers: [{ name: "c", ports }] }, fieldPath("spec"));
      expect(warnings).toHaveLength(100);
      expect(warnings[0]).toContain(`spec.containers[0].${first}`);
    });
  }

  test("other ports of one name are warned of a hundred times", () => {
    const ports = many(count, (i) => ({ name: "p", containerPort: i + 1 }));
    const warnings = portWarnings({ containers: [{ name: "c", ports }] }, fieldPath("spec"));
    expect(warnings).toHaveLength(100);
    const [path, other] = ["spec.containers[0].ports[1]", "spec.containers[0].ports[0]"];
    expect(warnings[0]).toContain(`${path}: duplicate port name "p" with ${other}, `);
  });
});

test("tolerations of a runtime class are the same in any order and for any time, but not where one is silent", () => {
  const tolerations = [
    { key: "a", effect: "NoExecute", operator: "Exists", tolerationSeconds: 1 },
    { operator: "Exists", effect: "NoExecute", key: "a", tolerationSeconds: 2 },
    { key: "a", operator: "Exists" },
    { key: "a", operator: "Exists", value: "" },
  ];
  const object = { metadata: { name: "r" }, handler: "h", scheduling: { tolerations } };
  const faults = runtimeClassRules.validate?.(object as never, {} as never) ?? [];
  expect(faults.map(({ field }) => field)).toEqual(["scheduling.tolerations[1]"]);
});
