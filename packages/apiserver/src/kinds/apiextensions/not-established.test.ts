// Who creates a definition learns that its custom resources are not served.
import { type ApiRequest, headerValue, type Query } from "@kubeloop/core/api";
import { FakeClock, seededRandom } from "@kubeloop/core/base";
import { afterEach, beforeEach, expect, test } from "vitest";
import { ApiServer } from "../../api-server.ts";

const path = "/apis/apiextensions.k8s.io/v1/customresourcedefinitions";
const schema = { openAPIV3Schema: { type: "object" } };
const names = { plural: "sites", singular: "site", kind: "Site", listKind: "SiteList", shortNames: ["st"] };
const definition = {
  metadata: { name: "sites.web.example.com" },
  spec: {
    group: "web.example.com",
    scope: "Namespaced",
    names,
    versions: [{ name: "v1", served: true, storage: true, schema }],
  },
};

let server: ApiServer;
beforeEach(async () => {
  server = await ApiServer.open({ clock: new FakeClock(), random: seededRandom(1) });
});
afterEach(() => server[Symbol.asyncDispose]());

interface Answered {
  readonly metadata: { readonly resourceVersion: string };
  readonly status: { readonly conditions: readonly object[] | null; readonly acceptedNames: object };
}

async function write(method: string, fldPath: string, value: object, query: Query = []) {
  const request: ApiRequest = {
    ...{ method, path: fldPath, query, headers: {}, prefers: "values" },
    body: { kind: "value", value },
  };
  const { status, headers, body } = await server.transport(request, new AbortController().signal);
  const answered = (body.kind === "value" ? body.value : {}) as Answered;
  return { code: status, answered, warning: headerValue(headers, "warning") };
}

const said =
  '299 - "custom resource definition \\"sites.web.example.com\\" is stored but not established: the embedded API server does not serve custom resources yet"';

test("in a warning, and in the conditions", async () => {
  const { code, answered, warning } = await write("POST", path, definition);
  expect([code, warning]).toEqual([201, said]);
  const time = "2030-01-01T00:00:00Z";
  expect(answered.status.acceptedNames).toEqual(names);
  expect(answered.status.conditions).toEqual([
    {
      type: "NamesAccepted",
      status: "True",
      lastTransitionTime: time,
      reason: "NoConflicts",
      message: "no conflicts found",
    },
    {
      type: "Established",
      status: "False",
      lastTransitionTime: time,
      reason: "CustomResourcesNotServed",
      message: "the embedded API server does not serve custom resources yet",
    },
  ]);
});

test("not in a dry run, which upstream's controllers do not see, and not again in an update", async () => {
  const dry = await write("POST", path, definition, [["dryRun", "All"]]);
  expect([dry.code, dry.warning, dry.answered.status.conditions]).toEqual([201, undefined, null]);
  const { answered } = await write("POST", path, definition);
  const updated = await write("PUT", `${path}/sites.web.example.com`, answered);
  expect([updated.code, updated.warning]).toEqual([200, undefined]);
  expect(updated.answered.status).toEqual(answered.status);
});
