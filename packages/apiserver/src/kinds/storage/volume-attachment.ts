// VolumeAttachment: a volume that is to be at a node, and whether it is.
import { type storagev1, validateDns1123Subdomain } from "@kubeloop/core/api";
import { volumeAttachments } from "@kubeloop/core/resources";
import { checkInlineVolume } from "../core/volumes/check-inline-volume.ts";
import type { KindRules } from "../kind-rules.ts";
import { isAbsent } from "../shared/checks.ts";
import { checkDriverName } from "../shared/driver-names.ts";
import { collectObjectFaults, type ObjectPaths } from "../shared/object-faults.ts";
import { printAge } from "../shared/print-age.ts";
import { isSame } from "../shared/same.ts";
import { keepAllButStatus, keepMetadata } from "../shared/status-metadata.ts";
import type { ValidationPath } from "../shared/validation-path.ts";

type VolumeAttachment = storagev1.VolumeAttachment;
type Spec = storagev1.VolumeAttachmentSpec;

const longestMessage = 1024;
const largestMetadata = 256 * 1024;

export const volumeAttachmentRules: KindRules<VolumeAttachment> = {
  resource: volumeAttachments,
  metadataOnUpdate: ["whole"],
  untouched: { status: [["spec"], ["metadata"]] },
  needsVersionOnUpdate: true,
  deletion: { answersWithObject: true },
  prepareCreate(draft) {
    draft.status = { attached: false };
  },
  validate: (object) => collectObjectFaults((at) => checkAttachment(object, at)),
  validateUpdate: checkChange,
  subresources: {
    status: {
      metadataOnUpdate: ["whole"],
      prepareUpdate(draft, old) {
        keepAllButStatus(draft, old);
        keepMetadata(draft.metadata, old.metadata);
      },
      validateUpdate: checkChange,
    },
  },
  printRow: ({ metadata, spec, status }, { nowMs }) => [
    metadata.name,
    spec.attacher,
    spec.source.persistentVolumeName ?? "",
    spec.nodeName,
    status?.attached ?? false,
    printAge(metadata.creationTimestamp, nowMs),
  ],
};

function checkChange(object: VolumeAttachment, old: VolumeAttachment) {
  return collectObjectFaults((at) => {
    checkAttachment(object, at);
    if (!isSame(object.spec, old.spec, "io.k8s.api.storage.v1.VolumeAttachmentSpec")) {
      at("spec").invalid(internalSpec(object.spec), "field is immutable");
    }
  });
}

function checkAttachment({ spec, status }: VolumeAttachment, at: ObjectPaths): void {
  const fldPath = at("spec");
  const { persistentVolumeName: name } = spec.source;
  checkDriverName(spec.attacher, fldPath.at("attacher"));
  checkSource(spec.source, fldPath.at("source"));
  fldPath.at("nodeName").invalidFor(spec.nodeName, validateDns1123Subdomain(spec.nodeName));
  checkStatus(status, at("status"));
  // Upstream's oddity: all of it is one name.
  if (name !== undefined) at("spec.source.persistentVolumeName").invalidFor(name, validateDns1123Subdomain(name));
}

function checkSource(
  { inlineVolumeSpec, persistentVolumeName }: storagev1.VolumeAttachmentSource,
  fldPath: ValidationPath,
) {
  const both = "must specify exactly one of inlineVolumeSpec and persistentVolumeName";
  if (inlineVolumeSpec === undefined && persistentVolumeName === undefined) fldPath.required(both);
  else if (inlineVolumeSpec !== undefined && persistentVolumeName !== undefined) fldPath.forbidden(both);
  else if (persistentVolumeName === "") {
    fldPath.at("persistentVolumeName").required("must specify non empty persistentVolumeName");
  } else if (inlineVolumeSpec !== undefined) {
    checkInlineVolume(inlineVolumeSpec, fldPath.at("inlineVolumeSpec"));
  }
}

function checkStatus(status: storagev1.VolumeAttachmentStatus | undefined, fldPath: ValidationPath): void {
  const { attachmentMetadata = {}, attachError, detachError } = status ?? {};
  let size = 0;
  for (const [name, value] of Object.entries(attachmentMetadata)) {
    size += Buffer.byteLength(name) + Buffer.byteLength(value);
  }
  if (size > largestMetadata) fldPath.at("attachmentMetadata").tooLong(largestMetadata);
  checkError(attachError, fldPath.at("attachError"));
  checkError(detachError, fldPath.at("detachError"));
}

function checkError(error: storagev1.VolumeError | undefined, fldPath: ValidationPath): void {
  if (error === undefined) return;
  const { message, errorCode } = error;
  // Upstream tells another limit than the one it holds to.
  if (!isAbsent(message) && Buffer.byteLength(message) > longestMessage) fldPath.at("message").tooLong(largestMetadata);
  if (errorCode !== undefined && errorCode < 0) {
    fldPath.at("errorCode").invalid(errorCode, "must be between 0 and 2147483647, inclusive");
  }
}

function internalSpec({ attacher, source, nodeName }: Spec): unknown {
  return {
    Attacher: attacher,
    Source: {
      PersistentVolumeName: source.persistentVolumeName ?? null,
      InlineVolumeSpec: source.inlineVolumeSpec ?? null,
    },
    NodeName: nodeName,
  };
}
