import type { AdmissionOperation } from "@kubeloop/core/runtime";
import { stored } from "@kubeloop/core/testing";
import { describe, expect, test } from "vitest";
import { type Website, websites } from "./generated/web.example.com/v1/website.ts";
import { newWebsite } from "./website-cluster.fixture.ts";
import { websiteRules } from "./website-webhook.ts";

/** What a refused user reads; undefined if it passes. */
async function objectionTo(operation: AdmissionOperation, object: Website, oldObject?: Website) {
  const { group, version, kind, plural } = websites;
  const request = {
    uid: "1",
    kind: { group, version, kind },
    resource: { group, version, resource: plural },
    subResource: "",
    name: object.metadata.name ?? "",
    namespace: object.metadata.namespace ?? "",
    operation,
    userInfo: {},
    object,
    oldObject,
    options: undefined,
    isDryRun: false,
  };
  const answer = await websiteRules.review(
    { request, warn: () => {}, annotate: () => {} },
    new AbortController().signal,
  );
  return answer.isAllowed ? undefined : answer.status.message;
}

describe("creating", () => {
  test.each([
    [{}],
    [{ host: "localhost" }],
    [{ image: "registry.example.com:5000/web:1" }],
    [{ image: `nginx@sha256:${"0".repeat(64)}` }],
  ])("passes: %j", async (spec) => {
    expect(await objectionTo("CREATE", newWebsite({ spec }))).toBeUndefined();
  });

  test.each([
    [{ host: "not a name" }, /spec\.host: Invalid value: "not a name"/],
    [{ host: "http://blog.example.com" }, /spec\.host: Invalid value/],
    [{ image: "nginx:latest" }, /spec\.image: Invalid value: "nginx:latest": must name a tag other than latest/],
    [{ image: "nginx" }, /spec\.image/],
    [{ image: "registry.example.com:5000/web" }, /spec\.image/],
    [{ host: "-", image: "nginx" }, /spec\.host.*spec\.image/],
  ])("is refused: %j", async (spec, message) => {
    expect(await objectionTo("CREATE", newWebsite({ spec }))).toMatch(message);
  });

  test("is refused under a name that no Service may have", async () => {
    expect(await objectionTo("CREATE", newWebsite({ metadata: { name: "1.blog" } }))).toMatch(/metadata\.name/);
  });
});

describe("updating", () => {
  const before = stored(newWebsite({ metadata: { finalizers: ["web.example.com/dns"] } }));
  const bad = { ...before, spec: { ...before.spec, image: "nginx:latest" } };
  const going = { ...bad, metadata: { ...bad.metadata, deletionTimestamp: "2030-01-01T00:00:00Z" } };
  const released = { ...going, metadata: { ...going.metadata, finalizers: [] } };

  test("is refused as creating is", async () => {
    expect(await objectionTo("UPDATE", bad, before)).toMatch(/spec\.image/);
  });
  test("passes where it removes the finalizer of what is being deleted, valid or not", async () => {
    expect(await objectionTo("UPDATE", released, going)).toBeUndefined();
  });
  test("passes where the name is one that would be refused today", async () => {
    const named = { ...before, metadata: { ...before.metadata, name: "1.blog" } };
    expect(await objectionTo("UPDATE", named, named)).toBeUndefined();
  });
});
