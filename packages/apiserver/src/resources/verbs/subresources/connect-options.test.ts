import { noBody, parseQuery, requestInfoOf } from "@kubeloop/core/api";
import { expect, test } from "vitest";
import { connectOptionsOf } from "./connect-options.ts";

function optionsOf(url: string): unknown {
  const [path = "", search = ""] = url.split("?");
  const query = parseQuery(search);
  const request = {
    method: "POST",
    path: `/api/v1/${path}`,
    query,
    headers: {},
    body: noBody,
    prefers: "values",
  } as const;
  const info = requestInfoOf(request);
  if (!info.isResourceRequest) throw new Error(`${path} is no resource`);
  const { kind, apiVersion, ...fields } = { ...connectOptionsOf(query, info) };
  return kind === undefined ? undefined : { [`${apiVersion} ${kind}`]: fields };
}

const pod = "namespaces/a/pods/b";

test.each([
  [
    `${pod}/exec?command=sh&command=-c&stdin=true&stdout=1&stderr=false&tty=0&container=c&x=y`,
    {
      "v1 PodExecOptions": {
        stdin: true,
        stdout: true,
        stderr: false,
        tty: false,
        container: "c",
        command: ["sh", "-c"],
      },
    },
  ],
  [`${pod}/attach?stdin=&command=sh`, { "v1 PodAttachOptions": { stdin: true } }],
  [`${pod}/portforward?ports=80,443&ports=8080`, { "v1 PodPortForwardOptions": { ports: [80, 443, 8080] } }],
  [`${pod}/portforward`, { "v1 PodPortForwardOptions": {} }],
  [`${pod}/proxy/a/b/?path=x`, { "v1 PodProxyOptions": { path: "/a/b/" } }],
  ["nodes/n/proxy", { "v1 NodeProxyOptions": { path: "" } }],
  ["namespaces/a/services/s/proxy/x", { "v1 ServiceProxyOptions": { path: "/x" } }],
  [`${pod}/log?container=c`, undefined],
])("%s", (url, expected) => {
  expect(optionsOf(url)).toEqual(expected);
});

test.each([
  [`${pod}/exec?dryRun=All`, "dryRun is not supported"],
  ["nodes/n/proxy?dryRun=", "dryRun is not supported"],
  [`${pod}/portforward?ports=`, 'cannot convert to []int32: strconv.ParseUint: parsing "": invalid syntax'],
  [`${pod}/portforward?ports=1,x`, 'cannot convert to []int32: strconv.ParseUint: parsing "x": invalid syntax'],
  [
    `${pod}/portforward?ports=65536`,
    'cannot convert to []int32: strconv.ParseUint: parsing "65536": value out of range',
  ],
])("%s is refused", (url, message) => {
  expect(() => optionsOf(url)).toThrow(message);
});
