import { createAuthority } from "@kubeloop/real-cluster";
import { beforeAll, describe, expect, test } from "vitest";
import { defineResource, type KubernetesObject } from "../../api/index.ts";
import { FakeClock, type Log, MetricsRegistry, noLog } from "../../base/index.ts";
import { fixedCertificate, type ServingCertificate } from "../serving/index.ts";
import { type Converter, defineConverter, type SpokeFunctions, spoke } from "./converter.ts";
import { ask, reviewRequest } from "./reviews.fixture.ts";
import { WebhookServer, type WebhookServerOptions } from "./webhook-server.ts";

/** The hub says it in parts, the oldest in one word, the newest in a list. */
interface Tab extends KubernetesObject {
  readonly host: string;
  readonly port: string;
}
interface OldTab extends KubernetesObject {
  readonly hostPort: string;
}
interface NewTab extends KubernetesObject {
  readonly address: readonly [string, string];
}
const define = <T extends KubernetesObject>(version: string, kind = "Tab", group = "example.com") =>
  defineResource<T>({ group, version, kind, plural: "tabs" });
const tabs = define<Tab>("v2");
const oldTabs = define<OldTab>("v1");
const newTabs = define<NewTab>("v3");

const oldFunctions: SpokeFunctions<Tab, OldTab> = {
  toHub: ({ hostPort, ...rest }) => {
    const [host = "", port = ""] = hostPort.split(":");
    if (port === "") throw new Error(`"${hostPort}" has no port`);
    return { ...rest, host, port };
  },
  fromHub: ({ host, port, ...rest }) => ({ ...rest, hostPort: `${host}:${port}` }),
};
const convertTabs = (functions: Partial<SpokeFunctions<Tab, OldTab>> = {}) =>
  defineConverter(tabs, [
    spoke(oldTabs, { ...oldFunctions, ...functions }),
    spoke<Tab, NewTab>(newTabs, {
      toHub: async ({ address: [host, port], ...rest }) => ({ ...rest, host, port }),
      fromHub: async ({ host, port, ...rest }) => ({ ...rest, address: [host, port] as const }),
    }),
  ]);

let certificate: ServingCertificate;
beforeAll(async () => {
  const authority = await createAuthority("test");
  const { certPem, keyPem } = await authority.issueServer({ commonName: "test", names: ["127.0.0.1"] });
  certificate = fixedCertificate({ certificatePem: certPem, keyPem });
});

function serving(converters: readonly Converter[], more: Partial<WebhookServerOptions> = {}) {
  const metrics = new MetricsRegistry();
  const log: string[] = [];
  const noting: Log = { ...noLog, error: (message) => log.push(message), with: () => noting };
  const clock = new FakeClock();
  const server = new WebhookServer({ certificate, clock, metrics, log: noting, ...more }).add(...converters);
  const send = (body: unknown) => ask(server.handler, reviewRequest("/convert", body));
  return { server, metrics, log, send };
}

const metadata = { namespace: "shop", name: "a", uid: "u", generation: 3, labels: { l: "1" } };
const old = (hostPort: string, name = "a") => ({
  apiVersion: "example.com/v1",
  kind: "Tab",
  metadata: { ...metadata, name },
  hostPort,
});

function review(
  objects: readonly unknown[],
  desiredAPIVersion = "example.com/v2",
  apiVersion = "apiextensions.k8s.io/v1",
) {
  return { kind: "ConversionReview", apiVersion, request: { uid: "r-1", desiredAPIVersion, objects }, response: {} };
}

describe("a converter", () => {
  const rows: readonly [fact: string, object: object, desired: string, converted: object][] = [
    [
      "to the hub",
      old("h:1"),
      "example.com/v2",
      { apiVersion: "example.com/v2", kind: "Tab", metadata, host: "h", port: "1" },
    ],
    [
      "from the hub",
      { apiVersion: "example.com/v2", kind: "Tab", metadata, host: "h", port: "1" },
      "example.com/v1",
      old("h:1"),
    ],
    [
      "between two others by way of the hub",
      old("h:1"),
      "example.com/v3",
      { apiVersion: "example.com/v3", kind: "Tab", metadata, address: ["h", "1"] },
    ],
    ["to the version it has, as it is", old("nothing to parse"), "example.com/v1", old("nothing to parse")],
  ];
  for (const [fact, object, desired, converted] of rows) {
    test(fact, async () => {
      expect(await serving([convertTabs()]).send(review([object], desired))).toEqual({
        code: 200,
        apiVersion: "apiextensions.k8s.io/v1",
        response: { uid: "r-1", convertedObjects: [converted], result: { status: "Success" } },
      });
    });
  }

  test("keeps the order, and knows kinds apart", async () => {
    const boxes = define<Tab>("v2", "Box");
    const convertBoxes = defineConverter(boxes, [spoke<Tab, OldTab>(define<OldTab>("v1", "Box"), oldFunctions)]);
    const objects = [old("h:1", "a"), { ...old("h:2", "b"), kind: "Box" }, old("h:3", "c")];
    const { response } = await serving([convertTabs(), convertBoxes]).send(review(objects));
    expect(response.convertedObjects).toMatchObject([
      { kind: "Tab", metadata: { name: "a" }, port: "1" },
      { kind: "Box", metadata: { name: "b" }, port: "2" },
      { kind: "Tab", metadata: { name: "c" }, port: "3" },
    ]);
  });

  test("answers in the version it was asked in", async () => {
    const { apiVersion, response } = await serving([convertTabs()]).send(
      review([old("h:1")], "example.com/v2", "apiextensions.k8s.io/v1beta1"),
    );
    expect([apiVersion, response.result?.status]).toEqual(["apiextensions.k8s.io/v1beta1", "Success"]);
  });

  test("says of each object that failed what is wrong with it, and converts none", async () => {
    const { send, log, metrics } = serving([convertTabs()]);
    const objects = [old("h:1", "good"), old("h", "bad"), { kind: "Tab" }, { ...old("x"), kind: "Cup" }];
    expect((await send(review(objects))).response).toEqual({
      uid: "r-1",
      convertedObjects: [],
      result: {
        status: "Failure",
        message:
          '3 of 4 objects cannot be converted: Tab shop/bad: "h" has no port; Tab: nobody converts this kind; Cup shop/a: nobody converts this kind',
        details: {
          causes: [
            { field: "objects[1]", message: '"h" has no port' },
            { field: "objects[2]", message: "nobody converts this kind" },
            { field: "objects[3]", message: "nobody converts this kind" },
          ],
        },
      },
    });
    expect(log).toHaveLength(3);
    expect(metrics.print()).toContain("controller_runtime_conversion_webhook_panics_total 1\n");
  });

  test("names the first ten of many", async () => {
    const objects = Array.from({ length: 12 }, (_, i) => old("h", `t${i}`));
    const { response } = await serving([convertTabs()]).send(review(objects));
    expect(response.result?.message).toMatch(/^12 of 12 objects .*Tab shop\/t9: "h" has no port; and 2 more$/);
  });

  const refused: readonly [fact: string, functions: Partial<SpokeFunctions<Tab, OldTab>>, message: string][] = [
    ["another name", changed({ name: "b" }), "must have the same name: a != b"],
    ["another namespace", changed({ namespace: "" }), "must have the same namespace: shop != "],
    ["another uid", changed({ uid: "v" }), "must have the same UID: u != v"],
    [
      "another kind",
      { toHub: (tab) => ({ ...(oldFunctions.toHub(tab) as Tab), kind: "Cup" }) },
      "must have the same kind: Tab != Cup",
    ],
    ["no metadata", { toHub: () => ({ host: "h" }) as unknown as Tab }, "metadata: must be an object, got nothing"],
    [
      "labels that are no texts",
      changed({ labels: { l: 1 } } as object),
      "metadata.labels[l]: must be text, got a number",
    ],
    ["nothing", { toHub: () => undefined as unknown as Tab }, "metadata: must be an object, got nothing"],
  ];
  for (const [fact, functions, message] of refused) {
    test(`that gives ${fact} is refused`, async () => {
      const { response } = await serving([convertTabs(functions)]).send(review([old("h:1")]));
      expect(response.result?.message).toBe(`1 of 1 objects cannot be converted: Tab shop/a: ${message}`);
    });
  }

  function changed(metadata: object): Partial<SpokeFunctions<Tab, OldTab>> {
    return {
      toHub: (tab) => ({ ...(oldFunctions.toHub(tab) as Tab), metadata: { ...tab.metadata, ...metadata } }),
    };
  }

  test("may change labels and annotations, and nothing else of the metadata", async () => {
    const { metadata: _all, ...rest } = old("h:1");
    const functions = changed({ labels: { l: "2" }, annotations: { a: "b" }, generation: 99, finalizers: ["mine"] });
    const { response } = await serving([convertTabs(functions)]).send(review([{ ...rest, metadata }]));
    expect(response.convertedObjects).toMatchObject([
      { metadata: { ...metadata, labels: { l: "2" }, annotations: { a: "b" } } },
    ]);
    expect(response.convertedObjects?.[0]).not.toHaveProperty("metadata.finalizers");
  });

  test("gets objects it cannot change by accident", async () => {
    const toHub = (tab: OldTab) => {
      (tab.metadata as { name: string }).name = "b";
      return oldFunctions.toHub(tab);
    };
    const { response } = await serving([convertTabs({ toHub })]).send(review([old("h:1")]));
    expect(response.result?.status).toBe("Failure");
  });

  test("does not know versions it was not told of", async () => {
    const { response } = await serving([convertTabs()]).send(review([old("h:1")], "example.com/v9"));
    expect(response.result?.message).toContain(
      "example.com/v9 is not one of example.com/v2, example.com/v1, example.com/v3",
    );
  });

  test("converts thousands, with integers beyond 2^53 as they are, and lets others have their turn", async () => {
    const { send } = serving([convertTabs()]);
    const objects = Array.from({ length: 5000 }, (_, i) => ({ ...old(`h:${i}`, `t${i}`), big: "@" }));
    const text = JSON.stringify(review(objects)).replaceAll('"@"', "9007199254740993");
    const { response } = await send(text);
    expect(response.convertedObjects).toHaveLength(5000);
    expect(response.convertedObjects?.[4999]).toMatchObject({ port: "4999" });
  });
});

describe("what is no review", () => {
  const rows: readonly [fact: string, body: unknown, message: string | RegExp][] = [
    ["another kind", { kind: "AdmissionReview", apiVersion: "admission.k8s.io/v1" }, /^expected a ConversionReview/],
    [
      "no request",
      { kind: "ConversionReview", apiVersion: "apiextensions.k8s.io/v1" },
      "request is missing or not an object",
    ],
    ["no uid", { ...review([]), request: { desiredAPIVersion: "example.com/v2" } }, "request.uid is missing"],
    ["no version", { ...review([]), request: { uid: "r" } }, "request.desiredAPIVersion is missing"],
    [
      "objects that are no list",
      { ...review([]), request: { uid: "r", desiredAPIVersion: "v", objects: {} } },
      "request.objects is not a list",
    ],
  ];
  for (const [fact, body, message] of rows) {
    test(`${fact} is a bad request`, async () => {
      const answer = await serving([convertTabs()]).send(body);
      expect([answer.code, answer.refusal?.message]).toEqual([
        400,
        typeof message === "string" ? message : expect.stringMatching(message),
      ]);
    });
  }

  test("one that is too large is refused as such", async () => {
    const { send } = serving([convertTabs()], { maxConversionBytes: 100 });
    expect((await send(review([old("h:1")]))).code).toBe(413);
  });

  test("no objects are converted to none", async () => {
    expect((await serving([convertTabs()]).send(review([]))).response).toMatchObject({
      convertedObjects: [],
      result: { status: "Success" },
    });
  });
});

describe("defining", () => {
  test("a kind has one converter", () => {
    expect(() => serving([convertTabs(), convertTabs()])).toThrow("Tab.example.com has a converter already");
  });

  test("versions are of one kind and group, each once", () => {
    expect(() => defineConverter(tabs, [spoke<Tab, OldTab>(define<OldTab>("v1", "Cup"), oldFunctions)])).toThrow(
      "is not a version of",
    );
    expect(() =>
      defineConverter(tabs, [spoke<Tab, OldTab>(define<OldTab>("v1", "Tab", "other.com"), oldFunctions)]),
    ).toThrow("is not a version of");
    expect(() => defineConverter(tabs, [spoke<Tab, OldTab>(define<OldTab>("v2"), oldFunctions)])).toThrow(
      "example.com/v2 is there twice",
    );
  });
});
