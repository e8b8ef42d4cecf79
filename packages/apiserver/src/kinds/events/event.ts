// Event under events.k8s.io/v1: the same objects as the core group's, in other words, and with stricter checks.
import type { corev1, eventsv1 } from "@kubeloop/core/api";
import { eventsEvents } from "@kubeloop/core/resources";
import type { Draft, ServedVersion } from "../kind-rules.ts";
import { subdomainName } from "../shared/names.ts";
import { collectObjectFaults } from "../shared/object-faults.ts";
import { unsupportedField } from "../shared/unsupported-field.ts";
import { checkAnyEvent, checkChangedEvent, checkNewEvent } from "./check-event.ts";
import { fromCoreEvent, toCoreEvent } from "./event-conversion.ts";
import { referenceFields, referenceNames } from "./reference-fields.ts";

export const eventsVersion: ServedVersion<corev1.Event> = {
  resource: eventsEvents,
  fromStored: fromCoreEvent,
  toStored: (draft) => toCoreEvent(draft as Draft<eventsv1.Event>),
  metadata: { checkName: subdomainName, metadataOnCreate: "looked at", metadataOnUpdate: ["changes"] },
  validateFirst: (event) => collectObjectFaults((at) => checkAnyEvent(event, at, "reportingController")),
  validate: (event) => collectObjectFaults((at) => checkNewEvent(event, at)),
  validateUpdate: (event, old) => collectObjectFaults((at) => checkChangedEvent(event, old, at)),
  selectableFields: {
    names: [...referenceNames.map((name) => `regarding.${name}`), "reason", "reportingController", "type"],
    valuesOf(object) {
      const { regarding = {}, reason = "", reportingController = "", type = "" } = object as eventsv1.Event;
      return { ...referenceFields("regarding", regarding), reason, reportingController, type };
    },
    unknownText: unsupportedField,
  },
};
