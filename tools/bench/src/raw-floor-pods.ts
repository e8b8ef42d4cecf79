// Pods as a real server sends them, of 4.7 KB each and all different: the load of the decoding benches.

const stamp = "2026-01-02T03:04:05Z";

/** Without kind and apiVersion, as in a list. */
export function printPod(index: number): string {
  const app = `web-${index % 500}`;
  const name = `${app}-7d9c6b8f5-${index.toString(36).padStart(5, "0")}`;
  const uid = `${index.toString(16).padStart(8, "0")}-1c2d-4e5f-8a9b-0123456789ab`;
  return JSON.stringify({
    metadata: { ...metadata(name, app, uid, index), managedFields: [createdBy(uid), reportedBy()] },
    spec: spec(index),
    status: status(index),
  });
}

function metadata(name: string, app: string, uid: string, index: number) {
  return {
    name,
    generateName: name.slice(0, -5),
    namespace: `team-${index % 40}`,
    uid,
    resourceVersion: String(1_000_000 + index),
    creationTimestamp: stamp,
    labels: { app, "pod-template-hash": "7d9c6b8f5", "app.kubernetes.io/name": app },
    annotations: { "kubectl.kubernetes.io/restartedAt": stamp, "example.com/settings": '{"a":[1,2,{"b":"},{"}]}' },
    ownerReferences: [
      {
        apiVersion: "apps/v1",
        kind: "ReplicaSet",
        name: `${app}-7d9c6b8f5`,
        uid,
        controller: true,
        blockOwnerDeletion: true,
      },
    ],
  };
}

function createdBy(uid: string) {
  const container = { ".": {}, "f:image": {}, "f:imagePullPolicy": {}, "f:name": {}, "f:env": {}, "f:resources": {} };
  return {
    manager: "kube-controller-manager",
    operation: "Update",
    apiVersion: "v1",
    time: stamp,
    fieldsType: "FieldsV1",
    fieldsV1: {
      "f:metadata": {
        "f:generateName": {},
        "f:labels": { ".": {}, "f:app": {}, "f:pod-template-hash": {} },
        "f:ownerReferences": { ".": {}, [`k:{"uid":"${uid}"}`]: {} },
      },
      "f:spec": { "f:containers": { 'k:{"name":"app"}': container }, "f:dnsPolicy": {}, "f:restartPolicy": {} },
    },
  };
}

function reportedBy() {
  const condition = { ".": {}, "f:lastProbeTime": {}, "f:lastTransitionTime": {}, "f:status": {}, "f:type": {} };
  return {
    manager: "kubelet",
    operation: "Update",
    apiVersion: "v1",
    time: stamp,
    fieldsType: "FieldsV1",
    fieldsV1: {
      "f:status": {
        "f:conditions": { 'k:{"type":"Ready"}': condition, 'k:{"type":"Initialized"}': condition },
        "f:containerStatuses": {},
        "f:phase": {},
        "f:podIP": {},
      },
    },
    subresource: "status",
  };
}

function spec(index: number) {
  const toleration = (key: string) => ({ key, operator: "Exists", effect: "NoExecute", tolerationSeconds: 300 });
  return {
    volumes: [
      { name: "token", projected: { sources: [{ configMap: { name: "kube-root-ca.crt" } }], defaultMode: 420 } },
    ],
    containers: [
      {
        name: "app",
        image: `registry.example.com/team/web:${index % 90}.2.3`,
        args: ["--listen=0.0.0.0:8080", "--log-level=info"],
        env: Array.from({ length: 20 }, (_, at) => ({ name: `SETTING_${at}`, value: `value-${at}-${index}` })),
        resources: { limits: { cpu: "500m", memory: "256Mi" }, requests: { cpu: "100m", memory: "128Mi" } },
        volumeMounts: [{ name: "token", readOnly: true, mountPath: "/var/run/secrets/kubernetes.io/serviceaccount" }],
        terminationMessagePath: "/dev/termination-log",
        terminationMessagePolicy: "File",
        imagePullPolicy: "IfNotPresent",
      },
    ],
    restartPolicy: "Always",
    terminationGracePeriodSeconds: 30,
    dnsPolicy: "ClusterFirst",
    serviceAccountName: "default",
    nodeName: `node-${index % 200}`,
    schedulerName: "default-scheduler",
    tolerations: [toleration("node.kubernetes.io/not-ready"), toleration("node.kubernetes.io/unreachable")],
    priority: 0,
    enableServiceLinks: true,
    preemptionPolicy: "PreemptLowerPriority",
  };
}

function status(index: number) {
  const podIP = `10.1.${(index >> 8) & 255}.${index & 255}`;
  return {
    phase: "Running",
    conditions: ["PodReadyToStartContainers", "Initialized", "Ready", "ContainersReady", "PodScheduled"].map(
      (type) => ({
        type,
        status: "True",
        lastProbeTime: null,
        lastTransitionTime: stamp,
      }),
    ),
    hostIP: `10.0.0.${index % 200}`,
    podIP,
    podIPs: [{ ip: podIP }],
    startTime: stamp,
    containerStatuses: [
      {
        name: "app",
        state: { running: { startedAt: stamp } },
        lastState: {},
        ready: true,
        restartCount: 0,
        image: "registry.example.com/team/web:1.2.3",
        imageID: `registry.example.com/team/web@sha256:${"ab".repeat(32)}`,
        containerID: `containerd://${"cd".repeat(32)}`,
        started: true,
      },
    ],
    qosClass: "Burstable",
  };
}
