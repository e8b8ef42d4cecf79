// Owners that were looked for and not found, or whose deletion was seen. A uid never comes back, so what is absent stays so; the cache is
// bounded because uids are not. The least recently noted one is dropped first: it is only looked for again then.
import { type Identity, identityId } from "./identity.ts";

/** Upstream's size. */
const mostAbsent = 500;

export class AbsentOwners {
  readonly #ids = new Set<string>();
  readonly #most: number;

  constructor(most = mostAbsent) {
    this.#most = most;
  }

  has(identity: Identity): boolean {
    return this.#ids.has(identityId(identity));
  }

  /** Also where it is known already: then it is used, and kept longer. */
  note(identity: Identity): void {
    const id = identityId(identity);
    this.#ids.delete(id);
    this.#ids.add(id);
    if (this.#ids.size <= this.#most) return;
    for (const oldest of this.#ids) {
      this.#ids.delete(oldest);
      return;
    }
  }
}
