// What is written from the table of controllers, and checked in: a page about them, and the roles they need.
import { printControllersPage, printRbacManifests } from "@kubeloop/controller-manager";
import type { SourceFile } from "./repository.ts";

/** As they should be. */
export async function controllerDocuments(): Promise<readonly SourceFile[]> {
  return [
    { path: "docs/built-in-controllers.md", text: printControllersPage() },
    { path: "packages/controller-manager/manifests/rbac.yaml", text: await printRbacManifests() },
  ];
}
