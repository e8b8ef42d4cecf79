#!/usr/bin/env node
// The entry point of `kube-scheduler`.
import { runAsProcess } from "./run-command.ts";
import { newSchedulerCommand } from "./scheduler/index.ts";

await runAsProcess(newSchedulerCommand());
