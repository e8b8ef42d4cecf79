// `@kubeloop/nodes`: hollow nodes. They register, renew their leases and bring pods through their life as a kubelet would, and run nothing. Start with
// `HollowNodes` in driver/hollow-nodes.ts; the rules of a pod's life are in life/step-pod.ts, and what a container does in script/container-script.ts.
//
// The README lists the annotations, and what is not here.
export { HollowNodes, type HollowNodesOptions } from "./driver/hollow-nodes.ts";
export type { ConnectorTarget, HollowNodeConnector } from "./driver/node-connector.ts";
export type { HeldPod } from "./driver/pod-worker.ts";
export type { KubeletServing } from "./kubelet/kubelet-server.ts";
export { defaultTimings, type PodLife, type Timings } from "./life/pod-life.ts";
export type { HollowNodeSpec } from "./node/node-object.ts";
