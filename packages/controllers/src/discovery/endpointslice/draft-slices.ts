// The slices of one Service and one address type while they are being decided on: what is to be created, changed or left as it is, with the
// endpoints that each is to have. Packing makes them, hints change them, and in the end they become writes.
import type { discoveryv1 } from "@kubeloop/core/api";

export type Endpoint = discoveryv1.Endpoint;
export type EndpointSlice = discoveryv1.EndpointSlice;

export interface DraftSlice {
  /** The slice as it is stored; undefined for one that is to be created. */
  readonly before: EndpointSlice | undefined;
  readonly ports: readonly discoveryv1.EndpointPort[];
  readonly endpoints: readonly Endpoint[];
  /** Whether it is written. A draft without `before` always is. */
  readonly isChanged: boolean;
}

export const isReady = ({ conditions }: Endpoint) => conditions?.ready === true;

/** Removes all hints. */
export function withoutHints(drafts: readonly DraftSlice[]): readonly DraftSlice[] {
  return drafts.map((draft) => {
    if (!draft.endpoints.some(({ hints }) => hints !== undefined)) return draft;
    return { ...draft, endpoints: draft.endpoints.map((endpoint) => withHints(endpoint, undefined)), isChanged: true };
  });
}

export function withHints(endpoint: Endpoint, hints: discoveryv1.EndpointHints | undefined): Endpoint {
  const { hints: _old, ...rest } = endpoint;
  return hints === undefined ? rest : { ...rest, hints };
}
