// Property tests repeat: one seed for all, another one on demand (`KUBELOOP_SEED=7 npm test`). A failure prints its own.
import fc from "fast-check";

const seed = process.env["KUBELOOP_SEED"];
fc.configureGlobal({ seed: seed === undefined ? 20_261_115 : Number(seed) });
