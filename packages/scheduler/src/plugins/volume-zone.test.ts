import { expect, test } from "vitest";
import { type ClusterFacts, filterAlone, node } from "../cluster.fixture.ts";
import { claim, podWith, storageClass, volume } from "../storage.fixture.ts";
import { volumeZone } from "./volume-zone.ts";

const zone = "topology.kubernetes.io/zone";
const oldZone = "failure-domain.beta.kubernetes.io/zone";
const region = "topology.kubernetes.io/region";
const conflict = "UU node(s) had no available volume zone";
const nodes = [
  node("a", { labels: { [zone]: "a", [region]: "r" } }),
  node("b", { labels: { [zone]: "b" } }),
  node("old", { labels: { [oldZone]: "a" } }),
  node("free"),
];

test.each<[string, Readonly<Record<string, string>>, object]>([
  ["a zone", { [zone]: "a" }, { a: "ok", b: conflict, old: conflict, free: "ok" }],
  ["several zones", { [zone]: "a__b" }, { a: "ok", b: "ok", old: conflict, free: "ok" }],
  [
    "an old label, which new labels of nodes match",
    { [oldZone]: "a" },
    { a: "ok", b: conflict, old: "ok", free: "ok" },
  ],
  ["zone and region", { [zone]: "a", [region]: "r" }, { a: "ok", b: conflict, old: conflict, free: "ok" }],
  ["a region that nodes do not have", { [region]: "s" }, { a: conflict, b: conflict, old: conflict, free: "ok" }],
  ["a list with an empty zone is ignored", { [zone]: "a__" }, { all: "skip" }],
  ["no label", {}, { all: "skip" }],
])("%s", (_, labels, expected) => {
  const cluster = { nodes, claims: [claim("c", { volume: "v" })], volumes: [volume("v", { labels })] };
  expect(filterAlone(volumeZone, podWith(["c"]), cluster)).toEqual(expected);
});

test.each<[string, Partial<ClusterFacts>, string]>([
  ["the claim is missing", {}, 'UU persistentvolumeclaim "c" not found'],
  ["its volume is missing", { claims: [claim("c", { volume: "v" })] }, 'UU persistentvolume "v" not found'],
  [
    "neither volume nor class",
    { claims: [claim("c")] },
    "UU PersistentVolumeClaim had no pv name and storageClass name",
  ],
  [
    "a class that is missing",
    { claims: [claim("c", { className: "s" })] },
    'UU storageclass.storage.k8s.io "s" not found',
  ],
  [
    "an unbound claim of a class that binds at once",
    {
      claims: [claim("c", { className: "s" })],
      classes: [storageClass("s", { volumeBindingMode: "Immediate" })],
    },
    "UU PersistentVolume had no name",
  ],
  [
    "an unbound claim that waits for its first consumer",
    { claims: [claim("c", { className: "s" })], classes: [storageClass("s")] },
    "skip",
  ],
])("%s", (_, cluster, expected) => {
  expect(filterAlone(volumeZone, podWith(["c"]), { nodes, ...cluster })).toEqual({ all: expected });
});
