import { replicaProcedure, simulateManyReplicas } from "@kubeloop/simulation-suite";
import { expect, test } from "vitest";
import { openEmbeddedServer as open } from "./embedded-server.contract.ts";

const styles = { "with rules": undefined, "in the usual style": replicaProcedure };

test.each(Object.entries(styles))(
  "in fifty storms a controller %s makes never a child too many",
  async (_, newController) => {
    const sum = await simulateManyReplicas({ first: 1_001, count: 50, open, newController });
    console.log(sum);
    expect(sum.failures).toEqual([]);
  },
);
