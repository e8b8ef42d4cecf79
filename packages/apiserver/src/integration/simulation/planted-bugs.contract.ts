// Bugs for which the simulation has to be able to fail on this server: some that informers may have, and some that the server may have, each
// as a change of the source's text on its way to the machine.
//
// Whoever changes the source may have to change the text that is looked for here: a bug that cannot be planted fails loudly.
import { type PlantedBug, plantedBugs } from "@kubeloop/simulation-suite";

const ofInformers = [
  "a relist does not tell of what is gone",
  "a watch that is opened again starts where the list was",
  "a failure is tried again at once",
  "an index keeps what an object no longer is",
];

const ofTheServer: readonly PlantedBug[] = [
  {
    name: "the server takes what leaves a selection for changed",
    file: "../../apiserver/src/resources/verbs/watch-events.ts",
    edits: [
      ['return wasIn ? { type: "DELETED"', 'return wasIn ? { type: after === undefined ? "DELETED" : "MODIFIED"'],
    ],
  },
  {
    name: "the server tells of a deletion under the version from before it",
    file: "../../apiserver/src/resources/verbs/watch-events.ts",
    edits: [["resourceVersion: String(event.revision)", "resourceVersion: String(before.metadata.resourceVersion)"]],
  },
  {
    name: "the server begins a watch one event late",
    file: "../../apiserver/src/resources/verbs/watch.ts",
    edits: [
      [
        "    const alarm = new Alarm(this.#clock);\n",
        "    if (this.#log.at(collection, position) !== undefined) position++;\n    const alarm = new Alarm(this.#clock);\n",
      ],
    ],
  },
];

export const foundBugs: readonly PlantedBug[] = [
  ...plantedBugs.filter(({ name }) => ofInformers.includes(name)),
  ...ofTheServer,
];
