// The tag an image's name asks for, by the grammar container registries share. What is no such name has no tag.

const digit = "[a-zA-Z0-9]";
const hostPart = `${digit}(?:[a-zA-Z0-9-]*${digit})?`;
const host = `(?:${hostPart}(?:\\.${hostPart})*|\\[(?:[a-fA-F0-9:]+)\\])(?::[0-9]+)?`;
const pathPart = "[a-z0-9]+(?:(?:[._]|__|-+)[a-z0-9]+)*";
const nameShape = `${host}(?:/${pathPart})+`;
const reference = new RegExp(
  `^(${nameShape})(?::([\\w][\\w.-]{0,127}))?(?:@([A-Za-z][A-Za-z0-9]*(?:[-_+.][A-Za-z][A-Za-z0-9]*)*):([0-9a-fA-F]{32,}))?$`,
);
const digestLengths = new Map([
  ["sha256", 64],
  ["sha384", 96],
  ["sha512", 128],
]);
/** Without the host. */
const longestPath = 255;

/** "latest" where neither a tag nor a digest is given; empty for a digest alone, and for what is no image's name. */
export function imageTag(image: string): string {
  if (/^[a-f0-9]{64}$/.test(image)) return "";
  const [, name = "", tag = "", algorithm, digest = ""] = reference.exec(withHost(image)) ?? [];
  if (name === "" || name.length - name.indexOf("/") - 1 > longestPath) return "";
  if (algorithm === undefined) return tag || "latest";
  // A digest is written in small letters only, and in as many as its algorithm makes.
  return digestLengths.get(algorithm) === digest.length && digest === digest.toLowerCase() ? tag : "";
}

/** What has no host is Docker Hub's: "nginx" is "docker.io/library/nginx". */
function withHost(image: string): string {
  const slash = image.indexOf("/");
  const first = image.slice(0, slash);
  const isHost = slash >= 0 && (/[.:]/.test(first) || first === "localhost" || first.toLowerCase() !== first);
  if (isHost) return image;
  return slash < 0 ? `docker.io/library/${image}` : `docker.io/${image}`;
}
