import { defineAbortedHttpCalls } from "./aborted-calls.contract.ts";

defineAbortedHttpCalls(2_000);
