import { defineAbortedHttpCalls } from "./aborted-calls.contract.ts";

defineAbortedHttpCalls(10_000);
