// Names of images: as people write them, as the runtime resolves them, and which of them cannot be pulled. Pure.
import { createHash } from "node:crypto";

/** The last part of the name, without tag and digest. */
export function imageName(image: string): string {
  return (image.split("@")[0]?.split("/").at(-1) ?? "").split(":")[0] ?? "";
}

/** As containerd resolves names: `nginx` is `docker.io/library/nginx:latest`. */
export function fullImageName(image: string): string {
  const [first = "", ...rest] = image.split("/");
  const hasRegistry = rest.length > 0 && (/[.:]/.test(first) || first === "localhost");
  const path = hasRegistry ? image : rest.length > 0 ? `docker.io/${image}` : `docker.io/library/${image}`;
  return /[:@][^/]+$/.test(path.split("/").at(-1) ?? "") ? path : `${path}:latest`;
}

/** The name with a digest: the one it has, or one that follows from the name, because there is no content. */
export function imageId(image: string): string {
  const [name = "", digest] = fullImageName(image).split("@");
  const repository = name.replace(/:[^/]*$/, "");
  return `${repository}@${digest ?? `sha256:${createHash("sha256").update(image).digest("hex")}`}`;
}

/** Images that cannot be pulled say so in their name or tag; the names are those of Kubernetes' own tests. */
export function canPull(image: string): boolean {
  return !/(?:^|[/:_.-])non-?existent(?:$|[/:@_.-])|:404(?:$|@)|^invalid\.registry/.test(image);
}

/** No image is ever stored: a round number of a usual size. */
export const imageBytes = 10_000_000;
