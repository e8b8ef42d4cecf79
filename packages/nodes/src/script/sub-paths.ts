// The paths inside volumes that a container mounts. One that names variables (`subPathExpr`) is known only when the container starts; what cannot be one
// keeps it from starting, in the kubelet's words. Pure.
import type { AnyContainer, Environment } from "./environment.ts";

/** Undefined if all paths are right. */
export function findSubPathFault({ volumeMounts = [] }: AnyContainer, env: Environment): string | undefined {
  for (const { subPath = "", subPathExpr = "" } of volumeMounts) {
    const expanded = subPathExpr === "" ? { path: subPath } : expand(subPathExpr, env);
    if ("fault" in expanded) return expanded.fault;
    const { path } = expanded;
    if (path.startsWith("/")) return `error SubPath \`${path}\` must not be an absolute path`;
    if (path.split("/").includes("..")) return `unable to provision SubPath \`${path}\`: must not contain '..'`;
  }
  return undefined;
}

/** Unlike in commands, a variable that is missing or empty is a fault. */
function expand(text: string, env: Environment): { readonly path: string } | { readonly fault: string } {
  const missing = new Set<string>();
  const path = text.replace(/\$\$|\$\(([^)]*)\)/g, (_found, name: string | undefined) => {
    if (name === undefined) return "$";
    const value = env[name] ?? "";
    if (value === "") missing.add(name);
    return value;
  });
  return missing.size === 0 ? { path } : { fault: `missing value for ${[...missing].sort().join(", ")}` };
}
