// Defaults of the kube-apiserver that are not in the OpenAPI schema, for the kinds that operators create most: pods, kinds with a pod template,
// services, jobs, claims, network policies, autoscalers, role bindings. The other built-in kinds get only the defaults of their OpenAPI
// schema; `@kubeloop/apiserver` has the defaults of all kinds.
//
// Not here: fields that admission sets (service accounts, tolerations), and values that the server allocates (a cluster IP, a node port).
import type { KubernetesObject } from "../../api/index.ts";

type Fields = { readonly [name: string]: unknown };

export function fillBuiltIn(object: KubernetesObject): KubernetesObject {
  const fill = fills[`${object.apiVersion}/${object.kind}`];
  return fill === undefined ? object : (fill(object as unknown as Fields) as unknown as KubernetesObject);
}

const fills: { readonly [kind: string]: (object: Fields) => Fields } = {
  "v1/Pod": inSpec((spec) => withRequests(podSpec(spec, "Always"))),
  "v1/Service": inSpec(serviceSpec),
  "apps/v1/Deployment": inSpec((spec) => ({
    replicas: 1,
    revisionHistoryLimit: 10,
    progressDeadlineSeconds: 600,
    ...spec,
    strategy: deploymentStrategy(fieldsOf(spec["strategy"])),
    template: template(spec["template"], "Always"),
  })),
  "apps/v1/ReplicaSet": inSpec((spec) => ({ replicas: 1, ...spec, template: template(spec["template"], "Always") })),
  "apps/v1/DaemonSet": inSpec((spec) => ({
    revisionHistoryLimit: 10,
    ...spec,
    updateStrategy: daemonSetStrategy(fieldsOf(spec["updateStrategy"])),
    template: template(spec["template"], "Always"),
  })),
  "apps/v1/StatefulSet": inSpec((spec) => ({
    replicas: 1,
    revisionHistoryLimit: 10,
    podManagementPolicy: "OrderedReady",
    ...spec,
    persistentVolumeClaimRetentionPolicy: {
      whenDeleted: "Retain",
      whenScaled: "Retain",
      ...fieldsOf(spec["persistentVolumeClaimRetentionPolicy"]),
    },
    updateStrategy: statefulSetStrategy(fieldsOf(spec["updateStrategy"])),
    template: template(spec["template"], "Always"),
    ...said({ volumeClaimTemplates: each(spec["volumeClaimTemplates"], claimTemplate) }),
  })),
  "batch/v1/Job": inSpec(jobSpec),
  "batch/v1/CronJob": inSpec((spec) => {
    const job = fieldsOf(spec["jobTemplate"]);
    const held = fieldsOf(job["spec"]);
    // Only the pod template gets defaults. The other fields of the Job get theirs when the Job is created.
    const jobTemplate = { metadata: {}, ...job, spec: { ...held, template: template(held["template"], undefined) } };
    return {
      concurrencyPolicy: "Allow",
      suspend: false,
      successfulJobsHistoryLimit: 3,
      failedJobsHistoryLimit: 1,
      ...spec,
      jobTemplate,
    };
  }),
  "v1/Secret": (secret) => ({ type: "Opaque", ...secret }),
  "v1/PersistentVolumeClaim": inSpec(claimSpec),
  "networking.k8s.io/v1/NetworkPolicy": inSpec(networkPolicySpec),
  "autoscaling/v2/HorizontalPodAutoscaler": inSpec(autoscalerSpec),
  "rbac.authorization.k8s.io/v1/RoleBinding": binding,
  "rbac.authorization.k8s.io/v1/ClusterRoleBinding": binding,
};

function inSpec(fill: (spec: Fields) => Fields): (object: Fields) => Fields {
  return (object) => (object["spec"] === undefined ? object : { ...object, spec: fill(fieldsOf(object["spec"])) });
}

function fieldsOf(value: unknown): Fields {
  return typeof value === "object" && value !== null && !Array.isArray(value) ? (value as Fields) : {};
}

function each(value: unknown, fill: (item: Fields) => Fields): readonly Fields[] | undefined {
  return Array.isArray(value) ? value.map((item) => fill(fieldsOf(item))) : undefined;
}

/** Returns the fields without those that are undefined, which are neither set nor have a default. */
function said(fields: Fields): Fields {
  return Object.fromEntries(Object.entries(fields).filter(([, value]) => value !== undefined));
}

function template(value: unknown, restartPolicy: string | undefined): Fields {
  const held = fieldsOf(value);
  return { ...held, spec: podSpec(fieldsOf(held["spec"]), restartPolicy) };
}

function podSpec(spec: Fields, restartPolicy: string | undefined): Fields {
  return said({
    restartPolicy,
    dnsPolicy: "ClusterFirst",
    terminationGracePeriodSeconds: 30,
    securityContext: {},
    schedulerName: "default-scheduler",
    ...spec,
    containers: each(spec["containers"], container),
    initContainers: each(spec["initContainers"], container),
    volumes: each(spec["volumes"], volume),
  });
}

function container(held: Fields): Fields {
  const { image } = held;
  const isLatest = typeof image !== "string" || !/[:@][^/]*$/.test(image) || image.endsWith(":latest");
  return said({
    terminationMessagePath: "/dev/termination-log",
    terminationMessagePolicy: "File",
    imagePullPolicy: image === undefined ? undefined : isLatest ? "Always" : "IfNotPresent",
    resources: {},
    ...held,
    ports: each(held["ports"], (port) => ({ protocol: "TCP", ...port })),
    env: each(held["env"], environment),
    livenessProbe: probe(held["livenessProbe"]),
    readinessProbe: probe(held["readinessProbe"]),
    startupProbe: probe(held["startupProbe"]),
  });
}

/** In a pod, limits are the default of requests. In a pod template they are not. */
function withRequests(spec: Fields): Fields {
  const fill = (held: Fields): Fields => {
    const resources = fieldsOf(held["resources"]);
    if (resources["limits"] === undefined) return held;
    const requests = { ...fieldsOf(resources["limits"]), ...fieldsOf(resources["requests"]) };
    return { ...held, resources: { ...resources, requests } };
  };
  const containers = each(spec["containers"], fill);
  return said({ ...spec, containers, initContainers: each(spec["initContainers"], fill) });
}

function environment(variable: Fields): Fields {
  const from = fieldsOf(variable["valueFrom"]);
  if (from["fieldRef"] === undefined) return variable;
  return { ...variable, valueFrom: { ...from, fieldRef: { apiVersion: "v1", ...fieldsOf(from["fieldRef"]) } } };
}

function probe(value: unknown): Fields | undefined {
  if (value === undefined) return undefined;
  const held = fieldsOf(value);
  return said({
    timeoutSeconds: 1,
    periodSeconds: 10,
    successThreshold: 1,
    failureThreshold: 3,
    ...held,
    httpGet: held["httpGet"] && { path: "/", scheme: "HTTP", ...fieldsOf(held["httpGet"]) },
  });
}

function volume(held: Fields): Fields {
  const withMode = (name: string) => held[name] && { defaultMode: 0o644, ...fieldsOf(held[name]) };
  return said({
    ...held,
    configMap: withMode("configMap"),
    secret: withMode("secret"),
    projected: withMode("projected"),
    downwardAPI: withMode("downwardAPI"),
    hostPath: held["hostPath"] && { type: "", ...fieldsOf(held["hostPath"]) },
  });
}

function claimSpec(spec: Fields): Fields {
  return { volumeMode: "Filesystem", ...spec };
}

function claimTemplate(held: Fields): Fields {
  const status = { phase: "Pending", ...fieldsOf(held["status"]) };
  return { apiVersion: "v1", kind: "PersistentVolumeClaim", ...held, spec: claimSpec(fieldsOf(held["spec"])), status };
}

function networkPolicySpec(spec: Fields): Fields {
  const rule = (held: Fields) =>
    said({ ...held, ports: each(held["ports"], (port) => ({ protocol: "TCP", ...port })) });
  const [ingress, egress] = [each(spec["ingress"], rule), each(spec["egress"], rule)];
  const policyTypes = ["Ingress", ...((egress ?? []).length > 0 ? ["Egress"] : [])];
  return said({ policyTypes, ...spec, ingress, egress });
}

const cpuMetric = {
  type: "Resource",
  resource: { name: "cpu", target: { type: "Utilization", averageUtilization: 80 } },
};

function autoscalerSpec(spec: Fields): Fields {
  return { minReplicas: 1, metrics: [cpuMetric], ...spec };
}

/** The default API group of users, groups and roles is that of RBAC; service accounts are in the core group. */
function binding(object: Fields): Fields {
  const grouped = (held: Fields): Fields => ({ ...held, apiGroup: held["apiGroup"] || "rbac.authorization.k8s.io" });
  const subject = (held: Fields) => (held["kind"] === "ServiceAccount" ? held : grouped(held));
  return said({
    ...object,
    roleRef: grouped(fieldsOf(object["roleRef"])),
    subjects: each(object["subjects"], subject),
  });
}

function serviceSpec(spec: Fields): Fields {
  const { type = "ClusterIP" } = spec;
  const isExternal = type === "NodePort" || type === "LoadBalancer";
  const isName = type === "ExternalName";
  return said({
    type,
    sessionAffinity: "None",
    internalTrafficPolicy: isName ? undefined : "Cluster",
    externalTrafficPolicy: isExternal ? "Cluster" : undefined,
    allocateLoadBalancerNodePorts: type === "LoadBalancer" ? true : undefined,
    ...spec,
    ports: each(spec["ports"], (port) => ({
      protocol: "TCP",
      ...port,
      targetPort: port["targetPort"] ?? port["port"],
    })),
  });
}

function deploymentStrategy(strategy: Fields): Fields {
  const { type = "RollingUpdate" } = strategy;
  if (type !== "RollingUpdate") return { ...strategy, type };
  return { type, rollingUpdate: { maxUnavailable: "25%", maxSurge: "25%", ...fieldsOf(strategy["rollingUpdate"]) } };
}

function daemonSetStrategy(strategy: Fields): Fields {
  const { type = "RollingUpdate" } = strategy;
  if (type !== "RollingUpdate") return { ...strategy, type };
  return { type, rollingUpdate: { maxUnavailable: 1, maxSurge: 0, ...fieldsOf(strategy["rollingUpdate"]) } };
}

function statefulSetStrategy(strategy: Fields): Fields {
  const { type = "RollingUpdate" } = strategy;
  if (type !== "RollingUpdate") return { ...strategy, type };
  return { type, rollingUpdate: { partition: 0, ...fieldsOf(strategy["rollingUpdate"]) } };
}

function jobSpec(spec: Fields): Fields {
  const isIndexed = spec["completions"] !== undefined || spec["parallelism"] !== undefined;
  return said({
    completions: isIndexed ? undefined : 1,
    parallelism: 1,
    backoffLimit: 6,
    completionMode: "NonIndexed",
    suspend: false,
    manualSelector: false,
    podReplacementPolicy: spec["podFailurePolicy"] === undefined ? "TerminatingOrFailed" : "Failed",
    ...spec,
    template: template(spec["template"], undefined),
  });
}
