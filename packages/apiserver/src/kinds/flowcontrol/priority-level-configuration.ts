// PriorityLevelConfiguration: how many requests of a level are served at once, and what becomes of the rest.
import type { flowcontrolv1 } from "@kubeloop/core/api";
import { priorityLevelConfigurations } from "@kubeloop/core/resources";
import type { KindRules } from "../kind-rules.ts";
import { isAbsent } from "../shared/checks.ts";
import { collectObjectFaults, type ObjectPaths } from "../shared/object-faults.ts";
import { own } from "../shared/own.ts";
import { printAge } from "../shared/print-age.ts";
import { keepAllButStatus, keepMetadata } from "../shared/status-metadata.ts";
import type { ValidationPath } from "../shared/validation-path.ts";
import { checkFlowConditions } from "./check-conditions.ts";

type PriorityLevel = flowcontrolv1.PriorityLevelConfiguration;

const zeroSharesAnnotation = "flowcontrol.k8s.io/v1beta3-preserve-zero-concurrency-shares";
const mostQueues = 10_000_000;
/** What a hand of queues is dealt from. */
const mostEntropyBits = 60;

export const priorityLevelConfigurationRules: KindRules<PriorityLevel> = {
  resource: priorityLevelConfigurations,
  metadataOnUpdate: ["whole"],
  untouched: { status: [["spec"], ["metadata"]] },
  generation: "spec",
  defaults({ spec: { limited, exempt } }) {
    if (exempt !== undefined) {
      exempt.nominalConcurrencyShares ??= 0;
      exempt.lendablePercent ??= 0;
    }
    if (limited === undefined) return;
    limited.nominalConcurrencyShares ??= 30;
    limited.lendablePercent ??= 0;
    const queuing = limited.limitResponse?.queuing;
    if (queuing === undefined) return;
    queuing.handSize ||= 8;
    queuing.queues ||= 64;
    queuing.queueLengthLimit ||= 50;
  },
  validate: (object) => collectObjectFaults((at) => checkPriorityLevel(object, at)),
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
  printRow({ metadata, spec: { type, limited } }, { nowMs }) {
    const queuing = limited?.limitResponse?.queuing;
    const shares = limited === undefined ? "<none>" : (limited.nominalConcurrencyShares ?? 0);
    const { queues, handSize, queueLengthLimit } =
      queuing === undefined
        ? { queues: "<none>", handSize: "<none>", queueLengthLimit: "<none>" }
        : { queues: 0, handSize: 0, queueLengthLimit: 0, ...queuing };
    const age = printAge(metadata.creationTimestamp, nowMs);
    return [metadata.name, type, shares, queues, handSize, queueLengthLimit, age];
  },
};

function checkPriorityLevel({ metadata, spec, status }: PriorityLevel, at: ObjectPaths): void {
  if (own(metadata.annotations, zeroSharesAnnotation) !== undefined) {
    at("metadata").at("annotations").forbidden(`annotation '${zeroSharesAnnotation}' is forbidden`);
  }
  const fldPath = at("spec");
  if ((metadata.name === "exempt") !== (spec.type === "Exempt")) {
    fldPath.at("type").invalid(spec.type, "must be 'Exempt' if and only if `name` is 'exempt'");
  }
  checkType(spec, fldPath);
  checkFlowConditions(status?.conditions, at("status").at("conditions"));
}

function checkType(
  { type, limited, exempt }: flowcontrolv1.PriorityLevelConfigurationSpec,
  fldPath: ValidationPath,
): void {
  switch (type) {
    case "Exempt":
      if (limited !== undefined) fldPath.at("limited").forbidden("must be nil if the type is not Limited");
      if (exempt !== undefined) {
        checkShares(exempt.nominalConcurrencyShares, fldPath.at("exempt"));
        checkLendable(exempt.lendablePercent, fldPath.at("exempt"));
      }
      break;
    case "Limited":
      if (exempt !== undefined) fldPath.at("exempt").forbidden("must be nil if the type is Limited");
      if (limited === undefined) fldPath.at("limited").required("must not be empty when type is Limited");
      else checkLimited(limited, fldPath.at("limited"));
      break;
    default:
      if (isAbsent(type)) fldPath.at("type").required();
      else fldPath.at("type").notSupported(type, ["Exempt", "Limited"]);
  }
}

function checkLimited(limited: flowcontrolv1.LimitedPriorityLevelConfiguration, fldPath: ValidationPath): void {
  checkShares(limited.nominalConcurrencyShares, fldPath);
  checkResponse(limited.limitResponse, fldPath.at("limitResponse"));
  checkLendable(limited.lendablePercent, fldPath);
  const { borrowingLimitPercent: limit = 0 } = limited;
  if (limit < 0) {
    fldPath.at("borrowingLimitPercent").invalid(limit, "if specified, must be a non-negative integer");
  }
}

function checkShares(shares: number | undefined, fldPath: ValidationPath): void {
  if ((shares ?? 0) < 0) fldPath.at("nominalConcurrencyShares").invalid(shares, "must be a non-negative integer");
}

function checkLendable(percent: number | undefined, fldPath: ValidationPath): void {
  const isRight = percent === undefined || (percent >= 0 && percent <= 100);
  if (!isRight) fldPath.at("lendablePercent").invalid(percent, "must be between 0 and 100, inclusive");
}

function checkResponse(response: flowcontrolv1.LimitResponse | undefined, fldPath: ValidationPath): void {
  const { type = "", queuing } = response ?? {};
  switch (type) {
    case "Reject":
      if (queuing !== undefined) {
        fldPath.at("queuing").forbidden("must be nil if limited.limitResponse.type is not Limited");
      }
      break;
    case "Queue":
      if (queuing === undefined) {
        fldPath.at("queuing").required("must not be empty if limited.limitResponse.type is Limited");
      } else checkQueuing(queuing, fldPath.at("queuing"));
      break;
    default:
      if (type === "") fldPath.at("type").required();
      else fldPath.at("type").notSupported(type, ["Queue", "Reject"]);
  }
}

function checkQueuing(queuing: flowcontrolv1.QueuingConfiguration, fldPath: ValidationPath): void {
  const { queueLengthLimit = 0, queues = 0, handSize = 0 } = queuing;
  if (queueLengthLimit <= 0) fldPath.at("queueLengthLimit").invalid(queueLengthLimit, "must be positive");
  if (queues <= 0) fldPath.at("queues").invalid(queues, "must be positive");
  else if (queues > mostQueues) fldPath.at("queues").invalid(queues, `must not be greater than ${mostQueues}`);
  const handPath = fldPath.at("handSize");
  if (handSize <= 0) handPath.invalid(handSize, "must be positive");
  else if (handSize > queues) handPath.invalid(handSize, `should not be greater than queues (${queues})`);
  else if (Math.ceil(Math.log2(queues) * handSize) > mostEntropyBits) {
    const bits = `required entropy bits of deckSize ${queues} and handSize ${handSize}`;
    handPath.invalid(handSize, `${bits} should not be greater than ${mostEntropyBits}`);
  }
}
