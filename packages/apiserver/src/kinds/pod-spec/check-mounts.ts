// Where a container sees volumes: mounted as folders, or as raw devices. No volume is both.
import type { corev1 } from "@kubeloop/core/api";
import { checkPresent, isAbsent } from "../shared/checks.ts";
import type { ValidationPath } from "../shared/validation-path.ts";
import type { KnownVolumes } from "./check-volumes.ts";
import { checkDescendingPath } from "./file-paths.ts";

const propagations = ["Bidirectional", "HostToContainer", "None"];
const recursions = ["Disabled", "Enabled", "IfPossible"];

export function checkMounts(container: corev1.Container, fldPath: ValidationPath, volumes: KnownVolumes): void {
  // By name, so that of devices with the same name the last one counts.
  const devices = new Map((container.volumeDevices ?? []).map(({ name, devicePath }) => [name, devicePath]));
  const devicePaths = new Set(devices.values());
  const taken = new Set<string>();
  for (const [i, mount] of (container.volumeMounts ?? []).entries()) {
    const mountFldPath = fldPath.item(i);
    const { name = "", mountPath = "" } = mount;
    const namePath = mountFldPath.at("name");
    const pathPath = mountFldPath.at("mountPath");
    checkPresent(name, namePath);
    if (!volumes.has(name)) namePath.notFound(name);
    checkPresent(mountPath, pathPath);
    if (taken.has(mountPath)) pathPath.invalid(mountPath, "must be unique");
    taken.add(mountPath);
    if (devices.has(name)) {
      namePath.invalid(name, "must not already exist in volumeDevices");
    }
    if (devicePaths.has(mountPath)) {
      pathPath.invalid(mountPath, "must not already exist as a path in volumeDevices");
    }
    checkSubPaths(mount, { mountFldPath, listPath: fldPath });
    checkPropagation(mount, fldPath.at("mountPropagation"), container);
    checkRecursiveReadOnly(mount, fldPath.at("recursiveReadOnly"));
  }
}

/** Some faults are reported at the list, not at the mount. */
function checkSubPaths(
  { subPath, subPathExpr }: corev1.VolumeMount,
  { mountFldPath, listPath }: { readonly mountFldPath: ValidationPath; readonly listPath: ValidationPath },
): void {
  if (!isAbsent(subPath)) checkDescendingPath(subPath, listPath.at("subPath"));
  if (isAbsent(subPathExpr)) return;
  if (!isAbsent(subPath)) {
    const why = "subPathExpr and subPath are mutually exclusive";
    mountFldPath.at("subPathExpr").invalid(subPathExpr, why);
  }
  checkDescendingPath(subPathExpr, listPath.at("subPathExpr"));
}

function checkPropagation(
  { mountPropagation }: corev1.VolumeMount,
  fldPath: ValidationPath,
  { securityContext }: corev1.Container,
): void {
  if (mountPropagation === undefined) return;
  if (!propagations.includes(mountPropagation)) {
    fldPath.notSupported(mountPropagation, propagations);
  }
  if (mountPropagation === "Bidirectional" && securityContext?.privileged !== true) {
    const why = "Bidirectional mount propagation is available only to privileged containers";
    fldPath.forbidden(why);
  }
}

function checkRecursiveReadOnly(mount: corev1.VolumeMount, fldPath: ValidationPath): void {
  const { recursiveReadOnly, readOnly, mountPropagation } = mount;
  if (recursiveReadOnly === undefined || recursiveReadOnly === "Disabled") return;
  if (!recursions.includes(recursiveReadOnly)) {
    fldPath.notSupported(recursiveReadOnly, recursions);
    return;
  }
  if (readOnly !== true) fldPath.forbidden("may only be specified when readOnly is true");
  if (mountPropagation !== undefined && mountPropagation !== "None") {
    fldPath.forbidden("may only be specified when mountPropagation is None or not specified");
  }
}

export function checkDevices(container: corev1.Container, fldPath: ValidationPath, volumes: KnownVolumes): void {
  const mounts = new Map((container.volumeMounts ?? []).map(({ name, mountPath }) => [name, mountPath]));
  const mountPaths = new Set(mounts.values());
  const names = new Set<string>();
  const paths = new Set<string>();
  for (const [i, { name = "", devicePath = "" }] of (container.volumeDevices ?? []).entries()) {
    const namePath = fldPath.item(i).at("name");
    const pathPath = fldPath.item(i).at("devicePath");
    const volume = volumes.get(name);
    checkPresent(name, namePath);
    if (names.has(name)) namePath.invalid(name, "must be unique");
    if (volume !== undefined && volume.persistentVolumeClaim === undefined && volume.ephemeral === undefined) {
      const why = "can only use volume source type of PersistentVolumeClaim or Ephemeral for block mode";
      namePath.invalid(name, why);
    }
    if (volume === undefined) namePath.notFound(name);
    checkPresent(devicePath, pathPath);
    if (paths.has(devicePath)) pathPath.invalid(devicePath, "must be unique");
    const goesUp = devicePath.split("/").includes("..");
    if (goesUp) pathPath.invalid(devicePath, "can not contain backsteps ('..')");
    else paths.add(devicePath);
    if (mounts.has(name)) {
      namePath.invalid(name, "must not already exist in volumeMounts");
    }
    if (mountPaths.has(devicePath)) {
      pathPath.invalid(devicePath, "must not already exist as a path in volumeMounts");
    }
    if (name !== "") names.add(name);
  }
}
