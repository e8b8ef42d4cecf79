// Scale, eviction, binding, token, approval, finalize, log.
import { expect } from "vitest";
import {
  certificateSigningRequests,
  deployments,
  namespaces,
  pods,
  serviceAccounts,
} from "../../api/generated/resources.ts";
import { isNotFound, StatusError } from "../../api/index.ts";
import type { ClientCase } from "./client-suite.contract.ts";
import { deployment, haveWidgets, pod, refusal, take, widget } from "./objects.contract.ts";

// Of "/CN=jane/O=developers"; its key is nobody's.
const signingRequest =
  "LS0tLS1CRUdJTiBDRVJUSUZJQ0FURSBSRVFVRVNULS0tLS0KTUlIZk1JR0dBZ0VBTUNReERUQUxCZ05WQkFNTUJHcGhibVV4RXpBUkJnTlZCQW9NQ21SbGRtVnNiM0JsY25NdwpXVEFUQmdjcWhrak9QUUlCQmdncWhrak9QUU1CQndOQ0FBVC9OMnE4amhhZ3YwNllWUlBtT3R5dy9aaFRhQytCCjJ1WFhrdjk0RFRBbS9Cbmo4N29wTVN3U3VLVy8yREhPZ1ViR2tYaVl2cTY1d1kyeXo5RGd5YUVKb0FBd0NnWUkKS29aSXpqMEVBd0lEU0FBd1JRSWhBTVdnUUd1ZDZJS3lKUEpaamlabFhPcStuYzROYjhEaERHYS82Y2xKQkFENwpBaUFkcWhBUWtmYmkrME9rb3g2N2Z3UWVlQ2Q0LzZUbjR1WjRpTVVzNEZRS3lRPT0KLS0tLS1FTkQgQ0VSVElGSUNBVEUgUkVRVUVTVC0tLS0tCg==";

export const subresourceCases: readonly ClientCase[] = [
  {
    name: "scale is read, updated, patched and applied",
    needs: ["apply"],
    async run({ client, namespace, signal }) {
      await client.resource(deployments).in(namespace).create(deployment("web", 1), signal);
      const scales = client.resource(deployments).in(namespace).subresource("scale");
      const scale = await scales.get("web", signal);
      expect([scale.kind, scale.spec?.replicas, scale.status?.selector]).toEqual(["Scale", 1, "app=web"]);
      expect((await scales.update("web", { ...scale, spec: { replicas: 2 } }, signal)).spec?.replicas).toBe(2);
      const body = { spec: { replicas: 3 } };
      expect((await scales.patch("web", { type: "merge", body }, signal)).spec?.replicas).toBe(3);
      const applied = { apiVersion: "autoscaling/v1", kind: "Scale", metadata: { name: "web" }, spec: { replicas: 4 } };
      const options = { fieldManager: "mine", force: true };
      expect((await scales.apply("web", applied, options, signal)).spec?.replicas).toBe(4);
      expect((await client.resource(deployments).in(namespace).get("web", signal)).spec?.replicas).toBe(4);
    },
  },
  {
    name: "custom resources scale by the paths of their definition",
    needs: ["customResources", "apply"],
    async run({ client, namespace, signal }) {
      const widgets = client.resource(await haveWidgets(client, signal)).in(namespace);
      await widgets.create(widget("a", { size: 1 }), signal);
      await widgets.subresource("scale").patch("a", { type: "merge", body: { spec: { replicas: 5 } } }, signal);
      expect((await widgets.get("a", signal)).spec).toEqual({ size: 5 });
    },
  },
  {
    name: "an eviction deletes a pod and answers with a Status",
    async run({ client, namespace, signal }) {
      const here = client.resource(pods).in(namespace);
      await here.create(pod("a"), signal);
      const eviction = { apiVersion: "policy/v1", kind: "Eviction", metadata: { name: "a", namespace } } as const;
      const answer = await here.subresource("eviction").create("a", eviction, signal);
      expect(answer).toMatchObject({ kind: "Status", status: "Success" });
      expect(isNotFound(await refusal(here.get("a", signal)))).toBe(true);
      expect(isNotFound(await refusal(here.subresource("eviction").create("a", eviction, signal)))).toBe(true);
    },
  },
  {
    name: "a binding puts a pod on a node and answers with a Status",
    async run({ client, namespace, signal }) {
      const here = client.resource(pods).in(namespace);
      await here.create(pod("a"), signal);
      const target = { apiVersion: "v1", kind: "Node", name: "somewhere" };
      const binding = { apiVersion: "v1", kind: "Binding", metadata: { name: "a", namespace }, target } as const;
      const answer = await here.subresource("binding").create("a", binding, signal);
      expect(answer).toMatchObject({ kind: "Status", status: "Success" });
      expect((await here.get("a", signal)).spec.nodeName).toBe("somewhere");
    },
  },
  {
    name: "a service account gets a token",
    needs: ["tokens"],
    async run({ client, namespace, signal }) {
      const accounts = client.resource(serviceAccounts).in(namespace);
      await accounts.create({ apiVersion: "v1", kind: "ServiceAccount", metadata: { name: "robot" } }, signal);
      const request = {
        apiVersion: "authentication.k8s.io/v1",
        kind: "TokenRequest",
        spec: { audiences: [], expirationSeconds: 600 },
      } as const;
      const answer = await accounts.subresource("token").create("robot", request, signal);
      expect(answer.kind).toBe("TokenRequest");
      expect(answer.status?.token?.split(".")).toHaveLength(3);
    },
  },
  {
    name: "a signing request is approved",
    async run({ client, namespace, signal }) {
      const requests = client.resource(certificateSigningRequests);
      const created = await requests.create(
        {
          apiVersion: "certificates.k8s.io/v1",
          kind: "CertificateSigningRequest",
          metadata: { name: namespace },
          spec: {
            request: signingRequest,
            signerName: "kubernetes.io/kube-apiserver-client",
            usages: ["client auth"],
          },
        },
        signal,
      );
      const conditions = [{ type: "Approved", status: "True", reason: "Test", message: "yes" }] as const;
      const approved = { ...created, status: { conditions } };
      const answer = await requests.subresource("approval").update(namespace, approved, signal);
      expect(answer.status?.conditions).toMatchObject([{ type: "Approved", status: "True" }]);
      await requests.delete(namespace, signal);
    },
  },
  {
    name: "a namespace that is going is let go of by finalize",
    async run({ client, namespace, signal }) {
      const all = client.resource(namespaces);
      const name = `${namespace}-going`;
      await all.create({ apiVersion: "v1", kind: "Namespace", metadata: { name } }, signal);
      const going = await all.delete(name, signal);
      expect(going).toMatchObject({ kind: "Namespace", status: { phase: "Terminating" } });
      const current = await all.get(name, signal);
      const answer = await all.subresource("finalize").update(name, { ...current, spec: { finalizers: [] } }, signal);
      expect(answer.metadata.name).toBe(name);
      expect(isNotFound(await refusal(all.get(name, signal)))).toBe(true);
    },
  },
  {
    name: "a subresource that does not take a verb refuses it",
    async run({ client, namespace, signal }) {
      await client.resource(deployments).in(namespace).create(deployment("web"), signal);
      const scale = client.resource(deployments).in(namespace).subresource("scale");
      const body = { apiVersion: "autoscaling/v1", kind: "Scale", spec: { replicas: 1 } } as const;
      expect((await refusal(scale.create("web", body, signal))).code).toBe(405);
    },
  },
  {
    name: "the log of a pod that runs nowhere is empty, that of one on an unknown node is refused",
    async run({ client, namespace, signal }) {
      const here = client.resource(pods).in(namespace);
      await here.create(pod("a"), signal);
      expect(await take(9, client.podLogs({ namespace, name: "a" }, signal))).toEqual([]);
      const target = { apiVersion: "v1", kind: "Node", name: "nowhere" };
      const binding = { apiVersion: "v1", kind: "Binding", metadata: { name: "a", namespace }, target } as const;
      await here.subresource("binding").create("a", binding, signal);
      const refused = take(1, client.podLogs({ namespace, name: "a", tailLines: 1 }, signal));
      await expect(refused).rejects.toBeInstanceOf(StatusError);
      const absent = take(1, client.podLogs({ namespace, name: "b" }, signal));
      expect(isNotFound(await refusal(absent))).toBe(true);
    },
  },
];
