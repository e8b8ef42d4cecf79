import { KubeloopError } from "@kubeloop/core/base";
import { describe, expect, test } from "vitest";
import { UsageError } from "../usage-error.ts";
import { fileFault, listenFault } from "./start-faults.ts";

const errno = (code: string) => Object.assign(new Error(`${code}: told by the system`), { code, syscall: "open" });
const cannotListen = (reason: string, message: string, code: string) =>
  new KubeloopError(message, { reason, retry: "never", cause: errno(code) });
const otherPort = "choose another with --port, or --port 0 for any that is free";

describe("one sentence for", () => {
  for (const [what, fault, sentence] of [
    [
      "a port that is taken",
      listenFault(cannotListen("PortTaken", "port 80 on 127.0.0.1 is taken", "EADDRINUSE"), 80),
      `up: port 80 on 127.0.0.1 is taken; ${otherPort}`,
    ],
    [
      "a port that is not permitted",
      listenFault(cannotListen("CannotListen", "cannot listen", "EACCES"), 80),
      `up: port 80 is not permitted to you; ${otherPort}`,
    ],
    [
      "an address that is not there",
      listenFault(cannotListen("CannotListen", "cannot listen on 127.0.0.1:80: no address", "EADDRNOTAVAIL"), 80),
      `up: cannot listen on 127.0.0.1:80: no address; ${otherPort}`,
    ],
    [
      "a folder that is not writable",
      fileFault(errno("EACCES"), "write", "/a"),
      "up: cannot write /a: that is not permitted to you; run this in another folder",
    ],
    [
      "what the system calls by a name we do not know",
      fileFault(errno("ELOOP"), "write", "/a"),
      "up: cannot write /a: ELOOP; run this in another folder",
    ],
  ] as const) {
    test(what, () => expect(fault).toEqual(new UsageError(sentence)));
  }
});

test("a bug of ours stays one", () => {
  const bug = new TypeError("x is not a function");
  expect([listenFault(bug, 80), fileFault(bug, "write", "/a")]).toEqual([bug, bug]);
  const closed = new KubeloopError("the server is closed", { reason: "Closed", retry: "never" });
  expect(listenFault(closed, 80)).toBe(closed);
});
