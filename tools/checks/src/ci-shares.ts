// How the time of `.ci/run` is shared out, in minutes, and what is printed of a step that has ended. A share is no limit: a step that takes more
// than twice as much says so and goes on, since a machine may be busy; but somebody should look.

/** By the name of the step. */
export const shareMinutes = {
  "npm test": 14,
  "newest Node": 5,
  "real cluster": 10,
  differential: 6,
  conformance: 3,
} as const;

export type CiStep = keyof typeof shareMinutes;

export const isCiStep = (name: string): name is CiStep => Object.hasOwn(shareMinutes, name);

/** One line, or two. */
export function shareLines(step: CiStep, seconds: number): readonly string[] {
  const minutes = seconds / 60;
  const share = shareMinutes[step];
  const line = `${step}: ${minutes.toFixed(1)} minutes of its ${share} (${Math.round((100 * minutes) / share)} %)`;
  if (minutes <= 2 * share) return [line];
  const advice = "move what takes minutes to npm run test:long, or change the share in tools/checks/src/ci-shares.ts";
  return [line, `WARNING: ${step} took more than twice its share; ${advice}`];
}
