// As long as this server serves no custom resources, it says so to who creates a definition: in a Warning, and in the conditions for which
// kubectl, helm and operators wait. The names are accepted as upstream accepts them; the definition is never established.
import { type apiextensionsv1, printTime, quote } from "@kubeloop/core/api";
import type { Draft } from "../kind-rules.ts";

type Definition = apiextensionsv1.CustomResourceDefinition;

const reason = "CustomResourcesNotServed";

export function markNotEstablished(draft: Draft<Definition>, nowMs: number): void {
  const { names } = draft.spec;
  const lastTransitionTime = printTime(nowMs);
  draft.status = {
    ...draft.status,
    acceptedNames: structuredClone(names),
    conditions: [
      {
        type: "NamesAccepted",
        status: "True",
        lastTransitionTime,
        reason: "NoConflicts",
        message: "no conflicts found",
      },
      {
        type: "Established",
        status: "False",
        lastTransitionTime,
        reason,
        message: "the embedded API server does not serve custom resources yet",
      },
    ],
  } as Draft<apiextensionsv1.CustomResourceDefinitionStatus>;
}

export function notEstablishedWarnings({ metadata, status }: Definition): readonly string[] {
  if (!(status?.conditions ?? []).some((condition) => condition.reason === reason)) return [];
  const name = quote(metadata?.name ?? "");
  return [
    `custom resource definition ${name} is stored but not established: the embedded API server does not serve custom resources yet`,
  ];
}
