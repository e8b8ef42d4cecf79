// Whether a user may read one of the manager's endpoints: administrators may, and everybody may read the paths that are always allowed; about
// all others the cluster is asked (SubjectAccessReview), and its answer remembered for a while.
import type { authorizationv1 } from "@kubeloop/core/api";
import type { Clock } from "@kubeloop/core/base";
import type { Client } from "@kubeloop/core/client";
import { subjectAccessReviews } from "@kubeloop/core/resources";
import type { AuthorizationMetrics } from "../metrics/index.ts";
import { newAllowedPaths } from "./allowed-paths.ts";
import type { User } from "./authentication.ts";
import { observeReview } from "./observe-review.ts";
import { ReviewCache } from "./review-cache.ts";

export interface AuthorizationOptions {
  readonly clock: Clock;
  /** As allowed-paths.ts reads them. */
  readonly alwaysAllowPaths: readonly string[];
  /** Whom to ask; without one, nothing else is allowed. */
  readonly client: Client | undefined;
  readonly allowTtlMs: number;
  readonly denyTtlMs: number;
  readonly metrics?: AuthorizationMetrics;
}

/** Only "allowed" lets a request pass. "no-opinion" is what the cluster says of a user to whom no rule applies. */
export type AccessDecision = "allowed" | "denied" | "no-opinion";

export class Authorization {
  readonly #options: AuthorizationOptions;
  readonly #reviews: ReviewCache<AccessDecision>;
  readonly #isOpen: (path: string) => boolean;

  /** Throws for paths that cannot be read. */
  constructor(options: AuthorizationOptions) {
    this.#options = options;
    this.#isOpen = newAllowedPaths(options.alwaysAllowPaths);
    this.#reviews = new ReviewCache(options.clock, (decision) =>
      decision === "allowed" ? options.allowTtlMs : options.denyTtlMs,
    );
  }

  async authorize(user: User, verb: string, path: string, signal: AbortSignal): Promise<AccessDecision> {
    if (user.groups.includes("system:masters") || this.#isOpen(path)) return "allowed";
    if (this.#options.client === undefined) return "no-opinion";
    return await this.#reviews.get(JSON.stringify([user, verb, path]), () => this.#review(user, verb, path, signal));
  }

  async #review(user: User, verb: string, path: string, signal: AbortSignal): Promise<AccessDecision> {
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
    const { client, clock, metrics } = this.#options;
    const answer = await observeReview(clock, metrics?.accessReview, () =>
      client?.resource(subjectAccessReviews).create(review, signal),
    );
    const { allowed: isAllowed, denied: isDenied } = answer?.status ?? {};
    if (isAllowed === true && isDenied !== true) return "allowed";
    return isDenied === true ? "denied" : "no-opinion";
  }
}
