// CSIDriver: what the cluster should know about a driver of volumes.
import type { storagev1 } from "@kubeloop/core/api";
import { deepEqual } from "@kubeloop/core/base";
import { csiDrivers } from "@kubeloop/core/resources";
import type { KindRules } from "../kind-rules.ts";
import { checkOptionalChoice } from "../shared/checks.ts";
import { printAge } from "../shared/print-age.ts";
import { checkImmutable } from "../shared/same.ts";
import { collectFaults, type ValidationPath } from "../shared/validation-path.ts";

type Spec = storagev1.CSIDriverSpec;

const shortestPeriod = 10;
const shortestToken = 600;
const longestToken = 2 ** 32;
const tokensWarning =
  "spec.serviceAccountTokenInSecrets is unset; if supported by this CSI driver, set to true to prevent possible logging of tokens in volume attributes";

export const csiDriverRules: KindRules<storagev1.CSIDriver> = {
  resource: csiDrivers,
  needsVersionOnUpdate: true,
  deletion: { answersWithObject: true },
  defaults({ spec }) {
    spec.attachRequired ??= true;
    spec.podInfoOnMount ??= false;
    spec.storageCapacity ??= false;
    spec.fsGroupPolicy ??= "ReadWriteOnceWithFSType";
    if ((spec.volumeLifecycleModes ?? []).length === 0) spec.volumeLifecycleModes = ["Persistent"];
    spec.requiresRepublish ??= false;
    spec.seLinuxMount ??= false;
  },
  prepareCreate({ spec }) {
    delete spec.preventPodSchedulingIfMissing;
  },
  prepareUpdate({ metadata, spec }, old) {
    if (old.spec.preventPodSchedulingIfMissing === undefined) delete spec.preventPodSchedulingIfMissing;
    // It begins with none, as the create gave it, but counts changes.
    if (!deepEqual(spec, old.spec)) metadata.generation = (old.metadata.generation ?? 0) + 1;
  },
  validate: ({ spec }) => collectFaults("spec", (fldPath) => checkSpec(spec, fldPath)),
  validateUpdate: ({ spec }, old) =>
    collectFaults("spec", (fldPath) => {
      checkSpec(spec, fldPath);
      // Upstream's oddity: the field has another name.
      checkImmutable(spec.attachRequired, old.spec.attachRequired, fldPath.at("attachedRequired"));
      checkImmutable(spec.volumeLifecycleModes, old.spec.volumeLifecycleModes, fldPath.at("volumeLifecycleModes"));
    }),
  warnings({ spec }, old) {
    const { tokenRequests = [], serviceAccountTokenInSecrets } = spec;
    if (tokenRequests.length === 0 || serviceAccountTokenInSecrets !== undefined) return [];
    return old !== undefined && deepEqual(tokenRequests, old.spec.tokenRequests) ? [] : [tokensWarning];
  },
  printRow: ({ metadata, spec }, { nowMs }) => [
    metadata.name,
    spec.attachRequired ?? true,
    spec.podInfoOnMount ?? false,
    spec.storageCapacity ?? false,
    spec.tokenRequests?.map(({ audience }) => audience).join(",") ?? "<unset>",
    spec.requiresRepublish ?? false,
    (spec.volumeLifecycleModes ?? []).join(",") || "<none>",
    printAge(metadata.creationTimestamp, nowMs),
  ],
};

function checkSpec(spec: Spec, fldPath: ValidationPath): void {
  const { tokenRequests = [], serviceAccountTokenInSecrets, nodeAllocatableUpdatePeriodSeconds: period } = spec;
  const policies = ["File", "None", "ReadWriteOnceWithFSType"];
  checkOptionalChoice(spec.fsGroupPolicy, fldPath.at("fsGroupPolicy"), policies);
  checkTokens(tokenRequests, fldPath.at("tokenRequests"));
  for (const mode of spec.volumeLifecycleModes ?? []) {
    checkOptionalChoice(mode, fldPath.at("volumeLifecycleModes"), ["Persistent", "Ephemeral"]);
  }
  if (period !== undefined && period < shortestPeriod) {
    const why = `must be greater than or equal to ${shortestPeriod} seconds`;
    fldPath.at("nodeAllocatableUpdatePeriodSeconds").invalid(period, why);
  }
  if (serviceAccountTokenInSecrets !== undefined && tokenRequests.length === 0) {
    const why = "serviceAccountTokenInSecrets is set but no tokenRequests are specified";
    fldPath.at("serviceAccountTokenInSecrets").invalid(serviceAccountTokenInSecrets, why);
  }
}

function checkTokens(requests: readonly storagev1.TokenRequest[], fldPath: ValidationPath): void {
  const audiences = new Set<string>();
  for (const [i, { audience, expirationSeconds }] of requests.entries()) {
    if (audiences.has(audience)) {
      fldPath.item(i).at("audience").duplicate(audience);
      continue;
    }
    audiences.add(audience);
    if (expirationSeconds === undefined) continue;
    const secondsPath = fldPath.item(i).at("expirationSeconds");
    if (expirationSeconds < shortestToken) {
      secondsPath.invalid(expirationSeconds, "may not specify a duration less than 10 minutes");
    }
    if (expirationSeconds > longestToken) {
      secondsPath.invalid(expirationSeconds, "may not specify a duration larger than 2^32 seconds");
    }
  }
}
