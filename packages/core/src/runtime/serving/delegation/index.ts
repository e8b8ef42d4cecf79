// `delegation`: who calls a process, and whether they may: the cluster is asked. authentication.ts is who (a certificate, a front proxy's headers, a
// token that the cluster reviews), access-reviews.ts whether they may.
export { type AccessDecision, AccessReviews, type AccessReviewsOptions, type AskedAccess } from "./access-reviews.ts";
export { type AuthenticatedUser, Authentication, type AuthenticationOptions } from "./authentication.ts";
export {
  type ClientAuthorities,
  type FollowAuthoritiesOptions,
  followPublishedAuthorities,
  type RequestHeaderAuthorities,
  readPublishedAuthorities,
  readPublishedAuthoritiesNow,
} from "./client-authorities.ts";
export type { AuthenticationObserver, ReviewCacheObserver, ReviewObserver } from "./review-observers.ts";
export { readAuthorities } from "./verify-certificate.ts";
