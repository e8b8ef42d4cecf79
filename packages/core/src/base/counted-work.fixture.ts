// What a piece of work costs, counted instead of timed, so that it does not matter how busy the machine is:
// - steps: how often the engine entered a block of JavaScript (a function, a loop's body, a branch), and for calls of the built-ins below,
//   which look at every element of what they are called on, that many more;
// - bytes: what was allocated on the heap, kept or not. The engine samples it by bytes, not by time; an error of some percent remains.
// A copy or a search inside a loop shows in one or the other. What a regular expression does inside shows in neither.
//
// The engine counts only in code that it compiles after counting has begun. So a test file imports this one first, alone and for its effect,
// and is a slow test: those have a process each.
import { Session } from "node:inspector/promises";
import { expect } from "vitest";

export interface CountedWork {
  readonly steps: number;
  readonly bytes: number;
}

const session = new Session();
session.connect();
await session.post("Profiler.enable");
await session.post("Profiler.startPreciseCoverage", { callCount: true, detailed: true });

export async function countWork(run: () => unknown): Promise<CountedWork> {
  // Taking the counts sets them back to zero.
  await session.post("Profiler.takePreciseCoverage");
  await session.post("HeapProfiler.startSampling", {
    samplingInterval: 16 * 1024,
    includeObjectsCollectedByMajorGC: true,
    includeObjectsCollectedByMinorGC: true,
  });
  const elements = countElements();
  try {
    await run();
  } finally {
    elements.stop();
  }
  const { profile } = await session.post("HeapProfiler.stopSampling");
  const { result } = await session.post("Profiler.takePreciseCoverage");
  let steps = elements.count();
  for (const { functions } of result) {
    for (const { ranges } of functions) for (const { count } of ranges) steps += count;
  }
  return { steps, bytes: bytesOf(profile.head) };
}

/**
 * Throws unless eight times as many elements cost about eight times as much. Work that grows with the square of their number costs sixty-four
 * times as much. What is compiled and kept at the first run is not counted.
 */
export async function expectLinearWork(small: number, run: (count: number) => unknown): Promise<void> {
  await run(Math.ceil(small / 2));
  const part = await countWork(() => run(small));
  const whole = await countWork(() => run(8 * small));
  expect(whole.steps / part.steps).toBeLessThan(16);
  // Small amounts are sampled too rarely to be compared.
  expect(whole.bytes / Math.max(part.bytes, 1024 * 1024)).toBeLessThan(20);
}

interface AllocationNode {
  readonly selfSize: number;
  readonly children: readonly AllocationNode[];
}

function bytesOf(head: AllocationNode): number {
  const left = [head];
  let bytes = 0;
  for (let node = left.pop(); node !== undefined; node = left.pop()) {
    bytes += node.selfSize;
    left.push(...node.children);
  }
  return bytes;
}

interface Sequence {
  readonly length: number;
  indexOf(sought: unknown, from?: number): number;
}

type Scanned = (of: Sequence, args: readonly unknown[], result: unknown) => number;

const all: Scanned = ({ length }) => length;
const untilFound: Scanned = ({ length }, [, from = 0], index) =>
  Math.max(1, ((index as number) < 0 ? length : (index as number) + 1) - Number(from));
const backUntilFound: Scanned = ({ length }, _, index) => length - Math.max(0, index as number);

/** Built-ins that go through a list or a text and call nothing that would be counted, with how many elements they look at. */
const passes: Readonly<Record<string, Scanned>> = {
  indexOf: untilFound,
  lastIndexOf: backUntilFound,
  join: all,
  unshift: all,
  splice: ({ length }, [start = 0]) => Math.max(1, length - Math.max(0, Number(start))),
  split: all,
  replaceAll: all,
  trim: all,
};

function countElements(): { count(): number; stop(): void } {
  let elements = 0;
  const restores: (() => void)[] = [];
  const replace = (prototype: object, name: string, makeValue: (original: Method) => Method) => {
    const original = Object.getOwnPropertyDescriptor(prototype, name);
    if (original === undefined) return;
    Object.defineProperty(prototype, name, { ...original, value: makeValue(original.value as Method) });
    restores.push(() => Object.defineProperty(prototype, name, original));
  };
  for (const prototype of [Array.prototype, String.prototype]) {
    const { indexOf } = prototype as unknown as Record<string, Method>;
    for (const [name, scanned] of Object.entries(passes)) {
      replace(
        prototype,
        name,
        (original) =>
          function (this: Sequence, ...args) {
            const result = Reflect.apply(original, this, args);
            elements += scanned(this, args, result);
            return result;
          },
      );
    }
    replace(
      prototype,
      "includes",
      (original) =>
        function (this: Sequence, ...args) {
          const isThere = Reflect.apply(original, this, args);
          elements +=
            isThere === true ? untilFound(this, args, Reflect.apply(indexOf as Method, this, args)) : this.length;
          return isThere;
        },
    );
  }
  return {
    count: () => elements,
    stop() {
      for (const restore of restores) restore();
    },
  };
}

type Method = (this: Sequence, ...args: unknown[]) => unknown;
