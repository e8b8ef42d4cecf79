import { createAuthority } from "@kubeloop/apiserver/authority";
import { readPublishedAuthorities } from "@kubeloop/core/runtime";
import { expect, test } from "vitest";
import { parseOptions } from "../options/index.ts";
import { readGivenAuthorities } from "./client-authorities.ts";

test("what the flags say of front proxies is what is read of their headers", async () => {
  const { pair } = await createAuthority("proxies");
  const { authentication } = parseOptions([
    "--requestheader-client-ca-file=proxies.crt",
    "--requestheader-allowed-names=a,b",
    "--requestheader-username-headers=X-User",
    "--requestheader-uid-headers=X-Uid",
    "--requestheader-group-headers=X-Group",
    "--requestheader-extra-headers-prefix=X-More-",
  ]);
  const read: string[] = [];
  const { requestHeader, clientAuthorities } = await readGivenAuthorities(authentication, async (path) => {
    read.push(path);
    return pair.certPem;
  });
  expect(read).toEqual(["proxies.crt"]);
  expect(clientAuthorities).toEqual([]);
  expect(requestHeader?.authorities.map(({ subject }) => subject)).toEqual(["CN=proxies"]);
  expect(requestHeader).toMatchObject({
    allowedNames: ["a", "b"],
    usernameHeaders: ["X-User"],
    uidHeaders: ["X-Uid"],
    groupHeaders: ["X-Group"],
    extraHeaderPrefixes: ["X-More-"],
  });
});

test("what the cluster publishes of front proxies is read the same", async () => {
  const { pair } = await createAuthority("proxies");
  const data = {
    "requestheader-client-ca-file": pair.certPem,
    "requestheader-allowed-names": '["a"]',
    "requestheader-username-headers": '["X-User"]',
    "requestheader-uid-headers": '["X-Uid"]',
    "requestheader-group-headers": '["X-Group"]',
    "requestheader-extra-headers-prefix": '["X-More-"]',
  };
  expect(readPublishedAuthorities({ data }).requestHeader).toMatchObject({
    allowedNames: ["a"],
    usernameHeaders: ["X-User"],
    uidHeaders: ["X-Uid"],
    groupHeaders: ["X-Group"],
    extraHeaderPrefixes: ["X-More-"],
  });
  expect(readPublishedAuthorities({}).requestHeader).toBeUndefined();
});
