// What the managers of these tests are started with. Without networks to give out node-ipam does not run.
import { controllerDescriptors } from "../app/index.ts";

export const writtenControllers: readonly string[] = controllerDescriptors
  .filter(({ start }) => start !== undefined)
  .map(({ name }) => name);

export const networkFlags: readonly string[] = [
  "--allocate-node-cidrs=true",
  "--cluster-cidr=10.244.0.0/16,fd00:10:244::/48",
];

/** Exactly the controllers that are written. */
export const managerFlags: readonly string[] = [`--controllers=${writtenControllers.join(",")}`, ...networkFlags];
