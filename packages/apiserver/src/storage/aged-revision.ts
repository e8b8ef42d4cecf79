// Which revision the storage was at some time ago, to a second. Older states are not listed any more, as after a compaction of etcd: in a
// collection in which nothing happens, too, whose watchers nevertheless go on where they were.

interface Mark {
  /** When the last of the revisions up to this one was written. */
  atMs: number;
  revision: number;
}

const markEveryMs = 1000;

export class AgedRevision {
  readonly #ageMs: number;
  /** Oldest first, one for each second in which something was written; the first may be older than the age. */
  #marks: Mark[] = [];
  /** When the last mark was made. */
  #beganMs = Number.NEGATIVE_INFINITY;

  constructor(ageMs: number) {
    this.#ageMs = ageMs;
  }

  note(revision: number, nowMs: number): void {
    const last = this.#marks.at(-1);
    // A mark is moved on for a second at most, so that a revision is not taken for older than it is.
    if (last !== undefined && nowMs - this.#beganMs < markEveryMs) {
      last.atMs = nowMs;
      last.revision = revision;
      return;
    }
    this.#beganMs = nowMs;
    this.#marks.push({ atMs: nowMs, revision });
    this.at(nowMs);
  }

  /** The newest revision that is older than the age; 0 if none is known to be. */
  at(nowMs: number): number {
    const endMs = nowMs - this.#ageMs;
    const firstYoung = this.#marks.findIndex(({ atMs }) => atMs >= endMs);
    const agedCount = firstYoung === -1 ? this.#marks.length : firstYoung;
    if (agedCount > 1) this.#marks = this.#marks.slice(agedCount - 1);
    return agedCount === 0 ? 0 : (this.#marks[0]?.revision ?? 0);
  }

  clear(): void {
    this.#marks = [];
    this.#beganMs = Number.NEGATIVE_INFINITY;
  }
}
