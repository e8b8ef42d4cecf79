#!/usr/bin/env node
// The entry point of `kube-controller-manager`.
import { newControllerManagerCommand } from "./app/index.ts";
import { limitHeapGrowth } from "./heap-growth.ts";
import { runAsProcess } from "./run-command.ts";

limitHeapGrowth();
await runAsProcess(newControllerManagerCommand());
