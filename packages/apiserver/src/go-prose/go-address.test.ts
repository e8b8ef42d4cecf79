// What Go's net/url finds wrong, in its words.
import { expect, test } from "vitest";
import { parseAddress } from "./go-address.ts";

test.each([
  ["https://a.b:80/c?d=e#f", { scheme: "https", user: undefined, host: "a.b:80", query: "d=e", fragment: "f" }],
  ["HTTPS://u:p@a", { scheme: "https", user: "u:p", host: "a", query: "", fragment: "" }],
  ["https://@a", { scheme: "https", user: "", host: "a", query: "", fragment: "" }],
  [
    "https://[fe80::1%25en0]:80",
    { scheme: "https", user: undefined, host: "[fe80::1%25en0]:80", query: "", fragment: "" },
  ],
  ["https:a:b", { scheme: "https", user: undefined, host: "", query: "", fragment: "" }],
  ["///a", { scheme: "", user: undefined, host: "", query: "", fragment: "" }],
  ["//é%C3%A9/a", { scheme: "", user: undefined, host: "é%C3%A9", query: "", fragment: "" }],
  ["*", { scheme: "", user: undefined, host: "", query: "", fragment: "" }],
  ["", { scheme: "", user: undefined, host: "", query: "", fragment: "" }],
])("%s is an address", (text, address) => expect(parseAddress(text)).toEqual({ address }));

test.each([
  ["https://[::1", "missing ']' in host"],
  ["https://a[::1]", "invalid IP-literal"],
  ["https://[10.0.0.1]", "invalid IP-literal"],
  ["https://[::1]a", 'invalid port "a" after host'],
  ["https://a:b", 'invalid port ":b" after host'],
  ["https://a:1:2", 'invalid port ":1:2" after host'],
  ["https://a b", 'invalid character " " in host name'],
  ["https://a%41", 'invalid URL escape "%41"'],
  ["https://a%4", 'invalid URL escape "%4"'],
  ["https://a/%zzz", 'invalid URL escape "%zz"'],
  ["https://a<@b", "net/url: invalid userinfo"],
  ["https://a%zz@b", 'invalid URL escape "%zz"'],
  ["a:b_c:d/\u0007", "net/url: invalid control character in URL"],
  ["://a", "missing protocol scheme"],
  ["1a://b", "first path segment in URL cannot contain colon"],
])("%j is none: %s", (text, why) => expect(parseAddress(text)).toEqual({ fault: expect.stringContaining(`: ${why}`) }));

test("only a fault of the fragment is told with it", () => {
  expect(parseAddress("https://a#%zz")).toEqual({ fault: 'parse "https://a#%zz": invalid URL escape "%zz"' });
  expect(parseAddress("https://a b#c")).toEqual({ fault: 'parse "https://a b": invalid character " " in host name' });
});
