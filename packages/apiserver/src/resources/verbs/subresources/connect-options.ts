// The options of a connection (exec, attach, port-forward, proxy), read from the query as the kind they have: what admission sees as the object.
import { type KubernetesObject, newBadRequest, type Query, quote, type ResourceRequestInfo } from "@kubeloop/core/api";
import type { Draft } from "../../../kinds/kind-rules.ts";
import { optionsObject } from "../../registry/admission-attributes.ts";

type ReadField = (values: readonly string[]) => unknown;

const flag: ReadField = ([first = ""]) => first !== "0" && first.toLowerCase() !== "false";
const text: ReadField = ([first = ""]) => first;
const texts: ReadField = (values) => values;
const ports: ReadField = (values) => values.flatMap((value) => value.split(",")).map(readPort);

const streams = { stdin: flag, stdout: flag, stderr: flag, tty: flag, container: text };
const path = { path: text };

interface ConnectKind {
  readonly kind: string;
  readonly fields: Readonly<Record<string, ReadField>>;
}

/** By "resource/subresource". Logs are read, not connected to. */
const connectKinds: Readonly<Record<string, ConnectKind>> = {
  "pods/exec": { kind: "PodExecOptions", fields: { ...streams, command: texts } },
  "pods/attach": { kind: "PodAttachOptions", fields: streams },
  "pods/portforward": { kind: "PodPortForwardOptions", fields: { ports } },
  "pods/proxy": { kind: "PodProxyOptions", fields: path },
  "nodes/proxy": { kind: "NodeProxyOptions", fields: path },
  "services/proxy": { kind: "ServiceProxyOptions", fields: path },
};

/** Undefined for what is no connection. Throws 400. */
export function connectOptionsOf(query: Query, info: ResourceRequestInfo): Draft<KubernetesObject> | undefined {
  const connect = connectKinds[`${info.resource}/${info.subresource}`];
  if (connect === undefined) return undefined;
  if (query.some(([name]) => name === "dryRun")) throw newBadRequest("dryRun is not supported");
  const asked = info.subresource === "proxy" ? [["path", proxiedPath(info)] as const] : query;
  const fields: Record<string, unknown> = {};
  for (const [name, read] of Object.entries(connect.fields)) {
    const values = asked.filter((pair) => pair[0] === name).map(([, value]) => value);
    if (values.length > 0) fields[name] = read(values);
  }
  return optionsObject({ group: "", version: "v1", kind: connect.kind }, fields);
}

/** What comes after the subresource, with the slash it ends with. */
function proxiedPath({ parts, path: whole }: ResourceRequestInfo): string {
  const rest = parts.slice(3).join("/");
  const begun = rest === "" || rest.startsWith("/") ? rest : `/${rest}`;
  return whole.endsWith("/") && !begun.endsWith("/") ? `${begun}/` : begun;
}

function readPort(port: string): number {
  const refused = (why: string) =>
    newBadRequest(`cannot convert to []int32: strconv.ParseUint: parsing ${quote(port)}: ${why}`);
  if (!/^\d+$/.test(port)) throw refused("invalid syntax");
  if (Number(port) > 0xffff) throw refused("value out of range");
  return Number(port);
}
