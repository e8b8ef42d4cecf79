// Ages in tables are written as kubectl's descriptions write them.
export { printAge, printShortDuration } from "@kubeloop/core/api";
