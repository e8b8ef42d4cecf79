// `kubeloop`: the command, and later `startCluster()` for tests. Today the command lists the API resources that the toolkit
// knows; the control plane joins it when the API server is there.
export { type CommandIo, runCommand } from "./command.ts";
