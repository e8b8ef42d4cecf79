// Our kube-controller-manager as a program: the bundle that the build made, run by this Node.
import { fileURLToPath } from "node:url";
import type { ManagerProgram } from "@kubeloop/real-cluster";

const bundle = fileURLToPath(new URL("../../dist/bundle/esm/cli.js", import.meta.url));

export const ourManager: ManagerProgram = { command: [process.execPath, bundle] };
