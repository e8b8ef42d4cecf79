// Webhook configurations and admission policies, for resources that nobody has.
import { kindScene } from "./kind-scene.contract.ts";
import type { Scene } from "./request-script.contract.ts";

const group = "/apis/admissionregistration.k8s.io/v1";
const apiVersion = "admissionregistration.k8s.io/v1";
const table = { accept: "application/json;as=Table;g=meta.k8s.io;v=v1" };
const rule = { operations: ["CREATE"], apiGroups: ["nobody.example.com"], apiVersions: ["v1"], resources: ["things"] };
const service = { namespace: "n", name: "s" };
const webhook = {
  name: "a.b.c",
  admissionReviewVersions: ["v1"],
  sideEffects: "None",
  clientConfig: { service },
  rules: [rule],
};
const hook = (more: object) => ({ webhooks: [{ ...webhook, ...more }] });
const url = (text: string) => hook({ clientConfig: { url: text } });
const badRules = [
  {},
  { ...rule, operations: ["*", "CREATE"], apiGroups: ["*", "a"], apiVersions: ["*", "v1"], resources: ["*/*", "a"] },
  { ...rule, operations: ["X"], apiVersions: [""], resources: ["", "*", "b"], scope: "X" },
  { ...rule, resources: ["a/*", "a/b", "*/c", "d/c"] },
];
const webhooks = {
  "of nothing": { webhooks: [{}] },
  "without webhooks": { webhooks: undefined },
  "with all": hook({
    failurePolicy: "Ignore",
    matchPolicy: "Exact",
    namespaceSelector: { matchLabels: { a: "b" } },
    objectSelector: { matchExpressions: [{ key: "a", operator: "Exists" }] },
    timeoutSeconds: 5,
    matchConditions: [{ name: "a", expression: "true" }],
    rules: [{ ...rule, scope: "Namespaced" }],
    clientConfig: { service: { ...service, path: "/a/b", port: 8443 }, caBundle: "YWJj" },
  }),
  "with bad words": hook({ failurePolicy: "X", matchPolicy: "X", sideEffects: "Some", timeoutSeconds: 31 }),
  "at an address that does not end": url("https://[::1"),
  "at a host with a space": url("https://a b/c"),
  "at a host with an escape": url("https://a%41b/c"),
  "at a host with an open escape": url("https://a%4/c"),
  "at a port that is no number": url("https://a:b/c"),
  "at a bracket that goes on": url("https://[::1]a/c"),
  "at a zone": url("https://[fe80::1%25en0]/c"),
  "at a path with an open escape": url("https://a/%zz"),
  "at a path with a short escape": url("https://a/b%4"),
  "at a fragment with an open escape": url("https://a/b#%zz"),
  "at an address with a bell": url("https://a/\u0007"),
  "at an address without a scheme": url("://a/b"),
  "at a scheme that is none": url("1https://a/b"),
  "at a first segment with a colon": url("a_b:c/d"),
  "at an odd user": url("https://a<b@c/d"),
  "at an open user": url("https://a%zz@c/d"),
  "at a query with a space": url("https://a/b?c d"),
  "at nothing but a star": url("*"),
  "at a path": url("/a/b"),
  "at an opaque one": url("https:a:b"),
  "with no time": hook({ timeoutSeconds: 0 }),
  "with bad selectors": hook({
    namespaceSelector: { matchLabels: { "a b": "c" } },
    objectSelector: { matchLabels: { "a b": "c" } },
  }),
  "with a short name": hook({ name: "a.b" }),
  "with a bad name": hook({ name: "A_b.c.d" }),
  "with a name twice": { webhooks: [webhook, webhook] },
  "with bad versions": hook({ admissionReviewVersions: ["v2", "v2", "1"] }),
  "with bad rules": hook({ rules: badRules }),
  "with bad conditions": hook({
    matchConditions: [
      {},
      { name: "a b", expression: "true" },
      { name: "a", expression: " " },
      { name: "a", expression: "true" },
    ],
  }),
  "reached at two places": hook({ clientConfig: { service, url: "https://a" } }),
  "reached nowhere": hook({ clientConfig: {} }),
  "reached at an address": url("https://a/b"),
  "reached in the open": url("http://a/b"),
  "reached at odd addresses": url("https://u:p@a/b?c=d#e"),
  "reached at no host": url("https:///b"),
  "reached by a word": url("a"),
  "reached at a bad service": hook({ clientConfig: { service: { path: "a//B_c/", port: 70000 } } }),
  "reached at a service without a name": hook({ clientConfig: { service: { namespace: "n" } } }),
  "with a reserved name": { metadata: { name: "a.static.k8s.io" } },
};
/** What all kinds of this group make of metadata. */
const metadataChanges = {
  "kept by anybody": { metadata: { finalizers: ["x"] } },
  "let go": { metadata: { finalizers: null } },
  "given a bad prefix": { metadata: { generateName: "A_b" } },
  "given an end and bad labels": { metadata: { deletionGracePeriodSeconds: 5, labels: { "a b": "c" } } },
};

const webhookChanges = {
  ...metadataChanges,
  "given a bad rule": { webhooks: [{ ...webhook, rules: [{}] }] },
  "given another name": { webhooks: [{ ...webhook, name: "a.b.d" }] },
  annotated: { metadata: { annotations: { a: "b" } } },
};

const matchConstraints = { resourceRules: [rule] };
const paramKind = { apiVersion: "a.b/v1", kind: "K" };
const policies = {
  "of nothing": { spec: undefined },
  "of parameters": { spec: { paramKind } },
  "of bad parameters": { spec: { paramKind: { apiVersion: "A_b/1", kind: "A_b" } } },
  "of parameters of nothing": { spec: { paramKind: {} } },
  "of parameters of too much": { spec: { paramKind: { apiVersion: "a/b/c", kind: "K" } } },
  "of parameters of no version": { spec: { paramKind: { apiVersion: "a/", kind: "K" } } },
  "with a bad policy": { spec: { failurePolicy: "X" } },
  "with bad matches": {
    spec: {
      matchConstraints: {
        matchPolicy: "X",
        namespaceSelector: { matchLabels: { "a b": "c" } },
        objectSelector: { matchLabels: { "a b": "c" } },
        resourceRules: [{ ...rule, resourceNames: ["a", "a", "a/b"] }, ...badRules],
        excludeResourceRules: badRules,
      },
    },
  },
  "with no matches": { spec: { matchConstraints: {} } },
  "with bad conditions": { spec: { matchConditions: [{}, { name: "a b", expression: "true" }] } },
  "with bad variables": { spec: { variables: [{}, { name: "1a", expression: " " }, { name: "in", expression: "1" }] } },
};

const validatingPolicy = kindScene({
  name: "validating admission policies",
  path: `${group}/validatingadmissionpolicies`,
  object: {
    kind: "ValidatingAdmissionPolicy",
    apiVersion,
    metadata: { name: "{ns}-v" },
    spec: { matchConstraints, validations: [{ expression: "true" }] },
    status: { observedGeneration: 5 },
  },
  others: {
    ...policies,
    "with all": {
      spec: {
        failurePolicy: "Ignore",
        paramKind,
        matchConditions: [{ name: "a", expression: "true" }],
        variables: [{ name: "a", expression: "1" }],
        validations: [{ expression: "true", message: "m", reason: "Forbidden", messageExpression: "'a'" }],
        auditAnnotations: [{ key: "k", valueExpression: "'a'" }],
      },
    },
    "with no validations": { spec: { validations: [] } },
    "with bad validations": {
      spec: {
        validations: [
          { expression: " ", message: " ", messageExpression: " ", reason: "X" },
          { expression: "true", message: "a\nb" },
        ],
      },
    },
    "with bad annotations": {
      spec: {
        auditAnnotations: [
          { key: "a b", valueExpression: " " },
          { key: "c", valueExpression: "'a'" },
          { key: "c", valueExpression: "'b'" },
        ],
      },
    },
  },
  changes: {
    ...metadataChanges,
    "with other validations": { spec: { validations: [{ expression: "1 == 1" }] } },
    "left with no validations": { spec: { validations: null } },
  },
  throughSubresources: {
    "status: being deleted": { metadata: { deletionTimestamp: "2030-01-01T00:00:00Z" } },
    "status: told": { spec: { failurePolicy: "Ignore" }, status: { observedGeneration: 1, typeChecking: {} } },
    "status: badly told": {
      status: {
        typeChecking: { expressionWarnings: [{ fieldRef: " ", warning: "" }] },
        conditions: [{ type: "a b", status: "X", reason: "", message: "" }],
      },
    },
  },
});

const mutatingPolicy = kindScene({
  name: "mutating admission policies",
  path: `${group}/mutatingadmissionpolicies`,
  object: {
    kind: "MutatingAdmissionPolicy",
    apiVersion,
    metadata: { name: "{ns}-m" },
    spec: {
      matchConstraints,
      reinvocationPolicy: "Never",
      mutations: [
        { patchType: "JSONPatch", jsonPatch: { expression: '[JSONPatch{op: "test", path: "/a", value: "b"}]' } },
      ],
    },
  },
  others: {
    ...policies,
    "of deletions": { spec: { matchConstraints: { resourceRules: [{ ...rule, operations: ["DELETE"] }] } } },
    "with no mutations": { spec: { mutations: [] } },
    "with bad mutations": {
      spec: {
        mutations: [
          {},
          { patchType: "X" },
          { patchType: "JSONPatch" },
          { patchType: "ApplyConfiguration" },
          { patchType: "JSONPatch", jsonPatch: { expression: " " }, applyConfiguration: { expression: "Object{}" } },
          { patchType: "ApplyConfiguration", applyConfiguration: {}, jsonPatch: {} },
        ],
      },
    },
    "with no reinvocation": { spec: { reinvocationPolicy: "" } },
    "with a bad reinvocation": { spec: { reinvocationPolicy: "X" } },
  },
  changes: { ...metadataChanges, "with another policy": { spec: { failurePolicy: "Ignore" } } },
});

const paramRef = { name: "a", parameterNotFoundAction: "Deny" };
const bindings = {
  "of nothing": { spec: undefined },
  "of a bad policy": { spec: { policyName: "A_b" } },
  "of parameters of nothing": { spec: { paramRef: {} } },
  "of bad parameters": {
    spec: { paramRef: { name: "a/b", selector: { matchLabels: { "a b": "c" } }, parameterNotFoundAction: "X" } },
  },
  "with matches": { spec: { matchResources: { resourceRules: [rule] } } },
  "with bad matches": { spec: { matchResources: { matchPolicy: "X", resourceRules: badRules } } },
};
const bindingSteps = (plural: string, name: string) => [
  { title: "with parameters, as a table", path: `${group}/${plural}/${name}`, headers: table },
];
const bindingChanges = {
  ...metadataChanges,
  "with parameters of a namespace": { spec: { paramRef: { ...paramRef, namespace: "n" } } },
  "with selected parameters": {
    spec: {
      paramRef: {
        name: null,
        namespace: null,
        selector: {
          matchLabels: { b: "c", a: "d" },
          matchExpressions: [{ key: "e", operator: "In", values: ["f", "g"] }],
        },
      },
    },
  },
};

export const admissionregistrationScenes: readonly Scene[] = [
  kindScene({
    name: "validating webhooks",
    path: `${group}/validatingwebhookconfigurations`,
    object: { kind: "ValidatingWebhookConfiguration", apiVersion, metadata: { name: "{ns}-v" }, webhooks: [webhook] },
    others: webhooks,
    changes: webhookChanges,
  }),
  kindScene({
    name: "mutating webhooks",
    path: `${group}/mutatingwebhookconfigurations`,
    object: { kind: "MutatingWebhookConfiguration", apiVersion, metadata: { name: "{ns}-m" }, webhooks: [webhook] },
    others: { ...webhooks, "with a bad reinvocation": hook({ reinvocationPolicy: "X" }) },
    changes: webhookChanges,
  }),
  validatingPolicy,
  mutatingPolicy,
  kindScene({
    name: "validating admission policy bindings",
    path: `${group}/validatingadmissionpolicybindings`,
    object: {
      kind: "ValidatingAdmissionPolicyBinding",
      apiVersion,
      metadata: { name: "{ns}-b" },
      spec: { policyName: "nobodys", validationActions: ["Audit"] },
    },
    others: {
      ...bindings,
      "without actions": { spec: { validationActions: [] } },
      "with bad actions": { spec: { validationActions: ["X", "Deny", "Warn", "Deny"] } },
    },
    changes: bindingChanges,
    steps: bindingSteps("validatingadmissionpolicybindings", "{ns}-b"),
  }),
  kindScene({
    name: "mutating admission policy bindings",
    path: `${group}/mutatingadmissionpolicybindings`,
    object: {
      kind: "MutatingAdmissionPolicyBinding",
      apiVersion,
      metadata: { name: "{ns}-b" },
      spec: { policyName: "nobodys", paramRef },
    },
    others: {
      ...bindings,
      "of deletions": { spec: { matchResources: { resourceRules: [{ ...rule, operations: ["DELETE"] }] } } },
    },
    changes: bindingChanges,
    steps: bindingSteps("mutatingadmissionpolicybindings", "{ns}-b"),
  }),
];
