import { defineElectorHistories } from "./elector-simulation.contract.ts";

defineElectorHistories({ histories: 2_000, crashes: 500 });
