// Objects with as much in them as a description can show.

const object = (apiVersion: string, kind: string, name: string, rest: object, metadata: object = {}) => ({
  apiVersion,
  kind,
  metadata: { name, ...metadata },
  ...rest,
});

const long = "word ".repeat(60);
const probeTimes = { initialDelaySeconds: 1, timeoutSeconds: 2, periodSeconds: 3, failureThreshold: 4 };

const environment = [
  { name: "PLAIN", value: "one\ntwo\tand tab" },
  { name: "EMPTY" },
  { name: "NAME", valueFrom: { fieldRef: { fieldPath: "metadata.name" } } },
  { name: "NAMESPACE", valueFrom: { fieldRef: { fieldPath: "metadata.namespace" } } },
  { name: "LABEL", valueFrom: { fieldRef: { fieldPath: "metadata.labels['app']" } } },
  { name: "UID", valueFrom: { fieldRef: { fieldPath: "metadata.uid" } } },
  { name: "IP", valueFrom: { fieldRef: { fieldPath: "status.podIP" } } },
  { name: "CPU", valueFrom: { resourceFieldRef: { resource: "limits.cpu", divisor: "1m" } } },
  { name: "CPUS", valueFrom: { resourceFieldRef: { resource: "requests.cpu" } } },
  { name: "MEMORY", valueFrom: { resourceFieldRef: { resource: "requests.memory", divisor: "1Mi" } } },
  { name: "LIMIT", valueFrom: { resourceFieldRef: { resource: "limits.memory" } } },
  { name: "DISK", valueFrom: { resourceFieldRef: { resource: "limits.ephemeral-storage" } } },
  { name: "SECRET", valueFrom: { secretKeyRef: { name: "none", key: "a", optional: true } } },
  { name: "MAP", valueFrom: { configMapKeyRef: { name: "none", key: "b", optional: true } } },
];

const containers = [
  {
    name: "web",
    image: "shop/web:1",
    command: ["sh", "-c", "echo one\necho two"],
    args: ["--port=80", "--name=ümläut"],
    ports: [
      { name: "http", containerPort: 80, hostPort: 8080 },
      { containerPort: 53, protocol: "UDP" },
    ],
    resources: {
      limits: { cpu: "1500m", "ephemeral-storage": "1Gi", "example.com/gpu": "1" },
      requests: { cpu: "0.5", memory: "1024Mi", "example.com/gpu": "1" },
    },
    livenessProbe: { ...probeTimes, httpGet: { path: "/a b?c=ü", port: "http", scheme: "HTTPS" } },
    readinessProbe: { exec: { command: ["cat", "/tmp/x"] }, successThreshold: 2 },
    startupProbe: { tcpSocket: { port: 80, host: "here" } },
    env: environment,
    envFrom: [
      { configMapRef: { name: "none", optional: true } },
      { secretRef: { name: "none", optional: true }, prefix: "P_" },
    ],
    volumeMounts: [
      { name: "host", mountPath: "/z", readOnly: true },
      { name: "empty", mountPath: "/a", subPath: 'b"c' },
    ],
    securityContext: { seccompProfile: { type: "Localhost", localhostProfile: "p.json" } },
  },
  {
    name: "side",
    image: "shop/side:1",
    ports: [{ containerPort: 1 }],
    livenessProbe: { grpc: { port: 9, service: "s" } },
    readinessProbe: { httpGet: { port: 81, host: "::1" } },
    securityContext: { seccompProfile: { type: "RuntimeDefault" } },
  },
];

const initContainers = [
  { name: "first", image: "shop/init:1", resources: { requests: { cpu: "2" } } },
  { name: "beside", image: "shop/log:1", restartPolicy: "Always" },
];

const volumes = [
  { name: "host", hostPath: { path: "/x", type: "Directory" } },
  { name: "bare-host", hostPath: { path: "/y" } },
  { name: "empty", emptyDir: { medium: "Memory", sizeLimit: "1024Ki" } },
  { name: "unlimited", emptyDir: {} },
  { name: "gce", gcePersistentDisk: { pdName: "d", fsType: "ext4", partition: 2, readOnly: true } },
  { name: "aws", awsElasticBlockStore: { volumeID: "v" } },
  { name: "secret", secret: { secretName: "none", optional: true } },
  { name: "config", configMap: { name: "none", optional: true } },
  { name: "nfs", nfs: { server: "s", path: "/p" } },
  {
    name: "iscsi",
    iscsi: {
      ...{ targetPortal: "1.2.3.4", iqn: "iqn.2001-04.com.example:storage", lun: 3, portals: ["a", "b"] },
      ...{ secretRef: { name: "s" }, chapAuthSession: true, initiatorName: "iqn.2001-04.com.example:me" },
    },
  },
  { name: "plain-iscsi", iscsi: { targetPortal: "1.2.3.4", iqn: "iqn.2001-04.com.example:storage", lun: 0 } },
  { name: "gluster", glusterfs: { endpoints: "e", path: "p" } },
  { name: "claim", persistentVolumeClaim: { claimName: "used", readOnly: true } },
  {
    name: "ephemeral",
    ephemeral: {
      volumeClaimTemplate: {
        metadata: { labels: { a: "b", c: "d" }, annotations: { x: "1", long: long, lines: "a\nb" } },
        spec: { accessModes: ["ReadWriteOnce"], storageClassName: "s", resources: { requests: { storage: "1Gi" } } },
      },
    },
  },
  {
    name: "bare-ephemeral",
    ephemeral: {
      volumeClaimTemplate: {
        spec: {
          accessModes: ["ReadWriteOnce"],
          resources: { requests: { storage: "1Gi" } },
          dataSource: { apiGroup: "snapshot.storage.k8s.io", kind: "VolumeSnapshot", name: "snap" },
        },
      },
    },
  },
  { name: "rbd", rbd: { monitors: ["a", "b"], image: "i", secretRef: { name: "s" } } },
  { name: "quobyte", quobyte: { registry: "r:1", volume: "v" } },
  {
    name: "downward",
    downwardAPI: {
      items: [
        { path: "labels", fieldRef: { fieldPath: "metadata.labels" } },
        { path: "cpu", resourceFieldRef: { containerName: "web", resource: "limits.cpu" } },
      ],
    },
  },
  { name: "azure-disk", azureDisk: { diskName: "d", diskURI: "https://u" } },
  { name: "vsphere", vsphereVolume: { volumePath: "[x] y" } },
  { name: "cinder", cinder: { volumeID: "v", secretRef: { name: "s" } } },
  { name: "photon", photonPersistentDisk: { pdID: "p" } },
  { name: "portworx", portworxVolume: { volumeID: "v" } },
  { name: "scaleio", scaleIO: { gateway: "g", system: "s", secretRef: { name: "x" }, volumeName: "v" } },
  { name: "cephfs", cephfs: { monitors: ["m"] } },
  { name: "storageos", storageos: { volumeName: "v", volumeNamespace: "n" } },
  { name: "fc", fc: { targetWWNs: ["50060e801049cfd1", "50060e801049cfd2"], lun: 0 } },
  { name: "azure-file", azureFile: { secretName: "s", shareName: "h" } },
  { name: "flex", flexVolume: { driver: "d/e", options: { b: "2", a: "1" } } },
  { name: "flocker", flocker: { datasetName: "d" } },
  {
    name: "projected",
    projected: {
      sources: [
        { secret: { name: "none", optional: true } },
        { downwardAPI: { items: [{ path: "l", fieldRef: { fieldPath: "metadata.labels" } }] } },
        { configMap: { name: "none", optional: true } },
        { serviceAccountToken: { path: "t", expirationSeconds: 700 } },
      ],
    },
  },
  { name: "csi", csi: { driver: "d.example.com", volumeAttributes: { b: "2", a: long } } },
  { name: "bare-csi", csi: { driver: "d.example.com", readOnly: true, fsType: "xfs" } },
  { name: "image", image: { reference: "shop/data:1", pullPolicy: "Always" } },
];

const tolerations = [
  { key: "z", operator: "Equal", value: "v", effect: "NoSchedule" },
  { key: "a", operator: "Exists", effect: "NoExecute", tolerationSeconds: 5 },
  { operator: "Exists" },
];

const topologySpreadConstraints = [
  { topologyKey: "zone", maxSkew: 1, whenUnsatisfiable: "ScheduleAnyway", labelSelector: { matchLabels: { a: "b" } } },
  { topologyKey: "host", maxSkew: 2, whenUnsatisfiable: "ScheduleAnyway" },
];

/** Pods that no scheduler looks at: they stay as they are told to be. */
const still = { schedulerName: "nobody", terminationGracePeriodSeconds: 5 };

const labels = { app: "rich", tier: "front" };

export const richPods = [
  object(
    "v1",
    "Pod",
    "rich",
    {
      spec: {
        ...{ ...still, containers, initContainers, volumes, tolerations, topologySpreadConstraints },
        ...{ nodeSelector: { disk: "ssd", arch: "any" }, readinessGates: [{ conditionType: "example.com/ok" }] },
        securityContext: { seccompProfile: { type: "Localhost", localhostProfile: "q.json" } },
      },
    },
    { labels, annotations: { short: "a", long, lines: "one\ntwo\n", escape: "\u001b[31mred" } },
  ),
  object("v1", "Pod", "bare", { spec: { ...still, containers: [{ name: "a", image: "i" }] } }),
  object(
    "v1",
    "Pod",
    "leaving",
    { spec: { ...still, containers: [{ name: "a", image: "i" }] } },
    { finalizers: ["example.com/stay"] },
  ),
  object("v1", "Pod", "shared-resources", {
    spec: {
      ...still,
      resources: { limits: { cpu: "2", memory: "1Gi" }, requests: { cpu: "1" } },
      containers: [{ name: "a", image: "i", resources: { limits: { cpu: "1", memory: "1Gi" } } }],
    },
  }),
  object("v1", "Pod", "on-node", {
    spec: {
      ...{
        nodeName: "rich",
        containers: containers.slice(0, 1).map(({ name, image, resources }) => ({ name, image, resources })),
      },
      tolerations: [{ operator: "Exists" }],
    },
  }),
  object("v1", "Pod", "on-node-too", {
    spec: {
      nodeName: "rich",
      initContainers,
      containers: [
        { name: "a", image: "i", resources: { limits: { cpu: "300m", memory: "200Mi", "hugepages-2Mi": "4Mi" } } },
      ],
      tolerations: [{ operator: "Exists" }],
    },
  }),
  object("v1", "Pod", "runs", { spec: { containers: [{ name: "a", image: "shop/web:1" }] } }, { labels }),
  object("v1", "Pod", "runs-not", { spec: { containers: [{ name: "a", image: "x:nonexistent" }] } }),
  object(
    "v1",
    "Pod",
    "ends",
    { spec: { restartPolicy: "Never", containers: [{ name: "a", image: "shop/web:1" }] } },
    { annotations: { "kubeloop.dev/run-for": "0s" } },
  ),
];

const since = { startedAt: "2026-01-02T03:04:05Z", finishedAt: "2026-07-02T13:04:05Z" };
const status = (name: string, rest: object) => ({
  ...{ name, image: "i", imageID: "sha256:1", containerID: "containerd://1", ready: false, restartCount: 3 },
  ...rest,
});

/** Of the pod `rich`: one container in each state. */
export const richPodStatus = {
  status: {
    ...{ phase: "Running", reason: "Why", message: "because", hostIP: "10.0.0.1", nominatedNodeName: "there" },
    ...{ podIP: "10.1.0.1", podIPs: [{ ip: "10.1.0.1" }, { ip: "fd00::1" }], startTime: "2026-01-02T03:04:05Z" },
    conditions: [
      { type: "Ready", status: "False" },
      { type: "example.com/ok", status: "True" },
    ],
    initContainerStatuses: [
      status("first", { state: { terminated: { exitCode: 0, reason: "Completed", ...since } }, ready: true }),
      status("beside", { state: { waiting: {} } }),
    ],
    containerStatuses: [
      status("web", {
        state: { running: { startedAt: "2026-01-02T03:04:05Z" } },
        lastState: { terminated: { exitCode: 137, signal: 9, reason: "OOMKilled", message: "too much", ...since } },
        ready: true,
      }),
      status("side", { state: { waiting: { reason: "CrashLoopBackOff" } } }),
    ],
  },
};

const selector = { matchLabels: { app: "rolled" } };
const template = (image: string) => ({
  metadata: { labels: { app: "rolled" }, annotations: { why: "so" } },
  spec: { containers: [{ name: "web", image }] },
});

export const rolled = (image: string, replicas = 2) =>
  object("apps/v1", "Deployment", "rolled", { spec: { replicas, selector, template: template(image) } }, { labels });

const richTemplate = {
  metadata: { labels: { app: "held" } },
  spec: {
    ...{ containers, initContainers, volumes, tolerations, topologySpreadConstraints },
    ...{ nodeSelector: { nowhere: "at-all" }, serviceAccountName: "rich", priorityClassName: "system-node-critical" },
  },
};

const jobSpec = { template: { spec: { restartPolicy: "Never", containers: [{ name: "a", image: "shop/web:1" }] } } };

export const richWorkloads = [
  rolled("shop/web:1"),
  object("apps/v1", "Deployment", "held", {
    spec: {
      ...{ paused: true, minReadySeconds: 7, strategy: { type: "Recreate" }, template: richTemplate },
      selector: { matchLabels: { app: "held" }, matchExpressions: [{ key: "x", operator: "DoesNotExist" }] },
    },
  }),
  object("apps/v1", "ReplicaSet", "rich", {
    spec: {
      replicas: 1,
      selector: {
        matchLabels: { app: "set" },
        matchExpressions: [{ key: "app", operator: "In", values: ["set", "b"] }],
      },
      template: { ...template("shop/web:1"), metadata: { labels: { app: "set" } } },
    },
  }),
  object("apps/v1", "DaemonSet", "rich", {
    spec: {
      selector: { matchLabels: { app: "every" } },
      template: { ...template("shop/web:1"), metadata: { labels: { app: "every" } } },
    },
  }),
  object("apps/v1", "StatefulSet", "rich", {
    spec: {
      ...{ serviceName: "rolled", replicas: 1, selector: { matchLabels: { app: "states" } } },
      updateStrategy: { rollingUpdate: { partition: 1 } },
      template: { ...template("shop/web:1"), metadata: { labels: { app: "states" } } },
      volumeClaimTemplates: [
        {
          metadata: { name: "data", labels: { a: "b", c: "d" }, annotations: { x: "y", z: "" } },
          spec: { accessModes: ["ReadWriteOnce", "ReadOnlyMany"], resources: { requests: { storage: "1024Mi" } } },
        },
      ],
    },
  }),
  object("apps/v1", "StatefulSet", "plain", {
    spec: {
      ...{ serviceName: "rolled", replicas: 1, selector: { matchLabels: { app: "plain" } } },
      updateStrategy: { type: "OnDelete" },
      template: { ...template("shop/web:1"), metadata: { labels: { app: "plain" } } },
    },
  }),
  object("batch/v1", "Job", "rich", {
    spec: { ...jobSpec, completionMode: "Indexed", completions: 2, parallelism: 2 },
  }),
  object("batch/v1", "Job", "limited", {
    spec: { ...jobSpec, activeDeadlineSeconds: 900, ttlSecondsAfterFinished: 900, suspend: true },
  }),
  object("batch/v1", "CronJob", "rich", {
    spec: {
      ...{ schedule: "0 0 1 1 *", timeZone: "Etc/UTC", startingDeadlineSeconds: 9, suspend: true },
      jobTemplate: { spec: { ...jobSpec, parallelism: 3, activeDeadlineSeconds: 5 } },
    },
  }),
  object("batch/v1", "CronJob", "plain", { spec: { schedule: "0 0 1 1 *", jobTemplate: { spec: jobSpec } } }),
  object("policy/v1", "PodDisruptionBudget", "min", { spec: { minAvailable: 1, selector } }),
  object("policy/v1", "PodDisruptionBudget", "max", { spec: { maxUnavailable: "25%" } }),
];

const dual = { ipFamilyPolicy: "PreferDualStack" };

export const richServices = [
  object(
    "v1",
    "Service",
    "ports",
    {
      spec: {
        ...{ type: "NodePort", selector: { app: "rolled", a: "b" }, externalIPs: ["1.2.3.4", "1.2.3.5"], ...dual },
        ports: [
          { name: "http", port: 80, targetPort: "web", appProtocol: "http" },
          { name: "dns", port: 53, protocol: "UDP", targetPort: 5353 },
        ],
        sessionAffinity: "ClientIP",
        trafficDistribution: "PreferClose",
      },
    },
    { labels, annotations: { a: "b" } },
  ),
  object("v1", "Service", "rolled", { spec: { selector: { app: "rolled" }, ports: [{ port: 80 }] } }),
  object("v1", "Service", "headless", { spec: { clusterIP: "None", selector: { app: "rolled" } } }),
  object("v1", "Service", "headless-port", {
    spec: { clusterIP: "None", selector: { app: "rolled" }, ports: [{ port: 1 }] },
  }),
  object("v1", "Service", "external", { spec: { type: "ExternalName", externalName: "example.com" } }),
  object("v1", "Service", "balanced", {
    spec: {
      ...{ type: "LoadBalancer", loadBalancerIP: "1.2.3.4", loadBalancerSourceRanges: ["10.0.0.0/8", "1.0.0.0/8"] },
      ...{ externalTrafficPolicy: "Local", selector: {}, ports: [{ port: 1 }] },
    },
  }),
  object("v1", "Service", "by-hand", { spec: { ports: [{ name: "a", port: 1 }] } }),
  object(
    "discovery.k8s.io/v1",
    "EndpointSlice",
    "by-hand-1",
    {
      addressType: "IPv6",
      ports: [
        { name: "a", port: 1 },
        { name: "b", port: 2 },
      ],
      endpoints: ["fd00::1", "fd00::2", "fd00::3", "fd00::4", "fd00::5"].map((address, at) => ({
        addresses: [address],
        conditions: { ready: at !== 1 },
      })),
    },
    { labels: { "kubernetes.io/service-name": "by-hand" } },
  ),
];

const claimSpec = (rest: object = {}) => ({
  spec: {
    ...{ accessModes: ["ReadWriteOnce", "ReadOnlyMany"], storageClassName: "rich" },
    ...{ resources: { requests: { storage: "1Gi" } }, ...rest },
  },
});

const persistentSources: readonly object[] = [
  { hostPath: { path: "/x" } },
  { local: { path: "/x" } },
  { nfs: { server: "s", path: "/p" } },
  {
    iscsi: {
      targetPortal: "1.2.3.4",
      iqn: "iqn.2001-04.com.example:s",
      lun: 1,
      secretRef: { name: "s", namespace: "n" },
    },
  },
  { glusterfs: { endpoints: "e", path: "p" } },
  { glusterfs: { endpoints: "e", path: "p", endpointsNamespace: "n" } },
  { rbd: { monitors: ["a"], image: "i" } },
  { cephfs: { monitors: ["m"], secretRef: { name: "s", namespace: "n" } } },
  { cinder: { volumeID: "v" } },
  { scaleIO: { gateway: "g", system: "s", secretRef: { name: "x", namespace: "y" }, volumeName: "v" } },
  { storageos: { volumeName: "v" } },
  { azureFile: { secretName: "s", shareName: "h", secretNamespace: "n" } },
  { flexVolume: { driver: "d/e", secretRef: { name: "s", namespace: "n" } } },
  { csi: { driver: "d.example.com", volumeHandle: "h", volumeAttributes: { b: "2", a: "1" } } },
  { fc: { wwids: ["3600508b400105e210000900000490000"] } },
];

export const richStorage = [
  object("v1", "PersistentVolumeClaim", "used", claimSpec({ volumeMode: "Filesystem" }), {
    labels,
    annotations: { a: "b" },
  }),
  object("v1", "PersistentVolumeClaim", "bound", claimSpec({ volumeName: "volume-0" })),
  object(
    "v1",
    "PersistentVolumeClaim",
    "cloned",
    claimSpec({ dataSource: { kind: "PersistentVolumeClaim", name: "used" } }),
  ),
  ...persistentSources.map((source, at) =>
    object(
      "v1",
      "PersistentVolume",
      `volume-${at}`,
      {
        spec: {
          ...{ capacity: { storage: "1024Mi" }, accessModes: ["ReadWriteOnce", "ReadOnlyMany", "ReadWriteMany"] },
          ...{ storageClassName: at % 2 === 0 ? "rich" : "other", ...source },
          nodeAffinity: {
            required: {
              nodeSelectorTerms: [
                {
                  matchExpressions: [
                    { key: "zone", operator: "In", values: ["a", "b"] },
                    { key: "disk", operator: "Exists" },
                  ],
                },
                { matchFields: [{ key: "metadata.name", operator: "In", values: ["x"] }] },
              ],
            },
          },
        },
      },
      { labels },
    ),
  ),
  object("v1", "PersistentVolume", "plain", {
    spec: { capacity: { storage: "1" }, accessModes: ["ReadWriteOncePod"], hostPath: { path: "/x" } },
  }),
];

export const richData = [
  object("v1", "ConfigMap", "rich", {
    data: {
      b: "one\ntwo\tand tab\nthree\tand\ttabs",
      a: "",
      "c.json": '{"a": "\\u001b"}',
      cr: "a\r\nb\u001b[1m",
      ff: "a\fb\tc\vd",
    },
    binaryData: { z: "AAEC", y: "" },
  }),
  object("v1", "ConfigMap", "empty", {}, { annotations: { "kubectl.kubernetes.io/other": "x" } }),
  object("v1", "Secret", "rich", { stringData: { long, a: "ü" } }, { labels }),
  object("v1", "Secret", "login", { type: "kubernetes.io/basic-auth", stringData: { username: "u", password: "p" } }),
  object("v1", "Secret", "tls", { type: "kubernetes.io/tls", stringData: { "tls.crt": "a", "tls.key": "b" } }),
  object("v1", "ServiceAccount", "rich", { imagePullSecrets: [{ name: "a" }, { name: "b" }] }, { labels }),
  object("v1", "ServiceAccount", "plain", {}),
  object(
    "v1",
    "Secret",
    "token",
    { type: "kubernetes.io/service-account-token" },
    { annotations: { "kubernetes.io/service-account.name": "plain" } },
  ),
  object("v1", "ResourceQuota", "b-scoped", {
    spec: { hard: { pods: "50" }, scopes: ["NotTerminating", "BestEffort"] },
  }),
  object("v1", "ResourceQuota", "a-plain", {
    spec: { hard: { services: "50", "count/deployments.apps": "7", configmaps: "1k", "requests.storage": "1Ti" } },
  }),
  object("v1", "LimitRange", "one", { spec: { limits: [{ type: "PersistentVolumeClaim", max: { storage: "2Ti" } }] } }),
  object("v1", "LimitRange", "two", {
    spec: {
      limits: [
        {
          ...{ type: "example.com/box", min: { cpu: "1" }, max: { cpu: "2000m" }, default: { cpu: "1500m" } },
          ...{ defaultRequest: { cpu: "1.2" }, maxLimitRequestRatio: { cpu: "1.5" } },
        },
      ],
    },
  }),
];

export const richNode = object(
  "v1",
  "Node",
  "rich",
  {
    spec: {
      ...{ unschedulable: true, providerID: "cloud://1" },
      taints: [
        { key: "z", value: "v", effect: "NoSchedule" },
        { key: "a", effect: "NoSchedule" },
        { key: "b", effect: "PreferNoSchedule" },
      ],
    },
  },
  {
    labels: {
      "node-role.kubernetes.io/worker": "",

      "kubernetes.io/role": "infra",
      ...labels,
    },
    annotations: { a: "b" },
  },
);

export const richNodeStatus = {
  status: {
    capacity: {
      cpu: "4",
      memory: "8Gi",
      pods: "110",
      "example.com/gpu": "2",
      "hugepages-2Mi": "8Mi",
      "hugepages-1Gi": "0",
    },
    allocatable: {
      ...{ cpu: "3500m", memory: "7Gi", pods: "110", "ephemeral-storage": "9Gi" },
      ...{ "example.com/gpu": "2", "hugepages-2Mi": "8Mi", "hugepages-1Gi": "0" },
    },
    addresses: [
      { type: "InternalIP", address: "10.0.0.9" },
      { type: "Hostname", address: "rich" },
    ],
    conditions: [
      {
        ...{ type: "OutOfTea", status: "True", reason: "NoTea", message: "there is no tea" },
        ...{ lastHeartbeatTime: "2026-01-02T03:04:05Z", lastTransitionTime: "2026-07-02T03:04:05Z" },
      },
    ],
    nodeInfo: {
      ...{ machineID: "m", systemUUID: "s", bootID: "b", kernelVersion: "6", osImage: "os", operatingSystem: "linux" },
      ...{ architecture: "arm64", containerRuntimeVersion: "c://1", kubeletVersion: "v1.36.4", kubeProxyVersion: "" },
    },
  },
};

const manyFields = {
  spec: {
    ...{
      clusterIPs: ["a", "b"],
      externalURLs: [],
      apiVersion: "x",
      "with-dash": 1,
      with_under: 2,
      web2: true,
      HTTPServer: "s",
    },
    ...{
      small: 0.00001,
      large: 1e21,
      half: 0.5,
      nothing: null,
      nested: [[1, "a"], { b: { c: [] } }, null],
      empty: {},
      uid: "u",
    },
    ...{ lines: "a\nb\tc", ownUid: "x", aBC: 1 },
  },
};

/** A kind without a description of its own that may hold anything. */
export const anyObjects = [
  object(
    "apps/v1",
    "ControllerRevision",
    "many",
    { revision: 3, data: manyFields },
    { labels, annotations: { a: "b" }, finalizers: ["example.com/f"] },
  ),
  object("v1", "PodTemplate", "few", { template: { spec: { containers: [{ name: "a", image: "i" }] } } }),
];

/** About the service account `rich`: several times, in a series, of a field, of somebody without a component. */
export const richEvents = (namespace: string, uid: string) => {
  const event = (name: string, rest: object) =>
    object("v1", "Event", name, {
      involvedObject: { kind: "ServiceAccount", name: "rich", namespace, uid, apiVersion: "v1" },
      ...{ type: "Normal", reason: "Seen", message: ` ${name}\n`, ...rest },
    });
  const [first, last] = [{ firstTimestamp: "2026-01-02T03:04:05Z" }, { lastTimestamp: "2026-03-02T03:04:05Z" }];
  return [
    event("counted", { ...first, ...last, count: 7, source: { component: "someone" } }),
    event("once", { ...first, lastTimestamp: "2026-02-02T03:04:05Z", count: 1, reportingComponent: "other" }),
    event("in-field", {
      ...{ ...first, lastTimestamp: "2026-02-01T03:04:05Z" },
      involvedObject: { kind: "ServiceAccount", name: "rich", namespace, uid, fieldPath: "secrets{a}" },
    }),
    event("untimed", { type: "Warning" }),
    event("series", {
      ...{
        eventTime: "2026-01-02T03:04:05.000000Z",
        action: "Look",
        reportingComponent: "r",
        reportingInstance: "r-1",
      },
      series: { count: 3, lastObservedTime: "2026-01-03T03:04:05.000000Z" },
    }),
    event("elsewhere", { involvedObject: { kind: "ServiceAccount", name: "rich", namespace, uid: "other" } }),
  ];
};
