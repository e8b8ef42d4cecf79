// The health check of leader election: a leader whose lease ran out and who neither renewed it nor ended is stuck, and fails /healthz so that
// whoever watches the process ends it.
import type { LeaderElector } from "@kubeloop/core/election";

/** How long after the end of its lease: upstream's value. */
const toleranceMs = 20_000;

export const leaderHealthCheck = (elector: Pick<LeaderElector, "findFault">) => () => elector.findFault(toleranceMs);
