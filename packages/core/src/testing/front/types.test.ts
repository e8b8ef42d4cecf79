// What the compiler accepts in a reconcile function, and what it rejects. Each row fails to compile if the types change.
import { describe, expect, expectTypeOf, test } from "vitest";
import { configMaps, deployments } from "../../api/generated/resources.ts";
import { findCondition, type KubernetesObject, type metav1, type Resource, setCondition } from "../../api/index.ts";
import { ensureObject } from "../../contract/index.ts";
import { createOrUpdate, defineController, type Editor, ensure, writeStatus } from "../../runtime/index.ts";
import { foos, metric, newFoo, onFoos, onStage } from "./foo.fixture.ts";

interface StrictCondition {
  readonly type: string;
  readonly status: "True" | "False" | "Unknown";
  readonly reason: string;
  readonly message: string;
  readonly lastTransitionTime: string;
}
interface Site extends KubernetesObject {
  readonly spec: { readonly hosts: readonly string[]; readonly size: number };
  readonly status?: { readonly conditions?: readonly StrictCondition[] };
}
declare const sites: Resource<Site>;
declare const editor: Editor;
declare const site: Site;
const ready = { type: "Ready", status: "True", reason: "Up", message: "" } as const;
/** Never calls its argument: only the compiler checks it. */
const typed = (_call: () => unknown) => {};

describe("conditions", () => {
  test("keep the caller's type", () => {
    const strict = setCondition([] as readonly StrictCondition[], ready, 0);
    expectTypeOf(strict).toEqualTypeOf<readonly StrictCondition[]>();
    expectTypeOf(setCondition(undefined, ready, 0)).toEqualTypeOf<readonly metav1.Condition[]>();
    expect(findCondition(strict, "Ready")?.status).toBe("True");
  });

  test("demand the fields that the caller's type demands", () => {
    interface Probed extends StrictCondition {
      readonly lastProbeTime: string;
    }
    const none: readonly Probed[] = [];
    // @ts-expect-error lastProbeTime is missing.
    typed(() => setCondition(none, ready, 0));
    const [probed] = setCondition(none, { ...ready, lastProbeTime: "1970-01-01T00:00:00Z" }, 0);
    expect(probed?.lastProbeTime).toBe("1970-01-01T00:00:00Z");
  });

  test("go into a draft of the status as they are", () => {
    typed(() =>
      writeStatus(editor, sites, site, (draft) => {
        draft.status = { conditions: setCondition(draft.status?.conditions, ready, 0) };
      }),
    );
  });
});

describe("drafts", () => {
  test("of an object that may be new have an optional spec", () => {
    typed(() =>
      createOrUpdate(editor, sites, "a/b", (draft) => {
        // @ts-expect-error An object that does not exist yet has no spec.
        draft.spec.size = 1;
        draft.spec = { hosts: [], size: 1 };
      }),
    );
    typed(() =>
      createOrUpdate(editor, sites, "a/b", (draft) => {
        // @ts-expect-error A new spec must be complete.
        draft.spec = { size: 1 };
      }),
    );
    typed(() => createOrUpdate(editor, sites, "a/b", (draft) => ({ ...draft, spec: { hosts: [], size: 1 } })));
  });

  test("take read-only lists", () => {
    const hosts: readonly string[] = ["a"];
    typed(() =>
      createOrUpdate(editor, sites, "a/b", (draft) => {
        draft.spec = { hosts, size: 1 };
        draft.metadata.finalizers = hosts;
      }),
    );
  });
});

describe("ensure", () => {
  test("takes an object without its kind, with undefined and null for what may be absent", () => {
    const metadata = { namespace: "shop", name: "a" };
    const data: Readonly<Record<string, string>> | undefined = undefined;
    typed(() => ensure(editor, configMaps, { metadata, data, immutable: null }));
    typed(() => ensureObject(sites, undefined, { metadata, spec: { hosts: ["a"] as readonly string[], size: 1 } }));
    // @ts-expect-error The size is missing.
    typed(() => ensure(editor, sites, { metadata, spec: { hosts: [] } }));
    // @ts-expect-error A required field cannot be null.
    typed(() => ensure(editor, deployments, { metadata, spec: null }));
  });
});

describe("the result of a reconcile", () => {
  test("has requeueAfterMs and nothing else", () => {
    typed(() => defineController({ name: "a", for: foos, reconcile: async () => ({ requeueAfterMs: 5 }) }));
    typed(() => defineController({ name: "a", for: foos, reconcile: async () => {} }));
    // @ts-expect-error There is no requeueAfter: the message names requeueAfterMs.
    typed(() => defineController({ name: "a", for: foos, reconcile: async () => ({ requeueAfter: 5 }) }));
    // @ts-expect-error There is no requeue either.
    typed(() => defineController({ name: "a", for: foos, reconcile: async () => ({ requeue: true }) }));
  });

  test("that says something else is refused, with the name of the field that there is", async () => {
    const told: unknown[] = [];
    const nobody = () => {};
    const log = {
      debug: nobody,
      info: nobody,
      error: nobody,
      with: () => log,
      warn: (_: string, fields = {}) => told.push(fields),
    };
    const careless = (async () => ({ requeueAfter: 5 })) as () => Promise<object>;
    await using stage = onStage(onFoos(careless as unknown as () => Promise<undefined>), {
      objects: [[foos, newFoo("a")]],
      driver: { log },
    });
    await stage.clock.advance(60_000);
    expect(metric(stage, "controller_runtime_terminal_reconcile_errors_total")).toBe(1);
    expect(told).toMatchObject([{ error: { message: expect.stringContaining("return { requeueAfterMs }") } }]);
  });
});
