// Kubernetes' conformance suite against the embedded control plane: `npm run test:conformance`. See docs/conformance.md.
export { type Outcome, type Outcomes, readTable, type SpecClass, type SpecRow } from "./spec-table.ts";
