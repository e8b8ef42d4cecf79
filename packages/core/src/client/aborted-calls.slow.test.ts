import { defineAbortedCalls } from "./aborted-calls.contract.ts";

defineAbortedCalls(2_000);
