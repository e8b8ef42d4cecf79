// APIService: who serves a version of a group. Its name is that version and group.
import {
  type apiregistrationv1,
  printTime,
  quote,
  validateDns1035Label,
  validateDns1123Subdomain,
  validatePathSegmentName,
  validatePortNumber,
} from "@kubeloop/core/api";
import { apiServices } from "@kubeloop/core/resources";
import type { KindRules } from "../kind-rules.ts";
import { binarySize } from "../shared/binary-size.ts";
import { isAbsent } from "../shared/checks.ts";
import { collectObjectFaults, type ObjectPaths } from "../shared/object-faults.ts";
import { printAge } from "../shared/print-age.ts";
import { keepAllButStatus, keepDescription } from "../shared/status-metadata.ts";
import type { ValidationPath } from "../shared/validation-path.ts";

type APIService = apiregistrationv1.APIService;
type Spec = apiregistrationv1.APIServiceSpec;

export const apiServiceRules: KindRules<APIService> = {
  resource: apiServices,
  finalizerNames: "any",
  metadataOnUpdate: ["changes", "whole"],
  untouched: { status: [["spec"], ["metadata"]] },
  checkName(name, _asPrefix, { spec }) {
    const faults = validatePathSegmentName(name);
    const expected = `${spec.version ?? ""}.${spec.group ?? ""}`;
    if (faults.length > 0 || name === expected) return faults;
    return [`must be \`spec.version+"."+spec.group\`: ${quote(expected)}`];
  },
  needsVersionOnUpdate: true,
  defaults({ spec }) {
    if (spec.service !== undefined) spec.service.port ??= 443;
  },
  prepareCreate(draft, { nowMs }) {
    if (draft.spec.service !== undefined) return;
    // What the server serves itself is there.
    draft.status = {
      conditions: [
        {
          type: "Available",
          status: "True",
          lastTransitionTime: printTime(nowMs),
          reason: "Local",
          message: "Local APIServices are always available",
        },
      ],
    };
  },
  validate: (object) => collectObjectFaults((at) => checkService(object, at)),
  subresources: {
    status: {
      prepareUpdate(draft, old) {
        keepAllButStatus(draft, old);
        keepDescription(draft.metadata, old.metadata);
      },
      validateUpdate: ({ status }) =>
        collectObjectFaults((at) => {
          for (const [i, condition] of (status?.conditions ?? []).entries()) {
            const statuses = ["True", "False", "Unknown"];
            const fldPath = at("status").at("conditions").item(i).at("status");
            if (!statuses.includes(condition.status)) fldPath.notSupported(condition.status, statuses);
          }
        }),
    },
  },
  printRow: ({ metadata, spec, status }, { nowMs }) => [
    metadata.name,
    spec.service === undefined ? "Local" : `${spec.service.namespace ?? ""}/${spec.service.name ?? ""}`,
    printAvailable(status),
    printAge(metadata.creationTimestamp, nowMs),
  ],
};

function printAvailable(status: apiregistrationv1.APIServiceStatus | undefined): string {
  const condition = status?.conditions?.find(({ type }) => type === "Available");
  if (condition === undefined) return "Unknown";
  if (condition.status === "True" || isAbsent(condition.reason)) return condition.status;
  return `${condition.status} (${condition.reason})`;
}

function checkService({ spec }: APIService, at: ObjectPaths): void {
  const { group = "", version = "" } = spec;
  const fldPath = at("spec");
  if (group === "" && version !== "v1") {
    fldPath.at("group").required("only v1 may have an empty group and it better be legacy kube");
  }
  if (group !== "") fldPath.at("group").invalidFor(group, validateDns1123Subdomain(group));
  fldPath.at("version").invalidFor(version, validateDns1035Label(version));
  checkPriority(spec.groupPriorityMinimum, fldPath.at("groupPriorityMinimum"), 20_000);
  checkPriority(spec.versionPriority, fldPath.at("versionPriority"), 1000);
  if (spec.service === undefined) checkLocal(spec, fldPath);
  else checkRemote(spec, spec.service, fldPath);
}

function checkPriority(priority: number, fldPath: ValidationPath, highest: number): void {
  if (priority <= 0 || priority > highest) fldPath.invalid(priority, `must be positive and less than ${highest}`);
}

function checkLocal({ caBundle = "", insecureSkipTLSVerify = false }: Spec, fldPath: ValidationPath): void {
  if (caBundle !== "") {
    fldPath.at("caBundle").invalid(`${binarySize(caBundle)} bytes`, "local APIServices may not have a caBundle");
  }
  if (insecureSkipTLSVerify) {
    fldPath.at("insecureSkipTLSVerify").invalid(true, "local APIServices may not have insecureSkipTLSVerify");
  }
}

function checkRemote(
  { caBundle = "", insecureSkipTLSVerify = false }: Spec,
  { namespace, name, port = 0 }: apiregistrationv1.ServiceReference,
  fldPath: ValidationPath,
): void {
  const servicePath = fldPath.at("service");
  if (isAbsent(namespace)) servicePath.at("namespace").required();
  if (isAbsent(name)) servicePath.at("name").required();
  const reasons = validatePortNumber(port);
  if (reasons.length > 0) servicePath.at("port").invalid(port, `port is not valid: ${reasons.join(", ")}`);
  if (insecureSkipTLSVerify && caBundle !== "") {
    fldPath.at("insecureSkipTLSVerify").invalid(true, "may not be true if caBundle is present");
  }
}
