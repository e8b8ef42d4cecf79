// A random uuid, of version 4, from the chance that the process was given: for identities, which must differ and need not be secret.
import { type Random, randomBelow } from "@kubeloop/core/base";

export function newUuid(random: Random): string {
  return "xxxxxxxx-xxxx-4xxx-yxxx-xxxxxxxxxxxx".replace(/[xy]/g, (digit) =>
    (digit === "x" ? randomBelow(random, 16) : 8 + randomBelow(random, 4)).toString(16),
  );
}
