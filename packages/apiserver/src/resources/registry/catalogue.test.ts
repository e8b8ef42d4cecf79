import { describe, expect, test } from "vitest";
import { convertedWidgets, countedConversions, storedWidgets } from "../widgets.fixture.ts";
import { Catalogue } from "./catalogue.ts";

const v1 = { group: "example.com", version: "v1", plural: "widgets" };
const v2 = { ...v1, version: "v2" };
const both = () => [storedWidgets(), convertedWidgets(countedConversions())];

describe("a change of the catalogue", () => {
  for (const [fact, change, raises, versions] of [
    ["that adds several resources is one", (catalogue: Catalogue) => catalogue.add(both()), 1, ["v1", "v2"]],
    ["that adds nothing is none", (catalogue: Catalogue) => catalogue.add([]), 0, ["v1"]],
    ["that replaces a resource is one", (catalogue: Catalogue) => catalogue.add([storedWidgets()]), 1, ["v1"]],
    ["that removes resources is one", (catalogue: Catalogue) => catalogue.remove([v1, v2]), 1, []],
    ["that removes what is not served is none", (catalogue: Catalogue) => catalogue.remove([v2]), 0, ["v1"]],
  ] as const) {
    test(fact, () => {
      const catalogue = new Catalogue([storedWidgets()]);
      const { generation } = catalogue;
      change(catalogue);
      expect(catalogue.generation - generation).toBe(raises);
      expect(catalogue.all().map(({ resource }) => resource.version)).toEqual(versions);
      expect(catalogue.hasRouter("example.com")).toBe(false);
      for (const version of ["v1", "v2"] as const) {
        expect(catalogue.find({ ...v1, version }) !== undefined).toBe(
          (versions as readonly string[]).includes(version),
        );
      }
    });
  }

  test("ends what watches a resource that is removed or replaced, and nothing else", () => {
    const [first, second] = both() as [ReturnType<typeof storedWidgets>, ReturnType<typeof storedWidgets>];
    const catalogue = new Catalogue([first, second]);
    const [ofFirst, ofSecond] = [catalogue.removalOf(first), catalogue.removalOf(second)];
    catalogue.remove([v2]);
    expect([ofFirst.aborted, ofSecond.aborted]).toEqual([false, true]);
    catalogue.add([storedWidgets()]);
    expect(ofFirst.aborted).toBe(true);
  });

  test("is seen by who begins to watch after it", () => {
    const served = storedWidgets();
    const catalogue = new Catalogue([served]);
    catalogue.add([storedWidgets()]);
    expect(catalogue.removalOf(served).aborted).toBe(true);
  });

  test("of a fork is not one of the original, nor the other way round", () => {
    const original = new Catalogue([storedWidgets()]);
    original.add([storedWidgets()]);
    const fork = original.fork();
    expect(fork.generation).toBe(original.generation);
    const watched = original.removalOf(original.all()[0] as ReturnType<typeof storedWidgets>);
    fork.remove([v1]);
    expect([fork.all().length, original.all().length, watched.aborted]).toEqual([0, 1, false]);
    original.add([convertedWidgets(countedConversions())]);
    expect([fork.all().length, original.all().length]).toEqual([0, 2]);
  });
});
