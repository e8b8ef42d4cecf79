// Whether a user may read one of the manager's endpoints: administrators may, and everybody may read the paths that are always allowed; about
// all others the cluster is asked (SubjectAccessReview), and its answer remembered for a while.
import type { authorizationv1 } from "@kubeloop/core/api";
import type { Clock } from "@kubeloop/core/base";
import type { Client } from "@kubeloop/core/client";
import { subjectAccessReviews } from "@kubeloop/core/resources";
import type { User } from "./authentication.ts";
import { ReviewCache } from "./review-cache.ts";

export interface AuthorizationOptions {
  readonly clock: Clock;
  /** One that ends in * stands for all that begin so. */
  readonly alwaysAllowPaths: readonly string[];
  /** Whom to ask; without one, nothing else is allowed. */
  readonly client: Client | undefined;
  readonly allowTtlMs: number;
  readonly denyTtlMs: number;
}

export class Authorization {
  readonly #options: AuthorizationOptions;
  readonly #reviews: ReviewCache<boolean>;

  constructor(options: AuthorizationOptions) {
    this.#options = options;
    this.#reviews = new ReviewCache(options.clock, (isAllowed) => (isAllowed ? options.allowTtlMs : options.denyTtlMs));
  }

  async isAllowed(user: User, verb: string, path: string, signal: AbortSignal): Promise<boolean> {
    if (user.groups.includes("system:masters") || this.#isOpen(path)) return true;
    if (this.#options.client === undefined) return false;
    return await this.#reviews.get(JSON.stringify([user, verb, path]), () => this.#review(user, verb, path, signal));
  }

  #isOpen(path: string): boolean {
    return this.#options.alwaysAllowPaths.some((allowed) =>
      allowed.endsWith("*") ? path.startsWith(allowed.slice(0, -1)) : path === allowed,
    );
  }

  async #review(user: User, verb: string, path: string, signal: AbortSignal): Promise<boolean> {
    const review: authorizationv1.SubjectAccessReview = {
      apiVersion: "authorization.k8s.io/v1",
      kind: "SubjectAccessReview",
      metadata: {},
      spec: {
        user: user.name,
        groups: user.groups,
        ...(user.uid === "" ? {} : { uid: user.uid }),
        extra: user.extra,
        nonResourceAttributes: { path, verb },
      },
    };
    const answer = await this.#options.client?.resource(subjectAccessReviews).create(review, signal);
    return answer?.status?.allowed === true;
  }
}
