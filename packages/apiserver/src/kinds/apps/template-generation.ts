// How often a DaemonSet's template changed, in an annotation: in the version that is not shown it is a number, which is never absent. So
// an annotation that is no number makes the whole object unreadable.
import { newBadRequest, quote } from "@kubeloop/core/api";
import type { Draft } from "../kind-rules.ts";

const annotation = "deprecated.daemonset.template.generation";

interface Annotated {
  readonly metadata: { readonly annotations?: Readonly<Record<string, string>> };
}

/** Throws 400, in the words of who reads it. */
export function templateGeneration({ metadata: { annotations } }: Annotated): bigint {
  const text = annotations?.[annotation];
  if (text === undefined) return 0n;
  if (!/^[+-]?\d+$/.test(text)) throw unreadable(text, "invalid syntax");
  const digits = text.replace(/^[+-]?0*/, "");
  // Of more digits than fit, their number says enough.
  const generation = digits.length > 19 ? undefined : BigInt(`${text.startsWith("-") ? "-" : ""}${digits || "0"}`);
  if (generation === undefined || BigInt.asIntN(64, generation) !== generation) {
    throw unreadable(text, "value out of range");
  }
  return generation;
}

export function setTemplateGeneration({ metadata }: Draft<Annotated>, generation: bigint): void {
  metadata.annotations = { ...metadata.annotations, [annotation]: String(generation) };
}

function unreadable(text: string, why: string): Error {
  const fault = `strconv.ParseInt: parsing ${quote(text)}: ${why}`;
  return newBadRequest(`DaemonSet in version "v1" cannot be handled as a DaemonSet: ${fault}`);
}
