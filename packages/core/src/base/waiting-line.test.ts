import fc from "fast-check";
import { expect, test } from "vitest";
import { type WaitingEntry, WaitingLine } from "./waiting-line.ts";

test("any joining, leaving and serving: as an array would do it", () => {
  const steps = fc.array(fc.oneof(fc.constant("join"), fc.constant("shift"), fc.nat(40)), { maxLength: 200 });
  fc.assert(
    fc.property(steps, (script) => {
      const line = new WaitingLine<number>();
      const places: WaitingEntry<number>[] = [];
      let model: number[] = [];
      for (const step of script) {
        if (step === "join") {
          model.push(places.length);
          places.push(line.join(places.length));
        } else if (step === "shift") {
          expect(line.shift()).toBe(model.shift());
        } else {
          const place = places[step];
          if (place === undefined) continue;
          line.leave(place);
          model = model.filter((item) => item !== place.item);
        }
        expect(line.size).toBe(model.length);
      }
      while (model.length > 0) expect(line.shift()).toBe(model.shift());
      expect([line.shift(), places.every(({ hasLeft }) => hasLeft)]).toEqual([undefined, true]);
    }),
  );
});
