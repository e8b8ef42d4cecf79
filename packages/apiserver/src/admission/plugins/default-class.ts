// Which of several classes is everybody's: the newest of those whose annotation says so, of two that are as new the first by name.
import { type KubernetesObject, parseTime } from "@kubeloop/core/api";

export function defaultClassOf(
  classes: readonly KubernetesObject[],
  annotations: readonly string[],
): string | undefined {
  const marked = classes.filter(({ metadata }) => annotations.some((name) => metadata.annotations?.[name] === "true"));
  const createdMs = ({ metadata: { creationTimestamp } }: KubernetesObject) =>
    creationTimestamp === undefined ? 0 : parseTime(creationTimestamp);
  const nameOf = ({ metadata: { name = "" } }: KubernetesObject) => name;
  const [first] = marked.toSorted((a, b) => createdMs(b) - createdMs(a) || (nameOf(a) < nameOf(b) ? -1 : 1));
  return first === undefined ? undefined : nameOf(first);
}
