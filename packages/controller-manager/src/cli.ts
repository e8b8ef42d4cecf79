#!/usr/bin/env node
// The entry point of `kube-controller-manager`.
import { newControllerManagerCommand } from "./app/index.ts";
import { setHeapOptions } from "./heap-options.ts";
import { runAsProcess } from "./run-command.ts";

setHeapOptions();
await runAsProcess(newControllerManagerCommand());
