// `batch`: work that ends.
import type { KindRules } from "../kind-rules.ts";
import { cronJobRules } from "./cron-job.ts";
import { jobRules } from "./job.ts";

export const batchRules: readonly KindRules[] = [cronJobRules, jobRules];
