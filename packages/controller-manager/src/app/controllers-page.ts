// A page of documentation about all controllers, from the table of them: how each is called, as whom it speaks, whether it is written, and of
// those that are, what they watch, ask, write and measure.
import { type ControllerDescriptor, type ControllerRow, controllerDescriptors } from "./controller-descriptors.ts";

export function printControllersPage(descriptors: readonly ControllerDescriptor[] = controllerDescriptors): string {
  const written = descriptors.flatMap(({ name, row }) => (row === undefined ? [] : [{ name, row }]));
  return [
    "# The built-in controllers",
    "",
    "`npm run controller-documents` writes this page from the table in `packages/controller-manager/src/app/controller-descriptors.ts`.",
    "",
    `Of kube-controller-manager's ${descriptors.length} controllers, ${written.length} are written. \`--controllers\` takes the name or the alias, which is its`,
    "name in Kubernetes 1.18 or shortly after. With `--use-service-account-credentials` a controller speaks as its service account in kube-system.",
    "",
    "| controller | alias | service account | state |",
    "|--|--|--|--|",
    ...descriptors.map(printRow),
    "",
    "What those that are written do, with their default settings. All of them read what they watch from the caches of the manager.",
    "Roles for all of this are in `packages/controller-manager/manifests/rbac.yaml`, which",
    "`kube-controller-manager --print-rbac-manifests` prints, too.",
    "",
    ...written.flatMap(({ name, row }) => [`## ${name}`, "", ...printFacts(row), ""]),
  ]
    .join("\n")
    .trimEnd()
    .concat("\n");
}

function printRow({
  name,
  alias = "–",
  serviceAccount = "–",
  row,
  isOffByDefault,
  isCloud,
  featureGates = [],
  limits,
}: ControllerDescriptor): string {
  const { qpsTimes, burstTimes } = limits ?? {};
  const state = [
    row === undefined ? "not written yet" : "**written**",
    ...(isOffByDefault === true ? ["off by default"] : []),
    ...(isCloud === true ? ["cloud"] : []),
    ...featureGates.map((gate) => `gate ${gate}`),
    ...(qpsTimes === undefined ? [] : [`client QPS × ${qpsTimes}`]),
    ...(burstTimes === undefined ? [] : [`burst × ${burstTimes}`]),
  ].join(", ");
  return `| ${name} | ${alias} | ${serviceAccount} | ${state} |`;
}

function printFacts(row: ControllerRow): readonly string[] {
  const facts: readonly (readonly [string, readonly string[]])[] = [
    ["watches", row.watches],
    ["queues", row.queues],
    ["asks the server", row.reads],
    ["writes", row.writes],
    ["needs", row.ports],
    ["measures", row.metrics.map((name) => `\`${name}\``)],
  ];
  return facts.flatMap(([what, values]) => (values.length === 0 ? [] : [`- ${what}: ${values.join(" · ")}`]));
}
