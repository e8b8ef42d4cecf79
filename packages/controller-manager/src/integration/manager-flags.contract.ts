// What every manager of these tests is started with: without networks to give out node-ipam would not run.
import { controllerDescriptors } from "../app/index.ts";

export const writtenControllers: readonly string[] = controllerDescriptors
  .filter(({ start }) => start !== undefined)
  .map(({ name }) => name);

/** Exactly the controllers that are written. */
export const managerFlags: readonly string[] = [
  `--controllers=${writtenControllers.join(",")}`,
  "--allocate-node-cidrs=true",
  "--cluster-cidr=10.244.0.0/16,fd00:10:244::/48",
];
