import { readFileSync } from "node:fs";
import { describe, expect, test } from "vitest";
import type { corev1 } from "../api/index.ts";
import {
  type PodSecurityStandard,
  podSecurityPolicyOf,
  podSecurityViolations,
  printPodSecurityStandard,
  printPodSecurityViolations,
} from "./pod-security.ts";
import type { CheckedPod } from "./pod-security-checks.ts";

interface Fact extends PodSecurityStandard {
  readonly pod: CheckedPod;
  /** As upstream's own evaluator prints them; empty for a pod that may run. */
  readonly violations: string;
}

const facts = JSON.parse(
  readFileSync(new URL("./pod-security.facts.json", import.meta.url), "utf8"),
) as readonly Fact[];

test(`${facts.length} drawn pods violate what upstream's evaluator says, in its words`, () => {
  const found = facts.map((fact) => printPodSecurityViolations(podSecurityViolations(fact.pod, fact)));
  expect(found).toEqual(facts.map(({ violations }) => violations));
});

describe("a pod", () => {
  const restricted: corev1.SecurityContext = {
    allowPrivilegeEscalation: false,
    runAsNonRoot: true,
    seccompProfile: { type: "RuntimeDefault" },
    capabilities: { drop: ["ALL"] },
  };
  const pod = (securityContext: corev1.SecurityContext = {}, spec: Partial<corev1.PodSpec> = {}): CheckedPod => ({
    spec: { containers: [{ name: "a", securityContext }], ...spec },
  });
  const bare = [
    'allowPrivilegeEscalation != false (container "a" must set securityContext.allowPrivilegeEscalation=false)',
    'unrestricted capabilities (container "a" must set securityContext.capabilities.drop=["ALL"])',
    'runAsNonRoot != true (pod or container "a" must set securityContext.runAsNonRoot=true)',
    'seccompProfile (pod or container "a" must set securityContext.seccompProfile.type to "RuntimeDefault" or "Localhost")',
  ].join(", ");
  test.each<[string, CheckedPod, string, string]>([
    ["may do everything", pod({ privileged: true }), "privileged:latest", ""],
    ["may run bare in baseline", pod(), "baseline:latest", ""],
    ["may not run bare in restricted", pod(), "restricted:latest", bare],
    ["may run in restricted with all that it asks for", pod(restricted), "restricted:latest", ""],
    [
      "may not be privileged in baseline",
      pod({ privileged: true }),
      "baseline:latest",
      'privileged (container "a" must not set securityContext.privileged=true)',
    ],
    [
      "may run as root in a user namespace of its own since 1.35",
      pod({ ...restricted, runAsUser: 0, runAsNonRoot: false }, { hostUsers: false }),
      "restricted:v1.35",
      "",
    ],
    [
      "is judged by the newest checks in a version that is still to come",
      pod({}, { hostNetwork: true }),
      "baseline:v1.99",
      "host namespaces (hostNetwork=true)",
    ],
  ])("%s", (_fact, given, standard, expected) => {
    const [level = "", version = ""] = standard.split(":");
    const found = podSecurityViolations(given, { level, version } as PodSecurityStandard);
    expect(printPodSecurityViolations(found)).toBe(expected);
  });

  test("is not judged by what is no version", () => {
    const judge = () => podSecurityViolations(pod(), { level: "baseline", version: "1.30" });
    expect(judge).toThrow("no version of the Pod Security Standards: 1.30");
  });
});

describe("labels of a namespace", () => {
  const labelled = (labels: Readonly<Record<string, string>>) =>
    Object.fromEntries(Object.entries(labels).map(([key, value]) => [`pod-security.kubernetes.io/${key}`, value]));
  test.each<[string, Readonly<Record<string, string>>, string]>([
    ["ask for nothing", {}, "privileged:latest privileged:latest privileged:latest"],
    ["enforce, and warn of the same", { enforce: "baseline" }, "baseline:latest privileged:latest baseline:latest"],
    [
      "enforce a version, and warn of the same",
      { enforce: "restricted", "enforce-version": "v1.30" },
      "restricted:v1.30 privileged:latest restricted:v1.30",
    ],
    [
      "warn in a version of their own",
      { enforce: "baseline", "enforce-version": "v1.30", "warn-version": "v1.31" },
      "baseline:v1.30 privileged:latest baseline:v1.31",
    ],
    [
      "warn as they say, even if that is less than they enforce",
      { enforce: "restricted", warn: "privileged" },
      "restricted:latest privileged:latest privileged:latest",
    ],
    ["note and do nothing else", { audit: "restricted" }, "privileged:latest restricted:latest privileged:latest"],
    [
      "that cannot be read enforce all and warn of nothing",
      { enforce: "strict", warn: "strict", audit: "" },
      "restricted:latest privileged:latest privileged:latest",
    ],
    [
      "with a version that cannot be read mean the newest",
      { enforce: "baseline", "enforce-version": "1.30" },
      "baseline:latest privileged:latest baseline:latest",
    ],
  ])("%s", (_fact, labels, expected) => {
    const { enforce, audit, warn } = podSecurityPolicyOf(labelled(labels)).policy;
    expect([enforce, audit, warn].map(printPodSecurityStandard).join(" ")).toBe(expected);
  });

  test("that cannot be read are named", () => {
    const { faults } = podSecurityPolicyOf(labelled({ enforce: "strict", "enforce-version": "v1.030", warn: "" }));
    expect(faults).toEqual([
      {
        label: "pod-security.kubernetes.io/enforce",
        value: "strict",
        detail: "must be one of privileged, baseline, restricted",
      },
      { label: "pod-security.kubernetes.io/enforce-version", value: "v1.030", detail: 'must be "latest" or "v1.x"' },
      {
        label: "pod-security.kubernetes.io/warn",
        value: "",
        detail: "must be one of privileged, baseline, restricted",
      },
    ]);
  });
});
