// Tests measure no time: neither that of the clock on the wall nor that of the processor, because a busy machine must not turn a test red. What
// must not be slow is counted instead (counted-work.fixture.ts: steps, bytes, calls), or is a ratio in the bench. Nor do they sleep: they move a
// FakeClock, or wait for what they are about. Suites against a real cluster (`*.kubernetes.test.ts`) are free to, since a real server has no other
// clock.
import type { SourceFile } from "./repository.ts";
import { blankOut, importsOf, lineAt } from "./source-text.ts";

/** Files that may, each with the reason. A reason is never that a limit is generous. */
export const mayReadTime: Readonly<Record<string, string>> = {
  "packages/core/src/base/clock.test.ts":
    "it is the system's clock that is tested; only lower bounds, which load cannot break",
  "packages/core/src/informer/integration/refusal-cases.contract.ts":
    "since when an informer fails is a time of the wall; it is only not before the start, which load cannot break",
  "packages/core/src/client/integration/objects.contract.ts": "a server told it to come back later",
  "packages/apiserver/src/integration/clients/go-client.contract.ts":
    "patience with a program in Go; nothing is expected of it",
  "packages/apiserver/src/integration/fuzz/fuzz.contract.ts": "printed for people; nothing is expected of it",
  "packages/apiserver/src/integration/fuzz/round.contract.ts":
    "printed for people; only `npm run fuzz`, which is no test, has a limit (stallMs)",
  "packages/controller-manager/src/integration/kubelets.contract.ts":
    "a real server has no other clock; only suites against one run it",
  "packages/controller-manager/src/integration/scenario-on-real-cluster.contract.ts":
    "a real server has no other clock; only suites against one run it",
  "packages/kubeloop/src/up/kept-state.test.ts":
    "certificates are made by the system's clock, so the fake ones begin there",
};

const isForTests = (path: string) => /\.(?:test|contract|fixture)\.ts$/.test(path);
const isOnRealCluster = (path: string) => path.endsWith(".kubernetes.test.ts");

const readings =
  /\bsystemClock\.(?:now|monotonic|sleep)\b|\bDate\.now\b|\bnew Date\b(?:\(\s*\)|(?!\s*\())|\bperformance\.\w+|\bprocess\.(?:hrtime|cpuUsage|threadCpuUsage|resourceUsage|uptime)\b|\bmonitorEventLoopDelay\b/g;

/** What a test reads of real time, as `path:line: what`. */
export function checkMeasuredTime(file: SourceFile): string[] {
  if (!isForTests(file.path) || isOnRealCluster(file.path) || file.path in mayReadTime) return [];
  const code = blankOut(file.text);
  const found = [...code.matchAll(readings)].map((match) => [lineAt(file.text, match.index), match[0]] as const);
  const modules = importsOf(file.text)
    .filter(({ specifier }) => /^node:(?:perf_hooks|timers\/promises)$/.test(specifier))
    .map(({ specifier, line }) => [line, specifier] as const);
  return [...found, ...modules].map(
    ([line, what]) => `${file.path}:${line}: a test reads ${what}: count work instead of time`,
  );
}
