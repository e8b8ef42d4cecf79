// Asks the cluster whether a user may do something (SubjectAccessReview), and remembers its answers for a while. Promise: administrators
// (system:masters) may do everything, and nobody is asked about them.
import { subjectAccessReviews } from "../../../api/generated/resources.ts";
import type { authorizationv1 } from "../../../api/index.ts";
import type { Clock } from "../../../base/index.ts";
import type { Client } from "../../../client/index.ts";
import type { AuthenticatedUser } from "./authentication.ts";
import { observeReview } from "./observe-review.ts";
import { ReviewCache } from "./review-cache.ts";
import type { ReviewObserver } from "./review-observers.ts";

export interface AccessReviewsOptions {
  readonly clock: Clock;
  /** Whom to ask; without one, nothing is allowed to those who are no administrators. */
  readonly client: Client | undefined;
  readonly allowTtlMs: number;
  readonly denyTtlMs: number;
  readonly observer?: ReviewObserver;
}

/** Only "allowed" lets a request pass. "no-opinion" is what the cluster says of a user to whom no rule applies. */
export type AccessDecision = "allowed" | "denied" | "no-opinion";

/** What a user wants to do. */
export type AskedAccess = Pick<authorizationv1.SubjectAccessReviewSpec, "nonResourceAttributes" | "resourceAttributes">;

export class AccessReviews {
  readonly #options: AccessReviewsOptions;
  readonly #reviews: ReviewCache<AccessDecision>;

  constructor(options: AccessReviewsOptions) {
    this.#options = options;
    this.#reviews = new ReviewCache(options.clock, (decision) =>
      decision === "allowed" ? options.allowTtlMs : options.denyTtlMs,
    );
  }

  async decide(user: AuthenticatedUser, asked: AskedAccess, signal: AbortSignal): Promise<AccessDecision> {
    if (user.groups.includes("system:masters")) return "allowed";
    const { client } = this.#options;
    if (client === undefined) return "no-opinion";
    const ask = (each: AbortSignal) => this.#review(client, user, asked, each);
    return await this.#reviews.get(JSON.stringify([user, asked]), ask, signal);
  }

  async #review(
    client: Client,
    user: AuthenticatedUser,
    asked: AskedAccess,
    signal: AbortSignal,
  ): Promise<AccessDecision> {
    const review: authorizationv1.SubjectAccessReview = {
      apiVersion: "authorization.k8s.io/v1",
      kind: "SubjectAccessReview",
      metadata: {},
      spec: {
        user: user.name,
        groups: user.groups,
        ...(user.uid === "" ? {} : { uid: user.uid }),
        extra: user.extra,
        ...asked,
      },
    };
    const { clock, observer } = this.#options;
    const answer = await observeReview(clock, observer, () =>
      client.resource(subjectAccessReviews).create(review, signal),
    );
    const { allowed: isAllowed, denied: isDenied } = answer.status ?? {};
    if (isAllowed === true && isDenied !== true) return "allowed";
    return isDenied === true ? "denied" : "no-opinion";
  }
}
