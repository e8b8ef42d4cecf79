// Why a body is not an object, in the words of the server that clients know: bare, without the kind and version that a
// Status puts before them. Who decodes a body wraps it; who decodes the result of a patch says more.
import { KubeloopError } from "@kubeloop/core/base";

export class UnmarshalError extends KubeloopError {
  constructor(message: string) {
    super(message, { reason: "Decode", retry: "never" });
  }
}

/**
 * No object of a Kubernetes API is deeper; whoever walks one may recurse. Reading and printing YAML takes the most: a thousand levels are all
 * of a stack, and where that ends (in a regular expression that is just compiled, for one) the process may end with it.
 */
export const maxDepth = 500;

export function tooDeep(): UnmarshalError {
  return new UnmarshalError(`exceeded max depth of ${maxDepth}`);
}
