// PriorityLevelConfiguration: how many requests of a level are served at once, and what becomes of the rest.
import type { flowcontrolv1 } from "@kubeloop/core/api";
import { priorityLevelConfigurations } from "@kubeloop/core/resources";
import type { KindRules } from "../kind-rules.ts";
import { isAbsent } from "../shared/checks.ts";
import type { FaultPlace } from "../shared/fault-place.ts";
import { collectObjectFaults, type ObjectPlaces } from "../shared/object-faults.ts";
import { own } from "../shared/own.ts";
import { printAge } from "../shared/print-age.ts";
import { keepAllButStatus, keepMetadata } from "../shared/status-metadata.ts";
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

function checkPriorityLevel({ metadata, spec, status }: PriorityLevel, at: ObjectPlaces): void {
  if (own(metadata.annotations, zeroSharesAnnotation) !== undefined) {
    at("metadata").at("annotations").forbidden(`annotation '${zeroSharesAnnotation}' is forbidden`);
  }
  const place = at("spec");
  if ((metadata.name === "exempt") !== (spec.type === "Exempt")) {
    place.at("type").invalid(spec.type, "must be 'Exempt' if and only if `name` is 'exempt'");
  }
  checkType(spec, place);
  checkFlowConditions(status?.conditions, at("status").at("conditions"));
}

function checkType({ type, limited, exempt }: flowcontrolv1.PriorityLevelConfigurationSpec, place: FaultPlace): void {
  switch (type) {
    case "Exempt":
      if (limited !== undefined) place.at("limited").forbidden("must be nil if the type is not Limited");
      if (exempt !== undefined) {
        checkShares(exempt.nominalConcurrencyShares, place.at("exempt"));
        checkLendable(exempt.lendablePercent, place.at("exempt"));
      }
      break;
    case "Limited":
      if (exempt !== undefined) place.at("exempt").forbidden("must be nil if the type is Limited");
      if (limited === undefined) place.at("limited").required("must not be empty when type is Limited");
      else checkLimited(limited, place.at("limited"));
      break;
    default:
      if (isAbsent(type)) place.at("type").required();
      else place.at("type").notSupported(type, ["Exempt", "Limited"]);
  }
}

function checkLimited(limited: flowcontrolv1.LimitedPriorityLevelConfiguration, place: FaultPlace): void {
  checkShares(limited.nominalConcurrencyShares, place);
  checkResponse(limited.limitResponse, place.at("limitResponse"));
  checkLendable(limited.lendablePercent, place);
  const { borrowingLimitPercent: limit = 0 } = limited;
  if (limit < 0) {
    place.at("borrowingLimitPercent").invalid(limit, "if specified, must be a non-negative integer");
  }
}

function checkShares(shares: number | undefined, place: FaultPlace): void {
  if ((shares ?? 0) < 0) place.at("nominalConcurrencyShares").invalid(shares, "must be a non-negative integer");
}

function checkLendable(percent: number | undefined, place: FaultPlace): void {
  const isRight = percent === undefined || (percent >= 0 && percent <= 100);
  if (!isRight) place.at("lendablePercent").invalid(percent, "must be between 0 and 100, inclusive");
}

function checkResponse(response: flowcontrolv1.LimitResponse | undefined, place: FaultPlace): void {
  const { type = "", queuing } = response ?? {};
  switch (type) {
    case "Reject":
      if (queuing !== undefined) {
        place.at("queuing").forbidden("must be nil if limited.limitResponse.type is not Limited");
      }
      break;
    case "Queue":
      if (queuing === undefined) {
        place.at("queuing").required("must not be empty if limited.limitResponse.type is Limited");
      } else checkQueuing(queuing, place.at("queuing"));
      break;
    default:
      if (type === "") place.at("type").required();
      else place.at("type").notSupported(type, ["Queue", "Reject"]);
  }
}

function checkQueuing(queuing: flowcontrolv1.QueuingConfiguration, place: FaultPlace): void {
  const { queueLengthLimit = 0, queues = 0, handSize = 0 } = queuing;
  if (queueLengthLimit <= 0) place.at("queueLengthLimit").invalid(queueLengthLimit, "must be positive");
  if (queues <= 0) place.at("queues").invalid(queues, "must be positive");
  else if (queues > mostQueues) place.at("queues").invalid(queues, `must not be greater than ${mostQueues}`);
  const handPlace = place.at("handSize");
  if (handSize <= 0) handPlace.invalid(handSize, "must be positive");
  else if (handSize > queues) handPlace.invalid(handSize, `should not be greater than queues (${queues})`);
  else if (Math.ceil(Math.log2(queues) * handSize) > mostEntropyBits) {
    const bits = `required entropy bits of deckSize ${queues} and handSize ${handSize}`;
    handPlace.invalid(handSize, `${bits} should not be greater than ${mostEntropyBits}`);
  }
}
