// Several credentials used together: a client certificate for the connection and a token for the request.
import type { Credential, Credentials } from "./credentials.ts";

/** Sends the headers of all, and uses the first certificate. */
export function combinedCredentials(parts: readonly Credentials[]): Credentials {
  // Each part gets only the rejection of its own credential.
  const partsOf = new WeakMap<Credential, readonly Credential[]>();
  return {
    async current(signal) {
      const shown = await Promise.all(parts.map((part) => part.current(signal)));
      const combined = combine(shown);
      partsOf.set(combined, shown);
      return combined;
    },
    async rejected(combined, signal) {
      const shown = partsOf.get(combined) ?? [];
      const answers = await Promise.all(shown.map((part, index) => parts[index]?.rejected(part, signal)));
      return answers.includes(true);
    },
  };
}

function combine(shown: readonly Credential[]): Credential {
  const certificate = shown.find((part) => part.certificate !== undefined)?.certificate;
  const headers = Object.assign({}, ...shown.map((part) => part.headers)) as Credential["headers"];
  return { headers, ...(certificate === undefined ? {} : { certificate }) };
}
