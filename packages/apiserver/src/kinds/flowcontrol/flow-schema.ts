// FlowSchema: which requests belong to which priority level.
import type { flowcontrolv1 } from "@kubeloop/core/api";
import { flowSchemas } from "@kubeloop/core/resources";
import type { KindRules } from "../kind-rules.ts";
import { collectObjectFaults, type ObjectPaths } from "../shared/object-faults.ts";
import { printAge } from "../shared/print-age.ts";
import { keepAllButStatus, keepMetadata } from "../shared/status-metadata.ts";
import { checkFlowConditions } from "./check-conditions.ts";
import { checkFlowSchemaSpec } from "./check-flow-schema.ts";

type FlowSchema = flowcontrolv1.FlowSchema;

const precedenceUnlessGiven = 1000;

export const flowSchemaRules: KindRules<FlowSchema> = {
  resource: flowSchemas,
  metadataOnUpdate: ["whole"],
  untouched: { status: [["spec"], ["metadata"]] },
  generation: "spec",
  defaults({ spec }) {
    spec.matchingPrecedence ||= precedenceUnlessGiven;
  },
  validate: (object) => collectObjectFaults((at) => checkFlowSchema(object, at)),
  subresources: {
    status: {
      metadataOnUpdate: [],
      prepareUpdate(draft, old) {
        keepAllButStatus(draft, old);
        keepMetadata(draft.metadata, old.metadata);
      },
      validateUpdate: ({ status }) =>
        collectObjectFaults((at) => checkFlowConditions(status?.conditions, at("status").at("conditions"))),
    },
  },
  printRow: ({ metadata, spec, status }, { nowMs }) => [
    metadata.name,
    spec.priorityLevelConfiguration.name,
    spec.matchingPrecedence ?? 0,
    spec.distinguisherMethod?.type ?? "<none>",
    printAge(metadata.creationTimestamp, nowMs),
    status?.conditions?.find(({ type }) => type === "Dangling")?.status ?? "?",
  ],
};

function checkFlowSchema({ metadata, spec, status }: FlowSchema, at: ObjectPaths): void {
  checkFlowSchemaSpec(spec, at("spec"), metadata.name ?? "");
  checkFlowConditions(status?.conditions, at("status").at("conditions"));
}
