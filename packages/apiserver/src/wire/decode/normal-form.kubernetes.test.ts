// What a real kube-apiserver makes of odd bodies, and what we make of them: the same objects, where defaults and allocation do not
// add to them, and the same words for what they are not.
import { request } from "node:https";
import { findResource, isBadRequest, type Resource, StatusError } from "@kubeloop/core/api";
import { RealCluster } from "@kubeloop/real-cluster";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { builtInCodec } from "../kind-codec.ts";
import { type DecodedBody, decodeJsonBody, decodeYamlBody, type FieldValidation } from "./index.ts";

interface Answer {
  readonly status: number;
  readonly warnings: readonly string[];
  readonly object: { readonly [field: string]: unknown };
}

let cluster: RealCluster;
beforeAll(async () => {
  // Without it every pod needs a ServiceAccount, which a controller would have to make.
  const extraFlags = { "kube-apiserver": ["--disable-admission-plugins=ServiceAccount"] };
  cluster = await RealCluster.start({ extraFlags }, new AbortController().signal);
});
afterAll(async () => {
  await cluster?.[Symbol.asyncDispose]();
});

interface Body {
  readonly text: string | Uint8Array;
  readonly type?: "json" | "yaml";
  readonly fieldValidation?: FieldValidation;
}

function resource(name: string): Resource {
  const [plural = "", group = "", version = "v1"] = name.split(" ");
  const found = findResource({ group: group === "core" ? "" : group, version, resource: plural });
  if (found === undefined) throw new Error(`no resource ${name}`);
  return found;
}

/** Creates it for show. */
function create({ group, apiVersion, plural, namespaced }: Resource, body: Body): Promise<Answer> {
  const { text, type = "json", fieldValidation = "Warn" } = body;
  const root = group === "" ? `/api/${apiVersion}` : `/apis/${apiVersion}`;
  const path = `${root}${namespaced ? "/namespaces/default" : ""}/${plural}?dryRun=All&fieldValidation=${fieldValidation}`;
  const headers = { authorization: `Bearer ${cluster.adminToken}`, "content-type": `application/${type}` };
  return new Promise((resolve, reject) => {
    const options = { method: "POST", ca: cluster.caPem, headers, agent: false as const };
    const sent = request(`${cluster.url}${path}`, options, async (response) => {
      try {
        let answer = "";
        for await (const piece of response.setEncoding("utf8")) answer += piece;
        const { statusCode: status = 0, rawHeaders } = response;
        resolve({ status, warnings: warningsIn(rawHeaders), object: JSON.parse(answer) });
      } catch (error) {
        reject(error);
      }
    });
    sent.on("error", reject);
    sent.end(text);
  });
}

function warningsIn(rawHeaders: readonly string[]): readonly string[] {
  return rawHeaders.flatMap((value, i) => {
    if (i % 2 === 0 || rawHeaders[i - 1]?.toLowerCase() !== "warning") return [];
    // Headers arrive as latin1.
    const text = Buffer.from(value, "latin1").toString("utf8");
    return [
      text
        .replace(/^299 - "/, "")
        .replace(/"$/, "")
        .replace(/\\(.)/g, "$1"),
    ];
  });
}

async function decode(target: Resource, { text, type, fieldValidation = "Warn" }: Body): Promise<DecodedBody> {
  const bytes = Buffer.from(text);
  return type === "yaml"
    ? await decodeYamlBody(bytes, builtInCodec(target), { fieldValidation })
    : decodeJsonBody(bytes, builtInCodec(target), { fieldValidation });
}

/** Where the server's object says other than ours, or less. What it says more are defaults. */
function differences(ours: unknown, theirs: unknown, path = ""): readonly string[] {
  if (Array.isArray(ours) && Array.isArray(theirs) && ours.length === theirs.length) {
    return ours.flatMap((item, i) => differences(item, theirs[i], `${path}[${i}]`));
  }
  if (isRecord(ours) && isRecord(theirs)) {
    return Object.entries(ours).flatMap(([key, held]) => differences(held, theirs[key], `${path}.${key}`));
  }
  return JSON.stringify(ours) === JSON.stringify(theirs)
    ? []
    : [`${path}: ${JSON.stringify(ours)} here, ${JSON.stringify(theirs)} there`];
}

/** Fields of the body that we dropped and the server did not. */
function keptThere(sent: unknown, ours: unknown, theirs: unknown, path = ""): readonly string[] {
  if (Array.isArray(sent) && Array.isArray(ours) && Array.isArray(theirs)) {
    return sent.flatMap((item, i) => keptThere(item, ours[i], theirs[i], `${path}[${i}]`));
  }
  if (!isRecord(sent) || !isRecord(theirs)) return [];
  return Object.entries(sent).flatMap(([key, held]) => {
    const at = `${path}.${key}`;
    if (isRecord(ours) && key in ours) return keptThere(held, ours[key], theirs[key], at);
    return key in theirs ? [`${at}: dropped here, ${JSON.stringify(theirs[key])} there`] : [];
  });
}

function isRecord(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

const podSpec = (extra: string, container = "") => `{"containers":[{"name":"c","image":"i"${container}}]${extra}}`;
const pod = (extra: string, container = "") => `{"metadata":{"name":"a"},"spec":${podSpec(extra, container)}}`;
const named = (rest: string) => `{"metadata":{"name":"a"},${rest}}`;

describe("the same object comes of", () => {
  for (const [fact, of, text, defaulted] of [
    [
      "empty maps and lists",
      "configmaps core",
      '{"metadata":{"name":"a","labels":{},"annotations":null,"finalizers":[]},"data":{},"binaryData":{}}',
      [],
    ],
    [
      "nulls and zeros in maps",
      "configmaps core",
      named(
        '"data":{"a":null,"b":"","__proto__":"x","1":"y"},"binaryData":{"c":null,"d":"","e":"Y\\nR==","f":[97,98]}',
      ),
      [],
    ],
    ["an explicit false", "configmaps core", named('"immutable":false'), []],
    [
      "keys that come twice",
      "configmaps core",
      '{"metadata":{"name":"a","name":"b"},"data":{"a":"1","a":"2"},"metadata":{"labels":{"a":"b"}},"data":{"b":"3"}}',
      [],
    ],
    [
      "text that is no text",
      "configmaps core",
      new Uint8Array(
        Buffer.concat([
          Buffer.from('{"metadata":{"name":"a"},"data":{"a":"'),
          Buffer.from([0xe2, 0x82, 0x41, 0xff]),
          Buffer.from('\\ud800\\ud83d\\ude00"}}'),
        ]),
      ),
      [],
    ],
    ["unknown fields", "configmaps core", named('"Data":{"a":"b"},"spec":{"a":{"b":[]}},"metadata2":null'), []],
    ["a negative zero", "configmaps core", '{"metadata":{"name":"a","generation":-0}}', []],
    ["a Secret's bytes", "secrets core", named('"data":{"a":"","b":null,"c":"Yg=="},"stringData":{}'), []],
    [
      "zeros held by pointer and by value",
      "pods core",
      pod(
        ',"hostNetwork":false,"hostPID":false,"nodeName":"","automountServiceAccountToken":false,"priority":0,"terminationGracePeriodSeconds":0,"shareProcessNamespace":false,"activeDeadlineSeconds":null',
      ),
      [".spec.priority"],
    ],
    [
      "empty structs",
      "pods core",
      pod(
        ',"affinity":{},"dnsConfig":{},"tolerations":[],"volumes":[{"name":"v","emptyDir":{}}]',
        ',"resources":null,"securityContext":{},"lifecycle":{},"env":[],"args":["a",null],"ports":null',
      ),
      [".spec.tolerations"],
    ],
    [
      "quantities",
      "pods core",
      pod(
        "",
        ',"resources":{"limits":{"cpu":0.5,"memory":"1024Mi","a.b/x":100000,"a.b/y":1e3,"a.b/z":"1024","a.b/n":null,"a.b/w":" 1 "}}',
      ),
      [],
    ],
    [
      "numbers or texts",
      "pods core",
      pod(
        "",
        ',"livenessProbe":{"httpGet":{"port":"http"},"failureThreshold":0},"readinessProbe":{"tcpSocket":{"port":80}}',
      ),
      [".spec.containers[0].livenessProbe.failureThreshold"],
    ],
    ["numbers in lists", "pods core", pod(',"securityContext":{"supplementalGroups":[1,null,3],"fsGroup":0}'), []],
    ["values that are null in maps", "pods core", pod(',"nodeSelector":{"b":null,"a":"x"}'), []],
    [
      "managed fields",
      "pods core",
      `{"metadata":{"name":"a","managedFields":[{"manager":"m","operation":"Update","apiVersion":"v1","time":"2024-01-01T01:02:03.5+02:00","fieldsType":"FieldsV1","fieldsV1":{"f:spec":{}}}]},"spec":${podSpec("")}}`,
      [".metadata.managedFields"],
    ],
    [
      "a Deployment",
      "deployments apps",
      named(
        `"spec":{"replicas":0,"paused":false,"selector":{"matchLabels":{"a":"b"},"matchExpressions":[]},"strategy":{},"template":{"metadata":{"creationTimestamp":null,"labels":{"a":"b"}},"spec":${podSpec("")}}},"status":{}`,
      ),
      [],
    ],
    [
      "a Service",
      "services core",
      named(
        '"spec":{"ports":[{"port":80,"protocol":"","nodePort":0}],"selector":{},"externalIPs":[],"sessionAffinityConfig":{}}',
      ),
      [".spec.ports[0].protocol", ".spec.ports[0].targetPort", ".spec.sessionAffinityConfig"],
    ],
    [
      "a CronJob",
      "cronjobs batch",
      named(
        `"spec":{"schedule":"* * * * *","suspend":false,"startingDeadlineSeconds":0,"jobTemplate":{"metadata":{"creationTimestamp":null,"labels":{}},"spec":{"template":{"spec":${podSpec(',"restartPolicy":"Never"')}}}}},"status":{"active":[]}`,
      ),
      [],
    ],
    [
      "a Node, with its status",
      "nodes core",
      named(
        '"spec":{"unschedulable":false,"podCIDR":"","taints":[]},"status":{"capacity":{"cpu":4,"memory":"1024Mi"},"conditions":[{"type":"Ready","status":"True","lastHeartbeatTime":null,"lastTransitionTime":"2024-01-01T00:00:00.9+01:00"}],"addresses":[],"daemonEndpoints":{"kubeletEndpoint":{"Port":10250}},"nodeInfo":{"machineID":"x"},"images":[{"names":null,"sizeBytes":0},{"sizeBytes":5}]}',
      ),
      [".spec.taints"],
    ],
    [
      "a PersistentVolume",
      "persistentvolumes core",
      named(
        '"spec":{"capacity":{"storage":"1.5Gi"},"accessModes":["ReadWriteOnce"],"hostPath":{"path":"/x","type":""},"claimRef":{},"mountOptions":[]}',
      ),
      [],
    ],
    [
      "a NetworkPolicy",
      "networkpolicies networking.k8s.io",
      named(
        '"spec":{"ingress":[{},{"from":[{"podSelector":{}},{"namespaceSelector":null,"podSelector":{"matchLabels":{"a":""}}}]}],"egress":[]}',
      ),
      // The rules of its kind drop it: an update that has one is a change.
      [".spec.egress"],
    ],
    ["a Role without rules", "roles rbac.authorization.k8s.io", named('"rules":[]'), []],
    [
      "a Lease",
      "leases coordination.k8s.io",
      named(
        '"spec":{"renewTime":"2024-02-28T03:04:05.123456+02:00","acquireTime":"0001-01-01T00:00:00.000000Z","holderIdentity":"","leaseTransitions":0}',
      ),
      [],
    ],
    [
      "an EndpointSlice",
      "endpointslices discovery.k8s.io",
      named(
        '"addressType":"IPv4","endpoints":[{"addresses":["10.1.1.1"],"conditions":{"ready":false}}],"ports":[{"port":0,"name":""}]',
      ),
      [],
    ],
    ["a budget", "poddisruptionbudgets policy", named('"spec":{"minAvailable":0,"selector":{}},"status":{}'), []],
    [
      "an Event",
      "events core",
      named('"involvedObject":{"namespace":"default"},"eventTime":null,"firstTimestamp":"2024-01-01T00:00:00Z"'),
      [],
    ],
    [
      "an Event of the other group",
      "events events.k8s.io",
      named(
        '"regarding":{"namespace":"default"},"eventTime":"2024-01-01T00:00:00.000001Z","reportingController":"a/b","reportingInstance":"i","action":"a","reason":"r","type":"Normal"',
      ),
      [],
    ],
    ["a ControllerRevision", "controllerrevisions apps", named('"revision":0,"data":{"z":1,"a":[null,{}]}'), []],
    [
      "a PriorityClass of zero",
      "priorityclasses scheduling.k8s.io",
      named('"value":0,"globalDefault":false,"description":""'),
      [],
    ],
    [
      "a CustomResourceDefinition",
      "customresourcedefinitions apiextensions.k8s.io",
      '{"metadata":{"name":"foos.example.com"},"spec":{"group":"example.com","names":{"kind":"Foo","plural":"foos","shortNames":[]},"scope":"Namespaced","versions":[{"name":"v1","served":true,"storage":true,"schema":{"openAPIV3Schema":{"type":"object","properties":{"a":{"type":"number","minimum":0,"maximum":1.50,"default":1.0,"enum":[1.0,2,null]},"b":{"type":"array","items":{"type":"string","foo":1,"nullable":false,"maxLength":0}},"c":{"type":"object","additionalProperties":true},"d":{"type":"object","additionalProperties":{"type":"string"}}},"required":[]}}}]}}',
      [".status"],
    ],
    [
      "a review",
      "subjectaccessreviews authorization.k8s.io",
      '{"spec":{"user":"a","extra":{"k":["a",null],"z":null,"y":[]},"resourceAttributes":{}}}',
      [".status"],
    ],
  ] as const) {
    test(fact, async () => {
      const target = resource(of);
      const [{ status, object, warnings }, ours] = [await create(target, { text }), await decode(target, { text })];
      expect([status, object["message"]]).toEqual([201, undefined]);
      expect(ours.warnings).toEqual(warnings);
      const sent: unknown = JSON.parse(Buffer.from(text).toString("utf8"));
      const isDefaulted = (difference: string) => defaulted.some((path) => difference.startsWith(path));
      const found = [...differences(ours.object, object), ...keptThere(sent, ours.object, object)];
      expect(found.filter((difference) => !isDefaulted(difference))).toEqual([]);
    });
  }
});

async function oursFor(target: Resource, body: Body): Promise<string> {
  try {
    await decode(target, body);
    return "taken";
  } catch (error) {
    if (error instanceof StatusError && isBadRequest(error)) return error.message;
    throw error;
  }
}

describe("the same words are said of", () => {
  const time = (text: string) => `{"metadata":{"deletionTimestamp":${JSON.stringify(text)}}}`;
  for (const [of, texts] of [
    [
      "configmaps core",
      [
        "",
        "  ",
        "xyz",
        "[]",
        "5",
        '"a"',
        '{"metadata":{"name":"a"}} x',
        '{"metadata":{"name":"a"',
        '{"a":"\u0001"}',
        "\ufeff{}",
        `${'{"a":'.repeat(10_001)}1${"}".repeat(10_001)}`,
        '{"kind":5}',
        '{"apiVersion":"a/b/c"}',
        '{"Kind":"Secret"}',
        '{"kind":"Foo"}',
        '{"apiVersion":"foo/v1","kind":"Foo"}',
        '{"apiVersion":"v2"}',
        '{"kind":"Secret","apiVersion":"v1"}',
        '{"kind":"ConfigMapList"}',
        '{"kind":"List"}',
        '{"kind":"Status"}',
        '{"kind":"DeleteOptions"}',
        '{"kind":"CreateOptions","apiVersion":"apps/v1"}',
        '{"kind":"Foo","apiVersion":"foo/"}',
        '{"kind":"Secret","type":5}',
        '{"data":{"a":1}}',
        '{"data":"x"}',
        '{"data":[]}',
        '{"metadata":"x"}',
        '{"metadata":{"name":5,"creationTimestamp":"x"}}',
        '{"metadata":{"name":5,"labels":[]}}',
        '{"metadata":{"generation":2.0}}',
        '{"metadata":{"generation":1e2}}',
        '{"metadata":{"generation":9223372036854775808}}',
        '{"metadata":{"uid":5}}',
        '{"binaryData":{"a":"YQ"}}',
        '{"binaryData":{"a":"YQ==x"}}',
        '{"binaryData":{"a":[300]}}',
        '{"binaryData":{"a":5}}',
        ...[
          "",
          "2024",
          "2024-13-02T03:04:05Z",
          "2024-02-30T03:04:05Z",
          "2024-02-28T03:04:05+25:00",
          "2024-02-28T03:04:05Zx",
          'é"',
        ].map(time),
      ],
    ],
    [
      "deployments apps",
      [
        '{"apiVersion":"apps/v1beta1","kind":"Deployment"}',
        '{"apiVersion":"extensions/v1beta1","kind":"Deployment"}',
        '{"apiVersion":"v1","kind":"Deployment"}',
        '{"apiVersion":"apps/v1","kind":"ReplicaSet"}',
        '{"spec":{"replicas":"3"}}',
        '{"spec":{"replicas":2147483648}}',
        '{"spec":{"template":"x"}}',
        '{"spec":{"template":{"spec":{"containers":{}}}}}',
        '{"spec":{"template":{"spec":{"containers":[{"name":"a"},{"image":5}]}}}}',
        '{"spec":{"template":{"spec":{"containers":[{"imagePullPolicy":true}]}}}}',
        '{"spec":{"strategy":{"rollingUpdate":{"maxSurge":1.5}}}}',
      ],
    ],
    [
      "pods core",
      [
        '{"spec":{"volumes":[{"emptyDir":"x"}]}}',
        '{"spec":{"volumes":[{"emptyDir":{"medium":5}}]}}',
        '{"spec":{"containers":[{"resources":{"limits":{"cpu":"abc"}}}]}}',
        '{"spec":{"containers":[{"resources":{"limits":{"cpu":"1Kii"}}}]}}',
        '{"spec":{"containers":[{"resources":{"limits":"x"}}]}}',
        '{"spec":{"containers":[{"livenessProbe":{"httpGet":{"port":true}}}]}}',
        '{"spec":{"containers":[{"args":["a",5]}]}}',
        '{"spec":{"securityContext":{"supplementalGroups":[1,2.5]}}}',
        '{"spec":{"hostNetwork":"true"}}',
        '{"spec":{"containers":[{"envFrom":[{"secretRef":{"name":5}}]}]}}',
        '{"spec":{"ephemeralContainers":[{"image":5}]}}',
      ],
    ],
    [
      "leases coordination.k8s.io",
      [
        '{"spec":{"renewTime":"2024-02-28T03:04:05Z"}}',
        '{"spec":{"renewTime":"2024-02-28T03:04:05.1234567Z"}}',
        '{"spec":{"renewTime":5}}',
        '{"spec":{"leaseDurationSeconds":"x"}}',
      ],
    ],
    [
      "customresourcedefinitions apiextensions.k8s.io",
      [
        '{"kind":"Secret","apiVersion":"v1"}',
        '{"apiVersion":"apiextensions.k8s.io/v1beta1"}',
        '{"spec":{"versions":[{"schema":{"openAPIV3Schema":{"properties":{"a":{"items":{"type":5}}}}}}]}}',
        '{"spec":{"versions":[{"schema":{"openAPIV3Schema":{"properties":{"a":{"additionalProperties":"x"}}}}}]}}',
        '{"spec":{"versions":[{"schema":{"openAPIV3Schema":{"properties":{"a":{"properties":"x"}}}}}]}}',
        '{"spec":{"versions":[{"schema":{"openAPIV3Schema":{"minimum":"5"}}}]}}',
        '{"spec":{"versions":[{"schema":{"openAPIV3Schema":{"items":[5]}}}]}}',
      ],
    ],
    ["horizontalpodautoscalers autoscaling v2", ['{"apiVersion":"autoscaling/v1","kind":"HorizontalPodAutoscaler"}']],
    ["subjectaccessreviews authorization.k8s.io", ['{"spec":{"extra":{"k":"x"}}}', '{"spec":{"extra":{"k":["x",5]}}}']],
    ["apiservices apiregistration.k8s.io", ['{"kind":"Secret","apiVersion":"v1"}', '{"spec":{"caBundle":"!"}}']],
  ] as const) {
    for (const text of texts) {
      test(`${of.split(" ")[0]} ${text.slice(0, 90)}`, async () => {
        const target = resource(of);
        const { status, object } = await create(target, { text });
        expect(status).toBe(400);
        expect(await oursFor(target, { text })).toBe(object["message"]);
      });
    }
  }

  for (const text of [
    "metadata:\n  name: a\ndata:\n  a: b\n  a: c\n  b: x\n  b: z\nfoo: 1\n",
    '{"metadata":{"name":"a","x":1},"data":{"a":"1","a":"2"},"y":{}}',
  ]) {
    for (const type of ["yaml", "json"] as const) {
      if (type === "json" && !text.startsWith("{")) continue;
      test(`strictly read ${type} ${text.slice(0, 60).replaceAll("\n", " ")}`, async () => {
        const target = resource("configmaps core");
        const strictly = { text, type, fieldValidation: "Strict" } as const;
        const { object } = await create(target, strictly);
        expect(object["message"]).toContain("strict decoding error");
        expect(await oursFor(target, strictly)).toBe(object["message"]);
        const { warnings } = await create(target, { text, type });
        expect((await decode(target, { text, type })).warnings).toEqual(warnings);
      });
    }
  }

  for (const text of [
    "a: b: c",
    "a:\n\tb: c",
    "hello",
    "- a",
    "a: *x",
    "a: &x [*x]",
    "kind: Foo\n",
    "kind: 5\n",
    "data: {a: 5}\n",
    "data: {a: yes}\n",
    "data:\n  ~: x\n",
    "data:\n  [a]: x\n",
    "data:\n  <<: 5\n",
    "metadata: {generation: 1.5}\n",
    "metadata: {generation: .inf}\n",
    "metadata: {generation: 1e30}\n",
    "metadata: {generation: 18446744073709551615}\n",
    'data: {a: "\u0001"}\n',
  ]) {
    test(`YAML ${JSON.stringify(text)}`, async () => {
      const target = resource("configmaps core");
      const { status, object } = await create(target, { text, type: "yaml" });
      expect(status).toBe(400);
      expect(await oursFor(target, { text, type: "yaml" })).toBe(object["message"]);
    });
  }
});

describe("the same object comes of YAML", () => {
  for (const text of [
    "metadata: {name: a}\ndata:\n  a: 2001-12-14\n  b: 22:22\n  c: '5'\n  d: !!str 5\n  e: !!binary aGVsbG8=\n",
    "metadata:\n  name: a\n  generation: 0x10\n---\nmetadata: {name: b}\n",
    "metadata: {name: a}\ndata:\n  <<: [{k: v, j: q}, {k: w, l: m}]\n",
    "\ufeffmetadata: {name: a, generation: 2.0}\ndata: &x {a: b}\nbinaryData: {}\n",
    "zeta: 1\nmetadata: {name: a, zoo: 1, ant: 2}\nalpha: 1\n",
  ]) {
    test(JSON.stringify(text), async () => {
      const target = resource("configmaps core");
      const body = { text, type: "yaml" } as const;
      const [{ status, object, warnings }, ours] = [await create(target, body), await decode(target, body)];
      expect([status, object["message"]]).toEqual([201, undefined]);
      expect(ours.warnings).toEqual(warnings);
      expect(differences(ours.object, object)).toEqual([]);
    });
  }
});
