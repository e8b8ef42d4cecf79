// When an object that a finalizer protects from deletion is to be looked at: a live one that lacks the finalizer, and a deleted one that has it.
import { hasFinalizer, type KubernetesObject } from "@kubeloop/core/api";
import type { Change } from "@kubeloop/core/contract";
import { isBeingDeleted } from "./claim.ts";

/** It is not being deleted, and nothing protects it yet. The API server's admission adds the finalizer; an older object may lack it. */
export const lacksProtection = (object: KubernetesObject, finalizer: string) =>
  !isBeingDeleted(object) && !hasFinalizer(object, finalizer);

/** It is being deleted, and waits for the finalizer to be removed. */
export const waitsForRelease = (object: KubernetesObject, finalizer: string) =>
  isBeingDeleted(object) && hasFinalizer(object, finalizer);

/** Whether a change leaves an object that has to be looked at. One that is gone needs nothing any more. */
export const needsProtectionWork = ({ type, object }: Change, finalizer: string) =>
  type !== "delete" && (lacksProtection(object, finalizer) || waitsForRelease(object, finalizer));
