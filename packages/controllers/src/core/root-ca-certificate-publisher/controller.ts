// root-ca-certificate-publisher-controller: puts the certificates with which pods verify the API server into every namespace, as the
// ConfigMap kube-root-ca.crt, which is mounted into pods beside their token.
//
//   watches   namespaces, and the ConfigMaps of that name
//   writes    those ConfigMaps (create, update)
//
// Promises
// - The data are the certificates under ca.crt and nothing else: what a user adds is taken away, what is changed is put back.
// - The annotation kubernetes.io/description is there. What it says is the user's to change; other metadata is not touched.
// - In a namespace that is being deleted nothing is created; that a create comes too late for one is no failure.
// - Each sync is counted and timed under upstream's names, by the code of what came of it: 200, the server's, or 500.
import { itself, keyed, mapped, verbs } from "@kubeloop/core/contract";
import { configMaps, namespaces } from "@kubeloop/core/resources";
import { configMapName, newDecide } from "./decide.ts";
import { observe } from "./observe.ts";
import { report, syncDuration, syncTotal } from "./report.ts";

export interface RootCaCertificatePublisherSettings {
  /** PEM: `--root-ca-file`, or what the manager itself verifies the server with. */
  readonly rootCa: string;
}

export const newRootCaCertificatePublisher = ({ rootCa }: RootCaCertificatePublisherSettings) =>
  keyed({
    name: "root-ca-certificate-publisher-controller",
    metricName: "root_ca_cert_publisher",
    primary: namespaces,
    watches: [
      itself(namespaces, {
        when: (change) =>
          change.type === "add" || (change.type === "update" && change.object.status?.phase === "Active"),
      }),
      // The others are not even cached: a cluster has many ConfigMaps, and some are large. One that is new to the cache after a watch was lost
      // may have been changed since it was created; those of the first list come with their namespaces.
      mapped(configMaps, ({ metadata }) => [metadata.namespace ?? ""], {
        fieldSelector: `metadata.name=${configMapName}`,
        when: (change) => change.type !== "add" || !change.isInitial,
      }),
    ],
    writes: [verbs(configMaps, "create", "update")],
    metrics: [syncTotal, syncDuration],
    observe,
    decide: newDecide(rootCa),
    report,
  });
