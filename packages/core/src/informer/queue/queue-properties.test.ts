import { describe } from "vitest";
import { DeltaFIFO } from "./delta-fifo.ts";
import { InOrderQueue } from "./in-order-queue.ts";
import { keyOfItem } from "./items.fixture.ts";
import { type OpenQueue, testNothingIsLost } from "./queue-properties.contract.ts";

const kinds: Readonly<Record<string, OpenQueue>> = {
  "an atomic in-order queue": () => new InOrderQueue({ keyOf: keyOfItem }),
  "small batches": () => new InOrderQueue({ keyOf: keyOfItem, maxBatch: 2 }),
  "an in-order queue that is not atomic": (store) =>
    new InOrderQueue({ keyOf: keyOfItem, isAtomic: false, knownObjects: store }),
  "a DeltaFIFO": (store) => new DeltaFIFO({ keyOf: keyOfItem, knownObjects: store }),
  "a DeltaFIFO that calls a list Sync": (store) =>
    new DeltaFIFO({ keyOf: keyOfItem, knownObjects: store, replacedAs: "Sync" }),
};

describe("any run of happenings", () => {
  for (const [kind, open] of Object.entries(kinds)) testNothingIsLost(kind, open);
});
