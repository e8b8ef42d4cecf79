// Event: what happened to an object, reported by whom. The core API's spelling is the one that is stored; `kinds/events` has the other.
import type { corev1 } from "@kubeloop/core/api";
import { events } from "@kubeloop/core/resources";
import { checkAnyEvent } from "../events/check-event.ts";
import { eventsVersion } from "../events/event.ts";
import { printEvent } from "../events/print-event.ts";
import { referenceFields, referenceNames } from "../events/reference-fields.ts";
import { dropZeroTimes } from "../events/zero-times.ts";
import type { KindRules } from "../kind-rules.ts";
import { pathSegmentName } from "../shared/names.ts";
import { collectObjectFaults } from "../shared/object-faults.ts";
import { unsupportedField } from "../shared/unsupported-field.ts";

export const eventRules: KindRules<corev1.Event> = {
  resource: events,
  metadataOnCreate: "passed over",
  metadataOnUpdate: [],
  otherVersions: [eventsVersion],
  createsOnUpdate: true,
  // Whatever old clients call it.
  checkName: pathSegmentName,
  defaults: dropZeroTimes,
  validate: (event) => collectObjectFaults((at) => checkAnyEvent(event, at, "reportingComponent")),
  deletion: { propagation: "none" },
  selectableFields: {
    names: [
      ...referenceNames.map((name) => `involvedObject.${name}`),
      "reason",
      "reportingComponent",
      "source",
      "type",
    ],
    valuesOf({ involvedObject, reason = "", reportingComponent = "", source, type = "" }) {
      const from = source?.component || reportingComponent;
      return { ...referenceFields("involvedObject", involvedObject), reason, reportingComponent, source: from, type };
    },
    unknownText: unsupportedField,
  },
  printRow: printEvent,
};
