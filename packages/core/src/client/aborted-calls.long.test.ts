import { defineAbortedCalls } from "./aborted-calls.contract.ts";

defineAbortedCalls(10_000);
