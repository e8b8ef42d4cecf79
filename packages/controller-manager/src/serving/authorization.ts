// Whether a user may read one of the manager's endpoints: administrators may, and everybody may read the paths that are always allowed; about
// all others the cluster is asked (SubjectAccessReview), and its answer remembered for a while.
import type { Clock } from "@kubeloop/core/base";
import type { Client } from "@kubeloop/core/client";
import { type AccessDecision, AccessReviews, type AuthenticatedUser } from "@kubeloop/core/runtime";
import type { AuthorizationMetrics } from "../metrics/index.ts";
import { newAllowedPaths } from "./allowed-paths.ts";

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

export class Authorization {
  readonly #reviews: AccessReviews;
  readonly #isOpen: (path: string) => boolean;

  /** Throws for paths that cannot be read. */
  constructor({ alwaysAllowPaths, metrics, ...options }: AuthorizationOptions) {
    this.#isOpen = newAllowedPaths(alwaysAllowPaths);
    this.#reviews = new AccessReviews({ ...options, ...(metrics && { observer: metrics.accessReview }) });
  }

  async authorize(user: AuthenticatedUser, verb: string, path: string, signal: AbortSignal): Promise<AccessDecision> {
    if (this.#isOpen(path)) return "allowed";
    return await this.#reviews.decide(user, { nonResourceAttributes: { path, verb } }, signal);
  }
}
