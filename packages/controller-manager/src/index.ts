// `@kubeloop/controller-manager`: kube-controller-manager's process: flags, wiring, start order, endpoints, leader election.
// Today it holds what `--controllers` means; the process follows once the toolkit under it is whole.
export { type ControllerSelection, selectControllers } from "./select-controllers.ts";
