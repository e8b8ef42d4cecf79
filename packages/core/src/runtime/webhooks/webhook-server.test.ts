import { createAuthority } from "@kubeloop/real-cluster";
import fc from "fast-check";
import { beforeAll, describe, expect, test } from "vitest";
import { configMaps } from "../../api/generated/resources.ts";
import {
  applyJsonPatch,
  type corev1,
  decodeJsonPatch,
  fieldPath,
  invalidFault,
  newConflict,
  requiredFault,
} from "../../api/index.ts";
import { deferred, FakeClock, type Log, MetricsRegistry, noLog } from "../../base/index.ts";
import { fixedCertificate, type ServingCertificate } from "../serving/index.ts";
import { type DefaulterParts, defineDefaulter, defineValidator, type ValidatorParts } from "./admission-webhook.ts";
import { type Asked, admissionReview, ask, reviewRequest } from "./reviews.fixture.ts";
import { WebhookServer, type WebhookServerOptions } from "./webhook-server.ts";

let certificate: ServingCertificate;
beforeAll(async () => {
  const authority = await createAuthority("test");
  const { certPem, keyPem } = await authority.issueServer({ commonName: "test", names: ["127.0.0.1"] });
  certificate = fixedCertificate({ certificatePem: certPem, keyPem });
});

type ConfigMap = corev1.ConfigMap;
const name = "maps.test.kubeloop.dev";
const mutatePath = "/mutate--v1-configmap";
const validatePath = "/validate--v1-configmap";

function newServer(more: Partial<WebhookServerOptions> = {}) {
  const clock = new FakeClock();
  const metrics = new MetricsRegistry();
  const log: string[] = [];
  const noting: Log = { ...noLog, error: (message) => log.push(message), with: () => noting };
  const server = new WebhookServer({ certificate, clock, metrics, log: noting, ...more });
  return { server, clock, metrics, log };
}

const withDefaulter = (fill: DefaulterParts<ConfigMap>["default"], more: Partial<DefaulterParts<ConfigMap>> = {}) => {
  const parts = newServer();
  parts.server.add(defineDefaulter({ name, resource: configMaps, default: fill, ...more }));
  return {
    ...parts,
    send: (body: unknown, asked?: Asked) => ask(parts.server.handler, reviewRequest(mutatePath, body, asked)),
  };
};

const withValidator = (checks: Partial<ValidatorParts<ConfigMap>>, more: Partial<WebhookServerOptions> = {}) => {
  const parts = newServer(more);
  parts.server.add(defineValidator({ name, resource: configMaps, ...checks }));
  return {
    ...parts,
    send: (body: unknown, asked?: Asked) => ask(parts.server.handler, reviewRequest(validatePath, body, asked)),
  };
};

describe("a defaulter", () => {
  const rows: readonly [fact: string, fill: (map: ConfigMap) => ConfigMap | undefined, patch: unknown][] = [
    ["that leaves the object as it is sends no patch", () => undefined, undefined],
    ["that returns the same sends none either", (map) => ({ ...map, data: { ...map.data } }), undefined],
    [
      "adds what was absent, as a whole where its parent was too",
      (map) => ({ ...map, metadata: { ...map.metadata, labels: { app: "web" } } }),
      [{ op: "add", path: "/metadata/labels", value: { app: "web" } }],
    ],
    [
      "changes only what differs",
      (map) => ({ ...map, data: { ...map.data, color: "blue" } }),
      [{ op: "replace", path: "/data/color", value: "blue" }],
    ],
    ["removes", ({ data: _data, ...map }) => map, [{ op: "remove", path: "/data" }]],
    [
      "escapes keys",
      (map) => ({ ...map, data: { ...map.data, "a/b~c": "" } }),
      [{ op: "add", path: "/data/a~1b~0c", value: "" }],
    ],
    [
      "may say null",
      (map) => ({ ...map, data: null }) as unknown as ConfigMap,
      [{ op: "replace", path: "/data", value: null }],
    ],
    [
      "prepends to a list with one operation",
      (map) => ({ ...map, metadata: { ...map.metadata, finalizers: ["new", "one", "two"] } }),
      [{ op: "add", path: "/metadata/finalizers/0", value: "new" }],
    ],
    [
      "removes from the middle of a list with one operation",
      (map) => ({ ...map, metadata: { ...map.metadata, finalizers: ["two"] } }),
      [{ op: "remove", path: "/metadata/finalizers/0" }],
    ],
    [
      "a field that is undefined is absent",
      (map) => ({ ...map, data: undefined }) as unknown as ConfigMap,
      [{ op: "remove", path: "/data" }],
    ],
  ];
  for (const [fact, fill, patch] of rows) {
    test(fact, async () => {
      const { send } = withDefaulter(fill);
      const metadata = {
        namespace: "shop",
        name: "a",
        ...(fact.includes("list") ? { finalizers: ["one", "two"] } : {}),
      };
      const object = { apiVersion: "v1", kind: "ConfigMap", metadata, data: { color: "red" } };
      const { code, response } = await send(admissionReview({ object }));
      expect([code, response]).toEqual([
        200,
        patch === undefined
          ? { uid: "u-1", allowed: true }
          : { uid: "u-1", allowed: true, patchType: "JSONPatch", patch },
      ]);
    });
  }

  test("gets an object it cannot change by accident", async () => {
    const { send, log } = withDefaulter((map) => {
      (map as { data: unknown }).data = {};
      return map;
    });
    const { response } = await send(admissionReview());
    expect(response).toMatchObject({ allowed: false, status: { code: 500 } });
    expect(log).toEqual(["webhook failed"]);
  });

  test("is not asked about deletions, and knows who asks for what", async () => {
    const seen: unknown[] = [];
    const { send } = withDefaulter((_map, { request }) => {
      seen.push([request.operation, request.userInfo.username, request.isDryRun, request.namespace]);
      return undefined;
    });
    await send(admissionReview({ operation: "UPDATE", dryRun: true }));
    expect((await send(admissionReview({ operation: "DELETE", object: null }))).response.allowed).toBe(true);
    expect(seen).toEqual([["UPDATE", "alice", true, "shop"]]);
  });

  test("copies integers beyond 2^53 as they are", async () => {
    const { send } = withDefaulter((map) => ({ ...map, copy: (map as { big?: number }).big }) as ConfigMap);
    const text = JSON.stringify(admissionReview()).replace('"data":', '"big":9007199254740993,"data":');
    expect((await send(text)).patchText).toBe('[{"op":"add","path":"/copy","value":9007199254740993}]');
  });

  test("of anything into anything: the patch makes the one of the other", async () => {
    const value = fc.letrec<{ json: unknown }>((tie) => ({
      json: fc.oneof(
        { maxDepth: 4 },
        fc.constantFrom(null, true, 0, 1, "", "x"),
        fc.array(tie("json"), { maxLength: 4 }),
        fc.dictionary(fc.constantFrom("a", "b", "", "/", "~", "~1", "__proto__", "0"), tie("json"), { maxKeys: 4 }),
      ),
    })).json;
    await fc.assert(
      fc.asyncProperty(value, value, async (before, after) => {
        const object = { apiVersion: "v1", kind: "ConfigMap", metadata: { name: "a" }, data: before };
        const { send } = withDefaulter((map) => ({ ...map, data: after }) as ConfigMap);
        const { response } = await send(admissionReview({ object }));
        const patched = applyJsonPatch(JSON.parse(JSON.stringify(object)), decodeJsonPatch(response.patch ?? []));
        expect(patched).toEqual(JSON.parse(JSON.stringify({ ...object, data: after })));
      }),
    );
  });
});

describe("a validator", () => {
  const field = fieldPath("data", "color");
  const rows: readonly [
    fact: string,
    checks: Partial<ValidatorParts<ConfigMap>>,
    request: Readonly<Record<string, unknown>>,
    response: object,
  ][] = [
    ["that objects to nothing allows", { create: () => undefined }, {}, { allowed: true }],
    ["without faults allows", { create: () => [] }, {}, { allowed: true }],
    [
      "that objects in a sentence refuses with 403 and that sentence",
      { create: ({ metadata }) => `no room for ${metadata.name}` },
      {},
      { allowed: false, status: { code: 403, reason: "Forbidden", message: "no room for a", status: "Failure" } },
    ],
    [
      "that finds faults refuses with 422, a message, and a cause for each",
      {
        create: ({ data }) => [
          invalidFault(field, data?.["color"], "must be blue"),
          requiredFault(fieldPath("data", "size"), ""),
        ],
      },
      {},
      {
        allowed: false,
        status: {
          code: 422,
          reason: "Invalid",
          message:
            'ConfigMap "a" is invalid: [data.color: Invalid value: "red": must be blue, data.size: Required value]',
          details: {
            name: "a",
            kind: "ConfigMap",
            causes: [
              { reason: "FieldValueInvalid", field: "data.color", message: 'Invalid value: "red": must be blue' },
              { reason: "FieldValueRequired", field: "data.size", message: "Required value" },
            ],
          },
        },
      },
    ],
    [
      "may throw the very Status",
      {
        create: () => {
          throw newConflict({ group: "", resource: "configmaps" }, "a", { detail: "taken" });
        },
      },
      {},
      { allowed: false, status: { code: 409, reason: "Conflict" } },
    ],
    [
      "that throws anything else refuses with 500",
      { create: () => Promise.reject(new TypeError("x is undefined")) },
      {},
      { allowed: false, status: { code: 500, reason: "InternalError", message: "panic: x is undefined [recovered]" } },
    ],
    [
      "of updates sees both",
      { update: (before, after) => `${before.data?.["color"]} to ${after.data?.["color"]}` },
      {
        operation: "UPDATE",
        oldObject: { apiVersion: "v1", kind: "ConfigMap", metadata: { name: "a" }, data: { color: "green" } },
      },
      { allowed: false, status: { message: "green to red" } },
    ],
    [
      "of deletions sees what is to go",
      { delete: ({ data }) => `keep ${data?.["color"]}` },
      {
        operation: "DELETE",
        object: null,
        oldObject: { apiVersion: "v1", kind: "ConfigMap", metadata: { name: "a" }, data: { color: "green" } },
      },
      { allowed: false, status: { message: "keep green" } },
    ],
    ["is not asked for what it has no function for", { delete: () => "no" }, {}, { allowed: true }],
    ["is not asked about connections", { create: () => "no" }, { operation: "CONNECT" }, { allowed: true }],
    [
      "warns and annotates, whatever it answers",
      {
        create: (_map, context) => {
          context.warn("color is old-fashioned");
          context.annotate("color", "red");
          return "no";
        },
      },
      {},
      { allowed: false, warnings: ["color is old-fashioned"], auditAnnotations: { color: "red" } },
    ],
    [
      "refuses another kind than its own",
      { create: () => undefined },
      { kind: { group: "apps", version: "v1", kind: "Deployment" } },
      {
        allowed: false,
        status: {
          code: 400,
          message: expect.stringContaining("this webhook is for /v1, Kind=ConfigMap, not for apps/v1, Kind=Deployment"),
        },
      },
    ],
    [
      "takes the kinds of subresources as they come",
      { create: () => "seen" },
      { kind: { group: "autoscaling", version: "v1", kind: "Scale" }, subResource: "scale" },
      { allowed: false, status: { message: "seen" } },
    ],
    [
      "refuses an object that is none",
      { create: () => undefined },
      { object: { apiVersion: "v1", kind: "ConfigMap" } },
      {
        allowed: false,
        status: { code: 400, message: "the object cannot be read: metadata: must be an object, got nothing" },
      },
    ],
  ];
  for (const [fact, checks, request, response] of rows) {
    test(fact, async () => {
      const answer = await withValidator(checks).send(admissionReview(request));
      expect(answer).toMatchObject({
        code: 200,
        apiVersion: "admission.k8s.io/v1",
        response: { uid: "u-1", ...response },
      });
      expect(answer.response).not.toHaveProperty("patch");
    });
  }

  test("answers in the version it was asked in", async () => {
    const { send } = withValidator({ create: () => "no" });
    const { apiVersion, response } = await send(admissionReview({}, "admission.k8s.io/v1beta1"));
    expect([apiVersion, response.uid, response.allowed]).toEqual(["admission.k8s.io/v1beta1", "u-1", false]);
  });
});

describe("what is no review", () => {
  const rows: readonly [fact: string, body: unknown, asked: Asked, code: number, message: string | RegExp][] = [
    ["a GET is not allowed", admissionReview(), { method: "GET" }, 405, "reviews are sent by POST"],
    [
      "another content type is not supported",
      admissionReview(),
      { contentType: "text/plain" },
      415,
      "contentType=text/plain, expected application/json",
    ],
    ["no body is a bad request", "", {}, 400, "request body is empty"],
    ["half of one too", '{"kind":"Admis', {}, 400, /^the body cannot be read: /],
    ["a list too", "[]", {}, 400, "the body is missing or not an object"],
    [
      "another kind too",
      { kind: "ConversionReview", apiVersion: "apiextensions.k8s.io/v1" },
      {},
      400,
      /^expected an AdmissionReview/,
    ],
    [
      "another version too",
      { ...admissionReview(), apiVersion: "admission.k8s.io/v2" },
      {},
      400,
      /^expected an AdmissionReview/,
    ],
    [
      "no request too",
      { kind: "AdmissionReview", apiVersion: "admission.k8s.io/v1" },
      {},
      400,
      "request is missing or not an object",
    ],
    ["no uid too", admissionReview({ uid: "" }), {}, 400, "request.uid is missing"],
    ["an unknown operation too", admissionReview({ operation: "PATCH" }), {}, 400, 'unknown operation "PATCH"'],
    [
      "one that is too large is refused as such",
      admissionReview({ name: "x".repeat(20_000) }),
      {},
      413,
      "Request entity too large: limit is 10000",
    ],
  ];
  for (const [fact, body, asked, code, message] of rows) {
    test(fact, async () => {
      const { send } = withValidator({ create: () => undefined }, { maxAdmissionBytes: 10_000 });
      const answer = await send(body, asked);
      expect([answer.code, answer.refusal?.message]).toEqual([
        code,
        typeof message === "string" ? message : expect.stringMatching(message),
      ]);
    });
  }

  test("a content type with parameters is fine", async () => {
    const { send } = withValidator({ create: () => undefined });
    expect((await send(admissionReview(), { contentType: "application/json; charset=utf-8" })).code).toBe(200);
  });

  test("a path of nobody is not found", async () => {
    const { server } = withValidator({ create: () => undefined });
    expect((await ask(server.handler, reviewRequest("/other", admissionReview()))).code).toBe(404);
  });
});

describe("time", () => {
  const rows: readonly [fact: string, timeout: string | undefined, ms: number][] = [
    ["the API server's", "10s", 10_000],
    ["a broken one", "2500ms", 2500],
    ["half a minute without one", undefined, 30_000],
    ["no more than that", "1h", 30_000],
    ["that for nonsense", "soon", 30_000],
    ["that for nothing", "0s", 30_000],
  ];
  for (const [fact, timeout, ms] of rows) {
    test(`is up after ${fact}: the signal says so, and the answer is left to the API server's policy`, async () => {
      let abortedMs = 0;
      const { send, clock } = withValidator({
        create: (_map, _context, signal) => {
          signal.addEventListener("abort", () => {
            abortedMs = clock.monotonic();
          });
          return deferred<undefined>().promise;
        },
      });
      const asking = send(admissionReview(), timeout === undefined ? {} : { timeout });
      await clock.advance(ms);
      const { code, refusal } = await asking;
      expect([code, refusal?.reason, abortedMs]).toEqual([504, "Timeout", ms]);
      expect(clock.pending()).toEqual([]);
    });
  }

  test("when the client goes away the signal aborts", async () => {
    const reasons: unknown[] = [];
    const { server, clock } = withValidator({
      create: (_map, _context, signal) =>
        new Promise((_resolve, reject) =>
          signal.addEventListener("abort", () => {
            reasons.push(signal.reason);
            reject(signal.reason);
          }),
        ),
    });
    const leaving = new AbortController();
    const asking = ask(server.handler, reviewRequest(validatePath, admissionReview()), leaving.signal);
    asking.catch(() => {});
    await clock.settle();
    const gone = new Error("gone");
    leaving.abort(gone);
    await expect(asking).rejects.toBe(gone);
    expect(reasons).toEqual([gone]);
  });
});

describe("metrics", () => {
  test("count requests by path and code, their time, those under way, and panics", async () => {
    const held = deferred<undefined>();
    const { send, metrics, clock } = withValidator({
      create: ({ data }) => {
        if (data?.["color"] === "slow") return held.promise;
        if (data?.["color"] === "bad") throw new Error("bug");
        return undefined;
      },
    });
    const object = (color: string) => ({
      apiVersion: "v1",
      kind: "ConfigMap",
      metadata: { name: "a" },
      data: { color },
    });
    const series = `webhook="${validatePath}"`;
    expect(metrics.print()).toContain(`controller_runtime_webhook_requests_total{${series},code="500"} 0\n`);
    const slow = send(admissionReview({ object: object("slow") }));
    await clock.settle();
    expect(metrics.print()).toContain(`controller_runtime_webhook_requests_in_flight{${series}} 1\n`);
    await clock.advance(250);
    held.resolve(undefined);
    await slow;
    await send(admissionReview({ object: object("bad") }));
    await send("nonsense");
    const text = metrics.print();
    expect(text).toContain(`controller_runtime_webhook_requests_total{${series},code="200"} 2\n`);
    expect(text).toContain(`controller_runtime_webhook_requests_total{${series},code="400"} 1\n`);
    expect(text).toContain(`controller_runtime_webhook_requests_in_flight{${series}} 0\n`);
    expect(text).toContain(`controller_runtime_webhook_latency_seconds_sum{${series}} 0.25\n`);
    expect(text).toContain(`controller_runtime_webhook_latency_seconds_bucket{${series},le="0.1"} 2\n`);
    expect(text).toContain("controller_runtime_webhook_panics_total 1\n");
  });
});

describe("a server of webhooks", () => {
  test("has each path once", () => {
    const { server } = withValidator({});
    expect(() => server.add(defineValidator({ name, resource: configMaps }))).toThrow(
      "there is a webhook at /validate--v1-configmap already",
    );
    server.add(defineValidator({ name, resource: configMaps, path: "/other" }));
  });

  test("is not ready before it listens, nor after, nor with a certificate that has ended", async () => {
    const { server } = newServer({ port: 0, host: "127.0.0.1" });
    expect(server.findFault()).toBe("webhook server has not been started yet");
    const stop = new AbortController();
    const running = server.run(stop.signal);
    await server.whenReady(stop.signal);
    // The virtual clock stands in 2030, long after a certificate of seven days.
    expect(server.findFault()).toMatch(/^the certificate of the webhook server ended at /);
    stop.abort();
    await running;
    expect(server.findFault()).toBe("webhook server has been stopped");
  });

  test("waits at its end for reviews that do not heed their time", async () => {
    const held = deferred<undefined>();
    const { server, clock } = newServer({ port: 0, host: "127.0.0.1" });
    server.add(defineValidator({ name, resource: configMaps, create: () => held.promise }));
    const asking = ask(server.handler, reviewRequest(validatePath, admissionReview(), { timeout: "1s" }));
    await clock.advance(1000);
    expect((await asking).code).toBe(504);
    let hasEnded = false;
    const running = server.run(AbortSignal.abort()).then(() => {
      hasEnded = true;
    });
    await clock.settle();
    expect(hasEnded).toBe(false);
    held.resolve(undefined);
    await running;
  });
});

describe("a name", () => {
  for (const [text, fault] of [
    ["maps", "should be a domain with at least three segments separated by dots"],
    ["maps.example", "should be a domain with at least three segments separated by dots"],
    ["Maps.example.com", "a lowercase RFC 1123 subdomain must consist of"],
  ] as const) {
    test(`${text} is refused, as the API server would`, () => {
      expect(() => defineValidator({ name: text, resource: configMaps })).toThrow(fault);
    });
  }
});
