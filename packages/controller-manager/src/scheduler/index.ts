// kube-scheduler as a process: flags, configuration file, endpoints, election. What it decides with is `@kubeloop/scheduler`.
export { newSchedulerCommand } from "./command.ts";
