// One object of (nearly) each kind that a default server takes, with what is hard about the kind in it: zeros that are said, times,
// quantities, ports by name and number, raw JSON, bytes, unions. All in the namespace default, in an order that lets each stand
// on those before it.

export interface ServedObject {
  readonly apiVersion: string;
  readonly kind: string;
  readonly metadata: Readonly<Record<string, unknown>>;
  readonly [field: string]: unknown;
}

const labels = { app: "web" };
const selector = { matchLabels: labels, matchExpressions: [{ key: "tier", operator: "NotIn", values: ["a", "b"] }] };
const podSpec = {
  containers: [
    {
      name: "web",
      image: "web:1",
      command: ["run", ""],
      env: [
        { name: "PLAIN", value: "é" },
        { name: "FIELD", valueFrom: { fieldRef: { fieldPath: "metadata.name" } } },
        { name: "CPU", valueFrom: { resourceFieldRef: { resource: "limits.cpu", divisor: "1m" } } },
        { name: "KEY", valueFrom: { secretKeyRef: { name: "s", key: "k", optional: false } } },
      ],
      envFrom: [{ prefix: "P_", configMapRef: { name: "c" } }],
      ports: [{ name: "http", containerPort: 8080, protocol: "TCP" }],
      resources: { limits: { cpu: "1500m", memory: "1Gi" }, requests: { cpu: "100m" } },
      livenessProbe: { httpGet: { path: "/", port: "http" }, initialDelaySeconds: 0, periodSeconds: 3 },
      readinessProbe: { tcpSocket: { port: 8080 } },
      startupProbe: { grpc: { port: 8080, service: "" } },
      lifecycle: { preStop: { sleep: { seconds: 0 } } },
      securityContext: { runAsUser: 0, privileged: false, capabilities: { drop: ["ALL"] } },
      volumeMounts: [
        { name: "config", mountPath: "/config", readOnly: true },
        { name: "scratch", mountPath: "/scratch" },
      ],
    },
  ],
  volumes: [
    { name: "config", configMap: { name: "c", defaultMode: 0, items: [{ key: "a", path: "a", mode: 0 }] } },
    { name: "scratch", emptyDir: { sizeLimit: "1Mi" } },
    { name: "projected", projected: { sources: [{ serviceAccountToken: { path: "token", expirationSeconds: 600 } }] } },
  ],
  // The two that admission adds, so that it adds none.
  tolerations: ["not-ready", "unreachable"].map((state) => {
    return { key: `node.kubernetes.io/${state}`, operator: "Exists", effect: "NoExecute", tolerationSeconds: 0 };
  }),
  terminationGracePeriodSeconds: 0,
  serviceAccountName: "runner",
  automountServiceAccountToken: false,
  affinity: {
    nodeAffinity: {
      preferredDuringSchedulingIgnoredDuringExecution: [
        { weight: 1, preference: { matchExpressions: [{ key: "disk", operator: "In", values: ["ssd"] }] } },
      ],
    },
  },
  topologySpreadConstraints: [
    { maxSkew: 1, topologyKey: "zone", whenUnsatisfiable: "ScheduleAnyway", labelSelector: { matchLabels: labels } },
  ],
};
const template = { metadata: { labels }, spec: podSpec };
const onceTemplate = { metadata: { labels }, spec: { ...podSpec, restartPolicy: "Never" } };
const claimSpec = { accessModes: ["ReadWriteOnce"], resources: { requests: { storage: "1Gi" } } };
const subject = { kind: "User", name: "someone", apiGroup: "rbac.authorization.k8s.io" };
const webhook = {
  name: "hook.example.com",
  clientConfig: { url: "https://127.0.0.1:1/hook" },
  rules: [{ apiGroups: ["example.com"], apiVersions: ["*"], operations: ["CREATE"], resources: ["never"] }],
  sideEffects: "None",
  admissionReviewVersions: ["v1"],
  timeoutSeconds: 1,
};
const named = (name: string, more: object = {}) => ({ name, ...more });

/** Made with openssl for a key nobody has. */
const certificateRequest =
  "LS0tLS1CRUdJTiBDRVJUSUZJQ0FURSBSRVFVRVNULS0tLS0KTUlHaU1GWUNBUUF3SXpFUU1BNEdBMVVFQXd3SGMyOXRaVzl1WlRFUE1BMEdBMVVFQ2d3R2NHVnZjR3hsTUNvdwpCUVlESzJWd0F5RUE3aEpadSs2MjB1Z1cvKzBFV0ZZK1ZybjJCdGpuaGluN0IxM0FnM3B3SGpPZ0FEQUZCZ01yClpYQURRUUI5ajVBVFFQUjZTUi9ONHgwR1Q0UjZ0UnBTWm1pRmk2RlpzUldleVdaU1M5cnlHTVlVTlpaWHRmRFkKOTQ1ZVNsamRSR1o3Y3VtTjBSRUk3aGhHVW5NRQotLS0tLUVORCBDRVJUSUZJQ0FURSBSRVFVRVNULS0tLS0K";

const core: readonly ServedObject[] = [
  { apiVersion: "v1", kind: "Namespace", metadata: named("other", { labels: { "a/b": "" } }) },
  {
    apiVersion: "v1",
    kind: "ConfigMap",
    metadata: named("c", { annotations: { note: "😀" }, finalizers: ["example.com/f"] }),
    data: { a: "", b: "two\nlines" },
    binaryData: { c: "AP8=" },
    immutable: false,
  },
  { apiVersion: "v1", kind: "Secret", metadata: named("s"), type: "Opaque", data: { k: "AP8=", none: "" } },
  { apiVersion: "v1", kind: "ServiceAccount", metadata: named("runner"), automountServiceAccountToken: false },
  {
    apiVersion: "v1",
    kind: "Service",
    metadata: named("web"),
    spec: {
      type: "NodePort",
      selector: labels,
      ports: [
        { name: "a", port: 80, targetPort: "http" },
        { name: "b", port: 81, targetPort: 0 },
      ],
      sessionAffinity: "ClientIP",
      sessionAffinityConfig: { clientIP: { timeoutSeconds: 60 } },
    },
  },
  {
    apiVersion: "v1",
    kind: "Endpoints",
    metadata: named("web"),
    subsets: [{ addresses: [{ ip: "10.1.2.3" }], ports: [{ port: 80 }] }],
  },
  { apiVersion: "v1", kind: "Pod", metadata: named("p", { labels }), spec: podSpec },
  { apiVersion: "v1", kind: "PodTemplate", metadata: named("t"), template },
  {
    apiVersion: "v1",
    kind: "ReplicationController",
    metadata: named("rc"),
    spec: { replicas: 0, selector: labels, template },
  },
  {
    apiVersion: "v1",
    kind: "ResourceQuota",
    metadata: named("q"),
    spec: { hard: { "requests.cpu": "0", "count/example.com": "1k" }, scopes: ["NotTerminating"] },
  },
  {
    apiVersion: "v1",
    kind: "LimitRange",
    metadata: named("l"),
    spec: { limits: [{ type: "Container", max: { memory: "8Gi" }, default: { memory: "1Gi" } }] },
  },
  {
    apiVersion: "v1",
    kind: "PersistentVolume",
    metadata: named("pv"),
    spec: {
      capacity: { storage: "1Gi" },
      accessModes: ["ReadWriteOnce"],
      hostPath: { path: "/tmp", type: "" },
      nodeAffinity: {
        required: { nodeSelectorTerms: [{ matchFields: [{ key: "metadata.name", operator: "In", values: ["n"] }] }] },
      },
    },
  },
  {
    apiVersion: "v1",
    kind: "PersistentVolumeClaim",
    metadata: named("claim"),
    spec: { ...claimSpec, storageClassName: "" },
  },
  {
    apiVersion: "v1",
    kind: "Node",
    metadata: named("n"),
    spec: {
      podCIDR: "10.2.0.0/24",
      podCIDRs: ["10.2.0.0/24"],
    },
    status: {
      capacity: { cpu: "4", memory: "8Gi", pods: "110" },
      conditions: [
        { type: "Ready", status: "True", lastHeartbeatTime: "2024-01-02T03:04:05Z", lastTransitionTime: null },
      ],
      daemonEndpoints: { kubeletEndpoint: { Port: 10250 } },
      images: [{ names: ["a"], sizeBytes: 4294967297 }],
    },
  },
  {
    apiVersion: "v1",
    kind: "Event",
    metadata: named("e"),
    involvedObject: { kind: "Pod", namespace: "default", name: "p" },
    reason: "Because",
    count: 0,
    firstTimestamp: "2024-01-02T03:04:05Z",
    lastTimestamp: null,
    eventTime: "2024-01-02T03:04:05.000006Z",
    reportingComponent: "test",
    reportingInstance: "test-1",
    action: "Look",
    type: "Normal",
  },
];

const workloads: readonly ServedObject[] = [
  {
    apiVersion: "apps/v1",
    kind: "Deployment",
    metadata: named("d", { labels }),
    spec: {
      replicas: 0,
      revisionHistoryLimit: 0,
      minReadySeconds: 0,
      selector: { matchLabels: labels },
      strategy: { type: "RollingUpdate", rollingUpdate: { maxSurge: "25%", maxUnavailable: 0 } },
      template,
    },
  },
  {
    apiVersion: "apps/v1",
    kind: "ReplicaSet",
    metadata: named("rs"),
    spec: { replicas: 0, selector: { matchLabels: labels }, template },
  },
  {
    apiVersion: "apps/v1",
    kind: "DaemonSet",
    metadata: named("ds"),
    spec: { selector: { matchLabels: labels }, template, updateStrategy: { type: "OnDelete" } },
  },
  {
    apiVersion: "apps/v1",
    kind: "StatefulSet",
    metadata: named("ss"),
    spec: {
      replicas: 0,
      serviceName: "web",
      selector: { matchLabels: labels },
      template,
      updateStrategy: { type: "RollingUpdate", rollingUpdate: { partition: 0 } },
      volumeClaimTemplates: [{ metadata: { name: "v" }, spec: claimSpec }],
    },
  },
  {
    apiVersion: "apps/v1",
    kind: "ControllerRevision",
    metadata: named("cr"),
    data: { list: [1, "a", { b: null }], n: 1.5 },
    revision: 0,
  },
  {
    apiVersion: "batch/v1",
    kind: "Job",
    metadata: named("j"),
    spec: {
      parallelism: 0,
      completions: 1,
      backoffLimit: 0,
      ttlSecondsAfterFinished: 0,
      suspend: true,
      template: onceTemplate,
    },
  },
  {
    apiVersion: "batch/v1",
    kind: "CronJob",
    metadata: named("cj"),
    spec: {
      schedule: "0 0 1 1 *",
      suspend: false,
      successfulJobsHistoryLimit: 0,
      jobTemplate: { spec: { template: onceTemplate } },
    },
  },
  {
    apiVersion: "autoscaling/v2",
    kind: "HorizontalPodAutoscaler",
    metadata: named("hpa"),
    spec: {
      scaleTargetRef: { apiVersion: "apps/v1", kind: "Deployment", name: "d" },
      maxReplicas: 3,
      metrics: [
        { type: "Resource", resource: { name: "cpu", target: { type: "Utilization", averageUtilization: 50 } } },
      ],
      behavior: { scaleDown: { stabilizationWindowSeconds: 0 } },
    },
  },
  {
    apiVersion: "autoscaling/v1",
    kind: "HorizontalPodAutoscaler",
    metadata: named("hpa1"),
    spec: { scaleTargetRef: { kind: "Deployment", name: "d", apiVersion: "apps/v1" }, maxReplicas: 3 },
  },
  {
    apiVersion: "policy/v1",
    kind: "PodDisruptionBudget",
    metadata: named("pdb"),
    spec: { minAvailable: "50%", selector },
  },
  {
    apiVersion: "coordination.k8s.io/v1",
    kind: "Lease",
    metadata: named("lease"),
    spec: { holderIdentity: "", leaseTransitions: 0, renewTime: "2024-01-02T03:04:05.678901Z" },
  },
  {
    apiVersion: "discovery.k8s.io/v1",
    kind: "EndpointSlice",
    metadata: named("slice", { labels: { "kubernetes.io/service-name": "web" } }),
    addressType: "IPv4",
    endpoints: [{ addresses: ["10.1.2.3"], conditions: { ready: false }, targetRef: { kind: "Pod", name: "p" } }],
    ports: [{ name: "", port: 80, protocol: "TCP" }],
  },
  {
    apiVersion: "events.k8s.io/v1",
    kind: "Event",
    metadata: named("e1"),
    eventTime: "2024-01-02T03:04:05.000000Z",
    series: { count: 2, lastObservedTime: "2024-01-02T03:04:06.000007Z" },
    reportingController: "test",
    reportingInstance: "test-1",
    action: "Look",
    reason: "Because",
    regarding: { kind: "Pod", namespace: "default", name: "p" },
    type: "Normal",
  },
];

const network: readonly ServedObject[] = [
  {
    apiVersion: "networking.k8s.io/v1",
    kind: "IngressClass",
    metadata: named("ic"),
    spec: { controller: "example.com/c" },
  },
  {
    apiVersion: "networking.k8s.io/v1",
    kind: "Ingress",
    metadata: named("i"),
    spec: {
      rules: [
        {
          http: {
            paths: [{ path: "/", pathType: "Prefix", backend: { service: { name: "web", port: { number: 80 } } } }],
          },
        },
      ],
      tls: [{ hosts: ["a.example.com"] }],
    },
  },
  {
    apiVersion: "networking.k8s.io/v1",
    kind: "NetworkPolicy",
    metadata: named("np"),
    spec: { podSelector: {}, ingress: [{}], egress: [{ ports: [{ port: "http" }, { port: 80, endPort: 81 }] }] },
  },
  {
    apiVersion: "networking.k8s.io/v1",
    kind: "IPAddress",
    metadata: named("10.255.0.9", { labels: { "ipaddress.kubernetes.io/managed-by": "test" } }),
    spec: { parentRef: { resource: "services", namespace: "default", name: "web" } },
  },
  {
    apiVersion: "networking.k8s.io/v1",
    kind: "ServiceCIDR",
    metadata: named("cidr"),
    spec: { cidrs: ["10.250.0.0/24"] },
  },
];

const cluster: readonly ServedObject[] = [
  {
    apiVersion: "rbac.authorization.k8s.io/v1",
    kind: "ClusterRole",
    metadata: named("cr"),
    rules: null,
    aggregationRule: { clusterRoleSelectors: [selector] },
  },
  {
    apiVersion: "rbac.authorization.k8s.io/v1",
    kind: "Role",
    metadata: named("r"),
    rules: [{ verbs: ["*"], apiGroups: [""], resources: ["pods"] }],
  },
  {
    apiVersion: "rbac.authorization.k8s.io/v1",
    kind: "ClusterRoleBinding",
    metadata: named("crb"),
    roleRef: { apiGroup: "rbac.authorization.k8s.io", kind: "ClusterRole", name: "cr" },
    subjects: [subject],
  },
  {
    apiVersion: "rbac.authorization.k8s.io/v1",
    kind: "RoleBinding",
    metadata: named("rb"),
    roleRef: { apiGroup: "rbac.authorization.k8s.io", kind: "Role", name: "r" },
  },
  {
    apiVersion: "storage.k8s.io/v1",
    kind: "StorageClass",
    metadata: named("sc"),
    provisioner: "example.com/p",
    allowVolumeExpansion: false,
    allowedTopologies: [{ matchLabelExpressions: [{ key: "zone", values: ["a"] }] }],
  },
  {
    apiVersion: "storage.k8s.io/v1",
    kind: "CSIDriver",
    metadata: named("d.example.com"),
    spec: { attachRequired: false },
  },
  {
    apiVersion: "storage.k8s.io/v1",
    kind: "CSINode",
    metadata: named("n"),
    spec: { drivers: [{ name: "d", nodeID: "n", topologyKeys: null, allocatable: { count: 0 } }] },
  },
  {
    apiVersion: "storage.k8s.io/v1",
    kind: "CSIStorageCapacity",
    metadata: named("cap"),
    storageClassName: "sc",
    capacity: "1Gi",
    nodeTopology: selector,
  },
  {
    apiVersion: "storage.k8s.io/v1",
    kind: "VolumeAttachment",
    metadata: named("va"),
    spec: { attacher: "d", nodeName: "n", source: { persistentVolumeName: "pv" } },
  },
  {
    apiVersion: "storage.k8s.io/v1",
    kind: "VolumeAttributesClass",
    metadata: named("vac"),
    driverName: "d",
    parameters: { a: "b" },
  },
  {
    apiVersion: "scheduling.k8s.io/v1",
    kind: "PriorityClass",
    metadata: named("low"),
    value: -5,
    preemptionPolicy: "Never",
  },
  {
    apiVersion: "node.k8s.io/v1",
    kind: "RuntimeClass",
    metadata: named("rtc"),
    handler: "h",
    overhead: { podFixed: { cpu: "10m" } },
  },
  {
    apiVersion: "certificates.k8s.io/v1",
    kind: "CertificateSigningRequest",
    metadata: named("csr"),
    spec: { request: certificateRequest, signerName: "example.com/s", usages: ["client auth"], expirationSeconds: 600 },
  },
  {
    apiVersion: "apiextensions.k8s.io/v1",
    kind: "CustomResourceDefinition",
    metadata: named("widgets.example.com"),
    spec: {
      group: "example.com",
      names: { plural: "widgets", singular: "widget", kind: "Widget", listKind: "WidgetList" },
      scope: "Namespaced",
      versions: [
        {
          name: "v1",
          served: true,
          storage: true,
          subresources: { status: {}, scale: { specReplicasPath: ".spec.n", statusReplicasPath: ".status.n" } },
          schema: {
            openAPIV3Schema: {
              type: "object",
              properties: {
                spec: {
                  type: "object",
                  properties: {
                    n: { type: "integer", format: "int32", minimum: 0, maximum: 10, default: 0 },
                    list: {
                      type: "array",
                      items: { type: "string", enum: ["a", "b"] },
                      "x-kubernetes-list-type": "set",
                    },
                    map: { type: "object", additionalProperties: { type: "string", maxLength: 0 } },
                    free: { type: "object", "x-kubernetes-preserve-unknown-fields": true },
                    either: { "x-kubernetes-int-or-string": true },
                  },
                  "x-kubernetes-validations": [{ rule: "self.n >= 0", message: "no" }],
                },
                status: { type: "object", properties: { n: { type: "integer" } } },
              },
            },
          },
        },
      ],
    },
  },
  {
    apiVersion: "apiregistration.k8s.io/v1",
    kind: "APIService",
    metadata: named("v1.other.example.com"),
    spec: {
      group: "other.example.com",
      version: "v1",
      groupPriorityMinimum: 1,
      versionPriority: 1,
      service: { namespace: "default", name: "web", port: 443 },
      insecureSkipTLSVerify: true,
    },
  },
  {
    apiVersion: "admissionregistration.k8s.io/v1",
    kind: "ValidatingWebhookConfiguration",
    metadata: named("vwc"),
    webhooks: [webhook],
  },
  {
    apiVersion: "admissionregistration.k8s.io/v1",
    kind: "MutatingWebhookConfiguration",
    metadata: named("mwc"),
    webhooks: [webhook],
  },
  {
    apiVersion: "admissionregistration.k8s.io/v1",
    kind: "ValidatingAdmissionPolicy",
    metadata: named("vap"),
    spec: { matchConstraints: { resourceRules: webhook.rules }, validations: [{ expression: "true" }] },
  },
  {
    apiVersion: "admissionregistration.k8s.io/v1",
    kind: "ValidatingAdmissionPolicyBinding",
    metadata: named("vapb"),
    spec: { policyName: "vap", validationActions: ["Warn"] },
  },
  {
    apiVersion: "flowcontrol.apiserver.k8s.io/v1",
    kind: "PriorityLevelConfiguration",
    metadata: named("plc"),
    spec: {
      type: "Limited",
      limited: { nominalConcurrencyShares: 0, lendablePercent: 0, limitResponse: { type: "Reject" } },
    },
  },
  {
    apiVersion: "flowcontrol.apiserver.k8s.io/v1",
    kind: "FlowSchema",
    metadata: named("fs"),
    spec: {
      priorityLevelConfiguration: { name: "plc" },
      matchingPrecedence: 9000,
      rules: [
        {
          subjects: [{ kind: "User", user: { name: "nobody" } }],
          nonResourceRules: [{ verbs: ["get"], nonResourceURLs: ["/x"] }],
        },
      ],
    },
  },
  {
    apiVersion: "resource.k8s.io/v1",
    kind: "DeviceClass",
    metadata: named("dc"),
    spec: {
      selectors: [{ cel: { expression: "true" } }],
      config: [{ opaque: { driver: "d.example.com", parameters: { kind: "K", apiVersion: "v1", n: 1 } } }],
    },
  },
  {
    apiVersion: "resource.k8s.io/v1",
    kind: "ResourceClaim",
    metadata: named("claim"),
    spec: {
      devices: {
        requests: [{ name: "r", exactly: { deviceClassName: "dc", allocationMode: "ExactCount", count: 1 } }],
      },
    },
  },
  {
    apiVersion: "resource.k8s.io/v1",
    kind: "ResourceClaimTemplate",
    metadata: named("ct"),
    spec: { spec: { devices: { requests: [{ name: "r", firstAvailable: [{ name: "a", deviceClassName: "dc" }] }] } } },
  },
  {
    apiVersion: "resource.k8s.io/v1",
    kind: "ResourceSlice",
    metadata: named("rsl"),
    spec: {
      driver: "d.example.com",
      nodeName: "n",
      pool: { name: "p", generation: 0, resourceSliceCount: 1 },
      devices: [
        {
          name: "gpu",
          attributes: { a: { int: 0 }, b: { bool: false }, c: { version: "1.0.0" } },
          capacity: { mem: { value: "1Gi" } },
        },
      ],
    },
  },
];

export const servedObjects: readonly ServedObject[] = [...core, ...workloads, ...network, ...cluster];

/** What is answered and never stored. */
export const reviews: readonly (readonly [path: string, object: ServedObject])[] = [
  [
    "/apis/authorization.k8s.io/v1/selfsubjectaccessreviews",
    {
      apiVersion: "authorization.k8s.io/v1",
      kind: "SelfSubjectAccessReview",
      metadata: {},
      spec: { resourceAttributes: { verb: "get", resource: "pods", namespace: "default" } },
    },
  ],
  [
    "/apis/authorization.k8s.io/v1/subjectaccessreviews",
    {
      apiVersion: "authorization.k8s.io/v1",
      kind: "SubjectAccessReview",
      metadata: {},
      spec: { user: "u", groups: ["g"], extra: { k: ["a", ""] }, nonResourceAttributes: { path: "/", verb: "get" } },
    },
  ],
  [
    "/apis/authorization.k8s.io/v1/namespaces/default/localsubjectaccessreviews",
    {
      apiVersion: "authorization.k8s.io/v1",
      kind: "LocalSubjectAccessReview",
      metadata: { namespace: "default" },
      spec: { user: "u", resourceAttributes: { verb: "get", resource: "pods", namespace: "default" } },
    },
  ],
  [
    "/apis/authorization.k8s.io/v1/selfsubjectrulesreviews",
    {
      apiVersion: "authorization.k8s.io/v1",
      kind: "SelfSubjectRulesReview",
      metadata: {},
      spec: { namespace: "default" },
    },
  ],
  [
    "/apis/authentication.k8s.io/v1/selfsubjectreviews",
    { apiVersion: "authentication.k8s.io/v1", kind: "SelfSubjectReview", metadata: {} },
  ],
  [
    "/apis/authentication.k8s.io/v1/tokenreviews",
    { apiVersion: "authentication.k8s.io/v1", kind: "TokenReview", metadata: {}, spec: { token: "nobody's" } },
  ],
];
