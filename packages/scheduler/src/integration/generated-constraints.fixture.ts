// Pod affinity and topology spread of generated pods: terms and selectors that meet few labels in many ways.
import type { Affinity, PodAffinityTerm, TopologySpreadConstraint } from "@kubeloop/core/types/core/v1";
import { type Draw, times } from "./generated-case.fixture.ts";

const keys = ["topology.kubernetes.io/zone", "kubernetes.io/hostname", "rack"] as const;

const selectors = [
  { matchLabels: { app: "web" } },
  { matchLabels: { app: "db" } },
  { matchLabels: { tier: "front" } },
  { matchExpressions: [{ key: "tier", operator: "Exists" }] },
  { matchExpressions: [{ key: "app", operator: "NotIn", values: ["web"] }] },
  {},
];

const namespaceSelectors = [
  {},
  { matchLabels: { team: "red" } },
  { matchExpressions: [{ key: "tier", operator: "Exists" }] },
  { matchExpressions: [{ key: "tier", operator: "DoesNotExist" }] },
];

export function drawPodAffinity(draw: Draw): Pick<Affinity, "podAffinity" | "podAntiAffinity"> {
  const podAffinity = drawTerms(draw, 0.15);
  const podAntiAffinity = drawTerms(draw, 0.2);
  return {
    ...(podAffinity === undefined ? {} : { podAffinity }),
    ...(podAntiAffinity === undefined ? {} : { podAntiAffinity }),
  };
}

function drawTerms(draw: Draw, probability: number): Affinity["podAffinity"] {
  const terms = {
    ...(draw.chance(probability)
      ? { requiredDuringSchedulingIgnoredDuringExecution: times(1 + draw.below(2), () => drawTerm(draw)) }
      : {}),
    ...(draw.chance(probability)
      ? {
          preferredDuringSchedulingIgnoredDuringExecution: times(1 + draw.below(2), () => ({
            weight: 1 + draw.below(100),
            podAffinityTerm: drawTerm(draw),
          })),
        }
      : {}),
  };
  return Object.keys(terms).length === 0 ? undefined : terms;
}

function drawTerm(draw: Draw): PodAffinityTerm {
  return {
    topologyKey: draw.one(keys),
    ...(draw.chance(0.9) ? { labelSelector: draw.one(selectors) } : {}),
    ...(draw.chance(0.2) ? { namespaces: [draw.one(["red", "blue"])] } : {}),
    ...(draw.chance(0.3) ? { namespaceSelector: draw.one(namespaceSelectors) } : {}),
  };
}

/** A pair of key and action may occur only once in a pod. */
export function drawSpread(draw: Draw, labelKeys: readonly string[]): readonly TopologySpreadConstraint[] {
  if (!draw.chance(0.4)) return [];
  return keys
    .filter(() => draw.chance(0.5))
    .map((topologyKey) => {
      const whenUnsatisfiable = draw.one(["DoNotSchedule", "ScheduleAnyway"]);
      return {
        topologyKey,
        maxSkew: 1 + draw.below(2),
        whenUnsatisfiable,
        ...(draw.chance(0.9) ? { labelSelector: draw.one(selectors.slice(0, 4).concat({})) } : {}),
        ...(whenUnsatisfiable === "DoNotSchedule" && draw.chance(0.3) ? { minDomains: 1 + draw.below(4) } : {}),
        ...(draw.chance(0.3) ? { nodeAffinityPolicy: draw.one(["Honor", "Ignore"]) } : {}),
        ...(draw.chance(0.3) ? { nodeTaintsPolicy: draw.one(["Honor", "Ignore"]) } : {}),
        ...(draw.chance(0.1) ? { matchLabelKeys: labelKeys.filter((key) => key !== "app") } : {}),
      };
    })
    .map(({ matchLabelKeys = [], ...constraint }) =>
      // The server refuses matchLabelKeys without a selector, and keys that the selector has already.
      matchLabelKeys.length > 0 && JSON.stringify(constraint.labelSelector ?? "tier").includes("tier") === false
        ? { ...constraint, matchLabelKeys }
        : constraint,
    );
}
