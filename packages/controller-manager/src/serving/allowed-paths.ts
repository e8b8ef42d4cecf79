// Which paths anybody may read, as upstream reads `--authorization-always-allow-paths`: the leading slash may be left out, and a path that
// ends in * stands for all that begin so.

/** Whether a path is one of these. Throws for a * that is not the last character. */
export function newAllowedPaths(allowed: readonly string[]): (path: string) => boolean {
  const paths = new Set<string>();
  const prefixes: string[] = [];
  for (const each of allowed.map(withoutSlash)) {
    if (each.slice(0, -1).includes("*")) throw new Error(`only trailing * allowed in ${JSON.stringify(each)}`);
    if (each.endsWith("*")) prefixes.push(each.slice(0, -1));
    else paths.add(each);
  }
  return (path) => {
    const asked = withoutSlash(path);
    return paths.has(asked) || prefixes.some((prefix) => asked.startsWith(prefix));
  };
}

const withoutSlash = (path: string) => (path.startsWith("/") ? path.slice(1) : path);
