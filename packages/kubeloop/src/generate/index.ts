// `generate`: from CustomResourceDefinitions to TypeScript. Pure from text to text (read-crds, crd, schema, write-types,
// write-module); generate-command.ts has the options, world.ts the files and the cluster.
//
// Not here: types of built-in resources, which @kubeloop/core ships.
export { generateCommand, generateHelp } from "./generate-command.ts";
export { type ClusterChoice, type GenerateWorld, nodeWorld } from "./world.ts";
