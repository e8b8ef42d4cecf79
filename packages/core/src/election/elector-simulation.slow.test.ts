import { defineElectorHistories } from "./elector-simulation.contract.ts";

defineElectorHistories({ histories: 400, crashes: 100 });
