// What is measured about the callers of the manager's endpoints, under upstream's names: who they are, whether they may, and what the reviews
// by the cluster cost.
import { exponentialBuckets, type HistogramDefinition, type MetricDefinition, type Metrics } from "@kubeloop/core/base";
import type { AuthenticationObserver, ReviewCacheObserver, ReviewObserver } from "@kubeloop/core/runtime";

const attemptBuckets = exponentialBuckets(0.001, 2, 15);
const reviewBuckets = [0.25, 0.5, 0.7, 1, 1.5, 3, 5, 10];
const cacheBuckets = [0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10];
const day = 86_400;

export const servingMetricDefinitions = {
  users: {
    name: "authenticated_user_requests",
    help: "Counter of authenticated requests broken out by username.",
    labels: ["username"],
  },
  authentications: {
    name: "authentication_attempts",
    help: "Counter of authenticated attempts.",
    labels: ["result"],
  },
  authenticationDuration: {
    name: "authentication_duration_seconds",
    help: "Authentication duration in seconds broken out by result.",
    labels: ["result"],
    buckets: attemptBuckets,
  },
  authorizations: {
    name: "authorization_attempts_total",
    help: "Counter of authorization attempts broken down by result. It can be either 'allowed', 'denied', 'no-opinion' or 'error'.",
    labels: ["result"],
  },
  authorizationDuration: {
    name: "authorization_duration_seconds",
    help: "Authorization duration in seconds broken out by result.",
    labels: ["result"],
    buckets: attemptBuckets,
  },
  certificateLife: {
    name: "apiserver_client_certificate_expiration_seconds",
    help: "Distribution of the remaining lifetime on the certificate used to authenticate a request.",
    buckets: [
      0,
      1800,
      3600,
      7200,
      21_600,
      43_200,
      day,
      2 * day,
      4 * day,
      7 * day,
      30 * day,
      90 * day,
      180 * day,
      360 * day,
    ],
  },
  tokenReviews: {
    name: "apiserver_delegated_authn_request_total",
    help: "Number of HTTP requests partitioned by status code.",
    labels: ["code"],
  },
  tokenReviewDuration: {
    name: "apiserver_delegated_authn_request_duration_seconds",
    help: "Request latency in seconds. Broken down by status code.",
    labels: ["code"],
    buckets: reviewBuckets,
  },
  accessReviews: {
    name: "apiserver_delegated_authz_request_total",
    help: "Number of HTTP requests partitioned by status code.",
    labels: ["code"],
  },
  accessReviewDuration: {
    name: "apiserver_delegated_authz_request_duration_seconds",
    help: "Request latency in seconds. Broken down by status code.",
    labels: ["code"],
    buckets: reviewBuckets,
  },
  cacheRequests: { name: "authentication_token_cache_request_total", help: "", labels: ["status"] },
  cacheRequestDuration: {
    name: "authentication_token_cache_request_duration_seconds",
    help: "",
    labels: ["status"],
    buckets: cacheBuckets,
  },
  cacheFetches: { name: "authentication_token_cache_fetch_total", help: "", labels: ["status"] },
  cacheActiveFetches: { name: "authentication_token_cache_active_fetch_count", help: "", labels: ["status"] },
} as const satisfies Readonly<Record<string, MetricDefinition | HistogramDefinition>>;

export interface AuthorizationMetrics {
  readonly accessReview: ReviewObserver;
}

export interface ServingMetrics {
  readonly authentication: AuthenticationObserver;
  readonly authorization: AuthorizationMetrics;
  /** `user` is undefined if authentication failed. */
  authenticated(user: string | undefined, seconds: number): void;
  authorized(result: "allowed" | "denied" | "no-opinion" | "error", seconds: number): void;
}

export function servingMetrics(metrics: Metrics): ServingMetrics {
  const define = servingMetricDefinitions;
  const users = metrics.counter(define.users);
  const authentications = metrics.counter(define.authentications);
  const authenticationDuration = metrics.histogram(define.authenticationDuration);
  const authorizations = metrics.counter(define.authorizations);
  const authorizationDuration = metrics.histogram(define.authorizationDuration);
  const certificateLife = metrics.histogram(define.certificateLife).labels({});
  const accessReview = reviews(metrics, define.accessReviews, define.accessReviewDuration);
  const tokenReview = reviews(metrics, define.tokenReviews, define.tokenReviewDuration);
  return {
    authentication: {
      certificateLife: (seconds) => certificateLife.observe(seconds),
      tokenReview,
      tokenCache: tokenCache(metrics),
    },
    authorization: { accessReview },
    authenticated(user, seconds) {
      const labels = { result: user === undefined ? "error" : "success" };
      if (user !== undefined) users.labels({ username: shortUsername(user) }).inc();
      authentications.labels(labels).inc();
      authenticationDuration.labels(labels).observe(seconds);
    },
    authorized(result, seconds) {
      authorizations.labels({ result }).inc();
      authorizationDuration.labels({ result }).observe(seconds);
    },
  };
}

function reviews(
  metrics: Metrics,
  total: MetricDefinition<"code">,
  duration: HistogramDefinition<"code">,
): ReviewObserver {
  const counter = metrics.counter(total);
  const histogram = metrics.histogram(duration);
  return (code, seconds) => {
    const labels = { code: code === undefined ? "<error>" : String(code) };
    counter.labels(labels).inc();
    histogram.labels(labels).observe(seconds);
  };
}

function tokenCache(metrics: Metrics): ReviewCacheObserver {
  const requests = metrics.counter(servingMetricDefinitions.cacheRequests);
  const durations = metrics.histogram(servingMetricDefinitions.cacheRequestDuration);
  const fetches = metrics.counter(servingMetricDefinitions.cacheFetches);
  const active = metrics.gauge(servingMetricDefinitions.cacheActiveFetches);
  return {
    answered(isHit, seconds) {
      const labels = { status: isHit ? "hit" : "miss" };
      requests.labels(labels).inc();
      durations.labels(labels).observe(seconds);
    },
    waiting: (by) => active.labels({ status: "blocked" }).inc(by),
    fetching: (by) => active.labels({ status: "in_flight" }).inc(by),
    fetched: (isOk) => fetches.labels({ status: isOk ? "ok" : "error" }).inc(),
  };
}

const namedUsers = new Set(["admin", "client", "kube_proxy", "kubelet", "system:serviceaccount:kube-system:default"]);

/** Names are many, and some are people's: only a few well-known ones are labels. */
function shortUsername(user: string): string {
  if (namedUsers.has(user)) return user;
  return user.includes("@") ? "email_id" : "other";
}
