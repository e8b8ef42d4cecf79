import { expect, test } from "vitest";
import { readProcNumbers } from "./proc-files.ts";

const files: Readonly<Record<string, string>> = {
  limits: [
    "Limit                     Soft Limit           Hard Limit           Units     ",
    "Max open files            1024                 524288               files     ",
    "Max address space         unlimited            unlimited            bytes     ",
  ].join("\n"),
  status: "Name:\tnode\nVmPeak:\t  2000 kB\nVmSize:\t  1000 kB\n",
  "net/netstat":
    "TcpExt: SyncookiesSent InOctets\nTcpExt: 1 2\nIpExt: InNoRoutes InOctets OutOctets\nIpExt: 0 500 700\n",
};

test("limits, size and network are read from Linux' own files", () => {
  expect(readProcNumbers((file) => files[file])).toEqual({
    maxFds: 1024,
    maxVirtualBytes: 2 ** 64,
    virtualBytes: 1_024_000,
    receivedBytes: 500,
    sentBytes: 700,
  });
});

test("what is not there is not told", () => {
  expect(readProcNumbers(() => undefined)).toEqual({});
  expect(readProcNumbers((file) => (file === "limits" ? files[file] : ""))).toEqual({
    maxFds: 1024,
    maxVirtualBytes: 2 ** 64,
  });
});
