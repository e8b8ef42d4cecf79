// A probe in one line: what is asked, and how often.
import type { corev1 } from "@kubeloop/core/api";

export function printProbe(probe: corev1.Probe): string {
  const { initialDelaySeconds = 0, timeoutSeconds = 0, periodSeconds = 0 } = probe;
  const times = `delay=${initialDelaySeconds}s timeout=${timeoutSeconds}s period=${periodSeconds}s`;
  const counts = `#success=${probe.successThreshold ?? 0} #failure=${probe.failureThreshold ?? 0}`;
  return `${printAction(probe)} ${times} ${counts}`;
}

function printAction({ exec, httpGet, tcpSocket, grpc }: corev1.Probe): string {
  if (exec !== undefined) return `exec [${(exec.command ?? []).join(" ")}]`;
  if (httpGet !== undefined) return `http-get ${printUrl(httpGet)}`;
  if (tcpSocket !== undefined) return `tcp-socket ${tcpSocket.host ?? ""}:${tcpSocket.port}`;
  return grpc === undefined ? "unknown" : `grpc <pod>:${grpc.port} ${grpc.service ?? ""}`;
}

function printUrl({ scheme = "", host = "", port, path = "" }: corev1.HTTPGetAction): string {
  const shown = host.includes(":") ? `[${host}]` : host;
  const protocol = scheme === "" ? "" : `${scheme.toLowerCase()}:`;
  return `${protocol}//${shown}:${port}${path === "" || path.startsWith("/") ? "" : "/"}${escapePath(path)}`;
}

/** As Go writes the path of a URL: what may be in a path stays, the bytes of all else are in hexadecimal. */
function escapePath(path: string): string {
  return path.replaceAll(/[^A-Za-z0-9\-_.~$&+,/:;=@]+/g, (text) =>
    [...Buffer.from(text)].map((byte) => `%${byte.toString(16).toUpperCase().padStart(2, "0")}`).join(""),
  );
}
