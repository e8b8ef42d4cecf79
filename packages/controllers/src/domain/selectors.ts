// Label selectors of objects in a cache, each read once: every orphan is matched against the selectors of all owners in its namespace, every pod
// against those of all budgets. An object in a cache does not change, so what was read of it stays true as long as it is there.
import { fromLabelSelector, type metav1, nothingSelector, type Selector, SelectorError } from "@kubeloop/core/api";

const known = new WeakMap<metav1.LabelSelector, Selector | SelectorError>();

/** Returns the error for one that cannot be read: validation is the API server's, but an old object may have passed it by. Absent, it matches nothing. */
export function readSelector(selector: metav1.LabelSelector | undefined): Selector | SelectorError {
  if (selector === undefined) return nothingSelector;
  let read = known.get(selector);
  if (read === undefined) {
    read = tryRead(selector);
    known.set(selector, read);
  }
  return read;
}

/** Undefined for one that is absent, or cannot be read. */
export function parseSelector(selector: metav1.LabelSelector | undefined): Selector | undefined {
  const read = selector && readSelector(selector);
  return read instanceof SelectorError ? undefined : read;
}

/** One that is absent or cannot be read matches nothing. */
export function selectorOf(selector: metav1.LabelSelector | undefined): Selector {
  return parseSelector(selector) ?? nothingSelector;
}

function tryRead(selector: metav1.LabelSelector): Selector | SelectorError {
  try {
    return fromLabelSelector(selector);
  } catch (error) {
    if (error instanceof SelectorError) return error;
    throw error;
  }
}
