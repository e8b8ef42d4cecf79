// Loaded into a process before all else (`node --import`): measures how much of its processor time JSON.parse takes, and writes the share to the
// file that KUBELOOP_DECODING_SHARE names when the process ends.
import { writeFileSync } from "node:fs";
import { systemClock } from "@kubeloop/core/base";

const { parse } = JSON;
let decodingMs = 0;

JSON.parse = (text, reviver) => {
  const beganMs = systemClock.monotonic();
  try {
    return parse(text, reviver);
  } finally {
    decodingMs += systemClock.monotonic() - beganMs;
  }
};

process.once("exit", () => {
  const { user, system } = process.cpuUsage();
  const { KUBELOOP_DECODING_SHARE: path } = process.env;
  if (path !== undefined) writeFileSync(path, String(decodingMs / ((user + system) / 1000)));
});
