// The names of the commands that stand for kubectl's. Apart from what they do, so that `kubeloop --help` loads nothing else.
export const kubectlCommands = ["get", "describe", "apply", "delete", "logs", "wait"] as const;
export type KubectlCommand = (typeof kubectlCommands)[number];
