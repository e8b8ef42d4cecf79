// Where a container sees volumes: mounted as folders, or as raw devices. No volume is both.
import type { corev1 } from "@kubeloop/core/api";
import { checkPresent, isAbsent } from "../shared/checks.ts";
import type { FaultPlace } from "../shared/fault-place.ts";
import type { KnownVolumes } from "./check-volumes.ts";
import { checkDescendingPath } from "./file-paths.ts";

const propagations = ["Bidirectional", "HostToContainer", "None"];
const recursions = ["Disabled", "Enabled", "IfPossible"];

export function checkMounts(container: corev1.Container, place: FaultPlace, volumes: KnownVolumes): void {
  // By name, so that of devices with the same name the last one counts.
  const devices = new Map((container.volumeDevices ?? []).map(({ name, devicePath }) => [name, devicePath]));
  const devicePaths = new Set(devices.values());
  const taken = new Set<string>();
  for (const [i, mount] of (container.volumeMounts ?? []).entries()) {
    const mountPlace = place.item(i);
    const { name = "", mountPath = "" } = mount;
    const namePlace = mountPlace.at("name");
    const pathPlace = mountPlace.at("mountPath");
    checkPresent(name, namePlace);
    if (!volumes.has(name)) namePlace.notFound(name);
    checkPresent(mountPath, pathPlace);
    if (taken.has(mountPath)) pathPlace.invalid(mountPath, "must be unique");
    taken.add(mountPath);
    if (devices.has(name)) {
      namePlace.invalid(name, "must not already exist in volumeDevices");
    }
    if (devicePaths.has(mountPath)) {
      pathPlace.invalid(mountPath, "must not already exist as a path in volumeDevices");
    }
    checkSubPaths(mount, { mountPlace, listPlace: place });
    checkPropagation(mount, place.at("mountPropagation"), container);
    checkRecursiveReadOnly(mount, place.at("recursiveReadOnly"));
  }
}

/** Some faults are told at the list, not at the mount. */
function checkSubPaths(
  { subPath, subPathExpr }: corev1.VolumeMount,
  { mountPlace, listPlace }: { readonly mountPlace: FaultPlace; readonly listPlace: FaultPlace },
): void {
  if (!isAbsent(subPath)) checkDescendingPath(subPath, listPlace.at("subPath"));
  if (isAbsent(subPathExpr)) return;
  if (!isAbsent(subPath)) {
    const why = "subPathExpr and subPath are mutually exclusive";
    mountPlace.at("subPathExpr").invalid(subPathExpr, why);
  }
  checkDescendingPath(subPathExpr, listPlace.at("subPathExpr"));
}

function checkPropagation(
  { mountPropagation }: corev1.VolumeMount,
  place: FaultPlace,
  { securityContext }: corev1.Container,
): void {
  if (mountPropagation === undefined) return;
  if (!propagations.includes(mountPropagation)) {
    place.notSupported(mountPropagation, propagations);
  }
  if (mountPropagation === "Bidirectional" && securityContext?.privileged !== true) {
    const why = "Bidirectional mount propagation is available only to privileged containers";
    place.forbidden(why);
  }
}

function checkRecursiveReadOnly(mount: corev1.VolumeMount, place: FaultPlace): void {
  const { recursiveReadOnly, readOnly, mountPropagation } = mount;
  if (recursiveReadOnly === undefined || recursiveReadOnly === "Disabled") return;
  if (!recursions.includes(recursiveReadOnly)) {
    place.notSupported(recursiveReadOnly, recursions);
    return;
  }
  if (readOnly !== true) place.forbidden("may only be specified when readOnly is true");
  if (mountPropagation !== undefined && mountPropagation !== "None") {
    place.forbidden("may only be specified when mountPropagation is None or not specified");
  }
}

export function checkDevices(container: corev1.Container, place: FaultPlace, volumes: KnownVolumes): void {
  const mounts = new Map((container.volumeMounts ?? []).map(({ name, mountPath }) => [name, mountPath]));
  const mountPaths = new Set(mounts.values());
  const names = new Set<string>();
  const paths = new Set<string>();
  for (const [i, { name = "", devicePath = "" }] of (container.volumeDevices ?? []).entries()) {
    const namePlace = place.item(i).at("name");
    const pathPlace = place.item(i).at("devicePath");
    const volume = volumes.get(name);
    checkPresent(name, namePlace);
    if (names.has(name)) namePlace.invalid(name, "must be unique");
    if (volume !== undefined && volume.persistentVolumeClaim === undefined && volume.ephemeral === undefined) {
      const why = "can only use volume source type of PersistentVolumeClaim or Ephemeral for block mode";
      namePlace.invalid(name, why);
    }
    if (volume === undefined) namePlace.notFound(name);
    checkPresent(devicePath, pathPlace);
    if (paths.has(devicePath)) pathPlace.invalid(devicePath, "must be unique");
    const goesUp = devicePath.split("/").includes("..");
    if (goesUp) pathPlace.invalid(devicePath, "can not contain backsteps ('..')");
    else paths.add(devicePath);
    if (mounts.has(name)) {
      namePlace.invalid(name, "must not already exist in volumeMounts");
    }
    if (mountPaths.has(devicePath)) {
      pathPlace.invalid(devicePath, "must not already exist as a path in volumeMounts");
    }
    if (name !== "") names.add(name);
  }
}
