// A Service, pods and slices of it, for the tables of the endpointslice controller.
import type { corev1, discoveryv1 } from "@kubeloop/core/api";
import { newNode, newPod, stored } from "@kubeloop/core/testing";

export const created = "2024-05-01T12:00:00Z";
export const changedAt = "2024-05-01T12:05:00Z";

export function newService(spec: Partial<corev1.ServiceSpec> = {}, metadata: object = {}): corev1.Service {
  return {
    apiVersion: "v1",
    kind: "Service",
    metadata: { namespace: "shop", name: "web", uid: "web-uid", creationTimestamp: created, ...metadata },
    spec: {
      selector: { app: "web" },
      clusterIP: "10.0.0.10",
      ipFamilies: ["IPv4"],
      ports: [{ name: "http", port: 80, targetPort: 8080, protocol: "TCP" }],
      ...spec,
    },
  };
}

export interface PodFacts {
  readonly ips?: readonly string[];
  readonly isReady?: boolean;
  readonly isTerminating?: boolean;
  readonly phase?: string;
  readonly node?: string;
  readonly port?: number;
  readonly spec?: Partial<corev1.PodSpec>;
}

export function podOf(name: string, facts: PodFacts = {}): corev1.Pod {
  const {
    ips = ["10.1.0.1"],
    isReady = true,
    isTerminating = false,
    phase = "Running",
    node = "n",
    port = 8080,
  } = facts;
  return stored(
    newPod(`shop/${name}`, {
      metadata: {
        uid: name,
        labels: { app: "web" },
        ...(isTerminating ? { deletionTimestamp: changedAt } : {}),
      },
      spec: {
        nodeName: node,
        containers: [{ name: "app", ports: [{ name: "http", containerPort: port, protocol: "TCP" }] }],
        ...facts.spec,
      },
      status: {
        phase,
        ...(ips[0] === undefined ? {} : { podIP: ips[0] }),
        podIPs: ips.map((ip) => ({ ip })),
        conditions: [{ type: "Ready", status: isReady ? "True" : "False", lastTransitionTime: changedAt }],
      },
    }),
  );
}

export const zonedNode = (name: string, zone?: string): corev1.Node =>
  stored(newNode(name, zone === undefined ? {} : { metadata: { labels: { "topology.kubernetes.io/zone": zone } } }));

export const sliceLabels = {
  "kubernetes.io/service-name": "web",
  "endpointslice.kubernetes.io/managed-by": "endpointslice-controller.k8s.io",
};

export interface SliceFacts {
  readonly pods?: readonly string[];
  readonly labels?: Readonly<Record<string, string>>;
  readonly port?: number;
  readonly addressType?: "IPv4" | "IPv6";
  readonly ownerUid?: string;
  readonly annotations?: Readonly<Record<string, string>>;
}

/** As the controller makes it of ready pods with the addresses 10.1.0.1, 10.1.0.2, …; without a port it is a placeholder. */
export function sliceOf(name: string, facts: SliceFacts = {}): discoveryv1.EndpointSlice {
  const { pods = [], labels = sliceLabels, port, addressType = "IPv4", ownerUid = "web-uid", annotations } = facts;
  return stored({
    apiVersion: "discovery.k8s.io/v1",
    kind: "EndpointSlice",
    metadata: {
      namespace: "shop",
      name,
      generateName: "web-",
      labels,
      ...(annotations === undefined ? {} : { annotations }),
      ownerReferences: [
        { apiVersion: "v1", kind: "Service", name: "web", uid: ownerUid, controller: true, blockOwnerDeletion: true },
      ],
    },
    addressType,
    endpoints: pods.map((pod) => ({
      addresses: [`10.1.0.${pod.slice(1)}`],
      conditions: { ready: true, serving: true, terminating: false },
      nodeName: "n",
      targetRef: { kind: "Pod", namespace: "shop", name: pod, uid: pod },
    })),
    ...(port === undefined ? {} : { ports: [{ name: "http", port, protocol: "TCP" }] }),
  });
}
