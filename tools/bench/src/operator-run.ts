// The operator of the operator bench on kubeloop, a process of its own: for each Website a ConfigMap, a Deployment and a Service
// that it controls, then its status. `website_operator.go` of tools/real-cluster/manifests/go-clients is the same one on
// controller-runtime; who changes one of them changes the other. A line on stdin is answered with what the process has used so
// far; the end of stdin ends it.
//
//   node operator-run.js <kubeconfig>
import { createInterface } from "node:readline";
import { setControllerReference } from "@kubeloop/core/api";
import { loadClusterConfig, openClient } from "@kubeloop/core/client";
import { configMaps, deployments, services } from "@kubeloop/core/resources";
import { createOrUpdate, defineController, Manager, writeStatus } from "@kubeloop/core/runtime";
import { websites } from "./operator-website.ts";

/** What an operator's process has used, as it says itself. */
export interface OperatorUsage {
  readonly cpuMs: number;
  readonly rssMb: number;
  /** How often it has looked at a key. */
  readonly reconciles: number;
}

let reconciles = 0;

const websiteController = defineController({
  name: "website",
  for: websites,
  owns: [configMaps, deployments, services],
  async reconcile({ key }, context) {
    reconciles++;
    const site = context.reader.get(websites, key);
    if (site === undefined) return;
    const { image, replicas, host } = site.spec;
    const labels = { app: site.metadata.name ?? "" };

    await createOrUpdate(context, configMaps, key, (draft) => {
      draft.metadata.labels = labels;
      draft.data = { host };
      return setControllerReference(draft, site);
    });

    await createOrUpdate(context, deployments, key, (draft) => {
      draft.metadata.labels = labels;
      const { template, ...spec } = draft.spec ?? {};
      const [container] = template?.spec?.containers ?? [];
      const web = { ...container, name: "web", image, env: [{ name: "HOST", value: host }] };
      const pod = { ...template?.spec, containers: [web] };
      const metadata = { ...template?.metadata, labels };
      draft.spec = { ...spec, replicas, selector: { matchLabels: labels }, template: { metadata, spec: pod } };
      return setControllerReference(draft, site);
    });

    await createOrUpdate(context, services, key, (draft) => {
      draft.metadata.labels = labels;
      const [port] = draft.spec?.ports ?? [];
      draft.spec = { ...draft.spec, selector: labels, ports: [{ ...port, port: 80, targetPort: 8080 }] };
      return setControllerReference(draft, site);
    });

    await writeStatus(context, websites, site, (draft) => {
      draft.status = { observedGeneration: site.metadata.generation ?? 0, url: `http://${host}` };
    });
  },
});

const stop = new AbortController();
const [, , path = ""] = process.argv;
await using client = openClient(await loadClusterConfig({ path }, stop.signal));
const manager = new Manager({ client });
manager.addController(websiteController);
createInterface({ input: process.stdin })
  .on("line", () => console.log(JSON.stringify(usage())))
  .on("close", () => stop.abort());
await manager.run(stop.signal);

function usage(): OperatorUsage {
  const { user, system } = process.cpuUsage();
  return { cpuMs: (user + system) / 1000, rssMb: process.memoryUsage().rss / 2 ** 20, reconciles };
}
