import { afterEach, describe, expect, test } from "vitest";
import { InformerName } from "./informer-name.ts";

const pods = { group: "", version: "v1", plural: "pods" };
const configMaps = { group: "", version: "v1", plural: "configmaps" };

const taken: InformerName[] = [];
const take = (name: string) => {
  const reserved = new InformerName(name);
  taken.push(reserved);
  return reserved;
};
afterEach(() => {
  for (const name of taken.splice(0)) name.release();
});

describe("an informer name", () => {
  test("is given to the first who asks", () => {
    expect(take("mine").name).toBe("mine");
  });

  test("is refused to a second one", () => {
    take("mine");
    expect(() => take("mine")).toThrow('informer name "mine" is taken');
  });

  test("must not be empty", () => {
    expect(() => take("")).toThrow("informer name is empty");
  });

  test("does not stand in the way of another", () => {
    take("mine");
    expect(take("yours").name).toBe("yours");
  });

  test("can be taken again once released", () => {
    take("mine").release();
    expect(take("mine").name).toBe("mine");
  });

  test("released twice does not take it from the next owner", () => {
    const first = take("mine");
    first.release();
    take("mine");
    first.release();
    expect(() => take("mine")).toThrow("taken");
  });

  test("is released when disposed of", () => {
    {
      using _name = new InformerName("mine");
    }
    expect(take("mine").name).toBe("mine");
  });
});

describe("an informer's identity", () => {
  test("is reserved for the first of a resource, with its name", () => {
    const identity = take("mine").withResource(pods);
    expect([identity.isReserved, identity.name, identity.resource]).toEqual([true, "mine", pods]);
  });

  test("is not for the second of the same resource", () => {
    const name = take("mine");
    name.withResource(pods);
    expect(name.withResource({ ...pods }).isReserved).toBe(false);
  });

  test("is reserved for each resource", () => {
    const name = take("mine");
    name.withResource(pods);
    expect(name.withResource(configMaps).isReserved).toBe(true);
  });

  test("is lost with the name, and the next owner's is reserved", () => {
    const name = take("mine");
    const before = name.withResource(pods);
    name.release();
    expect([before.isReserved, name.withResource(configMaps).isReserved]).toEqual([false, false]);
    expect(take("mine").withResource(pods).isReserved).toBe(true);
  });
});
