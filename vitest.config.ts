// One configuration, five kinds of tests: `unit` (the quick gate), `slow` (the same, but minutes), `long` (seeds by the thousand: an hour, and
// no part of `npm test`), `packaging` (packs and installs the packages; needs only Node, but minutes) and `kubernetes` (needs a real
// kube-apiserver). Limits of time only end what hangs: they are no expectation, and a busy machine stays far below them. Packages resolve to
// their sources. Unit tests share a process, and in it the modules they import: to load the API's tables for each file would take
// longer than the tests. So whatever a test changes for all it puts back, and counts on nobody having been there before.
import { defineConfig } from "vitest/config";

const sources = [
  {
    find: /^@kubeloop\/core\/resources$/,
    replacement: `${import.meta.dirname}/packages/core/src/api/generated/resources.ts`,
  },
  {
    find: /^@kubeloop\/core\/types\/(.+)$/,
    replacement: `${import.meta.dirname}/packages/core/src/api/generated/types/$1.ts`,
  },
  {
    find: /^@kubeloop\/core\/informers\/(.+)$/,
    replacement: `${import.meta.dirname}/packages/core/src/informer/generated/$1.ts`,
  },
  {
    find: /^@kubeloop\/core\/base\/(pino|prom-client)$/,
    replacement: `${import.meta.dirname}/packages/core/src/base/adapters/$1.ts`,
  },
  { find: /^@kubeloop\/core\/([a-z-]+)$/, replacement: `${import.meta.dirname}/packages/core/src/$1/index.ts` },
  {
    find: /^@kubeloop\/(apiserver|controllers|controller-manager|scheduler|nodes)$/,
    replacement: `${import.meta.dirname}/packages/$1/src/index.ts`,
  },
  {
    find: /^@kubeloop\/apiserver\/authority$/,
    replacement: `${import.meta.dirname}/packages/apiserver/src/serving/certificate-authority.ts`,
  },
  // Suites of core's that other packages run against what they bring.
  {
    find: /^@kubeloop\/(client|informer)-suite$/,
    replacement: `${import.meta.dirname}/packages/core/src/$1/integration/embedded-suite.contract.ts`,
  },
  {
    find: /^@kubeloop\/simulation-suite$/,
    replacement: `${import.meta.dirname}/packages/core/src/testing/simulation/embedded-suite.contract.ts`,
  },
  // What users see of the controllers, for whoever runs them.
  {
    find: /^@kubeloop\/scenarios$/,
    replacement: `${import.meta.dirname}/packages/controllers/src/scenarios/all-scenarios.contract.ts`,
  },
  // How its tests count work.
  {
    find: /^@kubeloop\/counted-work$/,
    replacement: `${import.meta.dirname}/packages/core/src/base/counted-work.fixture.ts`,
  },
  { find: /^@kubeloop\/(generate|real-cluster|checks)$/, replacement: `${import.meta.dirname}/tools/$1/src/index.ts` },
];
const project = (name: string, include: string[], limits: { testTimeout: number; hookTimeout: number }) => ({
  resolve: { alias: sources },
  test: {
    name,
    isolate: name !== "unit",
    setupFiles: [`${import.meta.dirname}/vitest.setup.ts`],
    include,
    exclude: [
      "**/node_modules/**",
      "**/dist/**",
      ...(name === "unit"
        ? ["**/*.slow.test.ts", "**/*.long.test.ts", "**/*.packaging.test.ts", "**/*.kubernetes.test.ts"]
        : []),
    ],
    ...limits,
  },
});

const hourMs = 3_600_000;

export default defineConfig({
  // For those who load our sources themselves: projects have their own.
  resolve: { alias: sources },
  test: {
    projects: [
      project("unit", ["packages/**/*.test.ts", "tools/**/*.test.ts", "examples/**/*.test.ts"], {
        testTimeout: 600_000,
        hookTimeout: 600_000,
      }),
      project("slow", ["packages/**/*.slow.test.ts"], { testTimeout: hourMs, hookTimeout: hourMs }),
      project("long", ["packages/**/*.long.test.ts"], { testTimeout: 4 * hourMs, hookTimeout: hourMs }),
      project("packaging", ["tools/**/*.packaging.test.ts"], { testTimeout: 300_000, hookTimeout: 300_000 }),
      project(
        "kubernetes",
        ["packages/**/*.kubernetes.test.ts", "tools/**/*.kubernetes.test.ts", "examples/**/*.kubernetes.test.ts"],
        {
          testTimeout: 120_000,
          hookTimeout: 240_000,
        },
      ),
    ],
  },
});
