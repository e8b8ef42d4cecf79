// What is done in a container from outside: probes, and handlers around its life.
import { type corev1, type metav1, validatePortName, validatePortNumber } from "@kubeloop/core/api";
import { checkNonNegative, checkPresent } from "../shared/checks.ts";
import type { ValidationPath } from "../shared/validation-path.ts";

const schemes = ["HTTP", "HTTPS"];

/** The pod's grace period; undefined where it is not known. */
type GraceSeconds = number | undefined;

export function checkProbes(container: corev1.Container, fldPath: ValidationPath, grace: GraceSeconds): void {
  const { livenessProbe, readinessProbe, startupProbe } = container;
  checkProbe(livenessProbe, fldPath.at("livenessProbe"), grace);
  checkSucceedsOnce(livenessProbe, fldPath.at("livenessProbe"));
  const readinessPath = fldPath.at("readinessProbe");
  checkProbe(readinessProbe, readinessPath, grace);
  const seconds = readinessProbe?.terminationGracePeriodSeconds;
  if (seconds !== undefined) {
    const secondsPath = readinessPath.at("terminationGracePeriodSeconds");
    secondsPath.invalid(seconds, "must not be set for readinessProbes");
  }
  checkProbe(startupProbe, fldPath.at("startupProbe"), grace);
  checkSucceedsOnce(startupProbe, fldPath.at("startupProbe"));
}

function checkSucceedsOnce(probe: corev1.Probe | undefined, fldPath: ValidationPath): void {
  if (probe === undefined || probe.successThreshold === 1) return;
  fldPath.at("successThreshold").invalid(probe.successThreshold ?? 0, "must be 1");
}

const probeNumbers = [
  "initialDelaySeconds",
  "timeoutSeconds",
  "periodSeconds",
  "successThreshold",
  "failureThreshold",
] as const;

function checkProbe(probe: corev1.Probe | undefined, fldPath: ValidationPath, grace: GraceSeconds): void {
  if (probe === undefined) return;
  const { exec, httpGet, tcpSocket, grpc, terminationGracePeriodSeconds: seconds } = probe;
  checkHandler({ exec, httpGet, tcpSocket, grpc }, fldPath, grace);
  for (const field of probeNumbers) checkNonNegative(probe[field], fldPath.at(field));
  if (seconds !== undefined && seconds <= 0) {
    const secondsPath = fldPath.at("terminationGracePeriodSeconds");
    secondsPath.invalid(seconds, "must be greater than 0");
  }
}

export function checkLifecycle(
  { postStart, preStop }: corev1.Lifecycle,
  fldPath: ValidationPath,
  grace: GraceSeconds,
): void {
  if (postStart !== undefined) checkHandler(postStart, fldPath.at("postStart"), grace);
  if (preStop !== undefined) checkHandler(preStop, fldPath.at("preStop"), grace);
}

interface Handler {
  readonly exec?: corev1.ExecAction | undefined;
  readonly httpGet?: corev1.HTTPGetAction | undefined;
  readonly tcpSocket?: corev1.TCPSocketAction | undefined;
  readonly grpc?: corev1.GRPCAction | undefined;
  readonly sleep?: corev1.SleepAction | undefined;
}

const handlerTypes = ["exec", "httpGet", "tcpSocket", "grpc", "sleep"] as const;

function checkHandler(handler: Handler, fldPath: ValidationPath, grace: GraceSeconds): void {
  const [first, ...surplus] = handlerTypes.filter((type) => handler[type] !== undefined);
  if (first === undefined) {
    fldPath.required("must specify a handler type");
    return;
  }
  checkAction(handler, first, grace, fldPath.at(first));
  for (const type of surplus) {
    fldPath.at(type).forbidden("may not specify more than 1 handler type");
  }
}

function checkAction(
  { exec, httpGet, tcpSocket, grpc, sleep }: Handler,
  type: (typeof handlerTypes)[number],
  grace: GraceSeconds,
  fldPath: ValidationPath,
): void {
  const portPath = fldPath.at("port");
  switch (type) {
    case "exec":
      if ((exec?.command ?? []).length === 0) fldPath.at("command").required();
      break;
    case "httpGet":
      if (httpGet !== undefined) checkHttpGet(httpGet, fldPath);
      break;
    case "tcpSocket":
      checkPort(tcpSocket?.port ?? 0, portPath);
      break;
    case "grpc":
      checkPort(grpc?.port ?? 0, portPath);
      break;
    case "sleep":
      checkSleep(sleep?.seconds ?? 0, grace, fldPath);
  }
}

function checkHttpGet(get: corev1.HTTPGetAction, fldPath: ValidationPath): void {
  checkPresent(get.path, fldPath.at("path"));
  checkPort(get.port ?? 0, fldPath.at("port"));
  const { scheme = "" } = get;
  if (!schemes.includes(scheme)) fldPath.at("scheme").notSupported(scheme, schemes);
  for (const { name } of get.httpHeaders ?? []) {
    if (/^[-A-Za-z0-9]+$/.test(name)) continue;
    const why =
      "a valid HTTP header must consist of alphanumeric characters or '-' (e.g. 'X-Header-Name', regex used for validation is '[-A-Za-z0-9]+')";
    fldPath.at("httpHeaders").invalid(name, why);
  }
}

/** A number, or the name of a container's port. */
export function checkPort(port: metav1.IntOrString, fldPath: ValidationPath): void {
  fldPath.invalidFor(port, typeof port === "number" ? validatePortNumber(port) : validatePortName(port));
}

function checkSleep(seconds: number, grace: GraceSeconds, fldPath: ValidationPath): void {
  if (grace === undefined || (seconds >= 0 && seconds <= grace)) return;
  const why = `must be non-negative and less than terminationGracePeriodSeconds (${grace})`;
  fldPath.invalid(seconds, why);
}
