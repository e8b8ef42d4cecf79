// Certificate signing requests. The key they are for is nobody's.
import { requestPem } from "../certificate-request.contract.ts";
import { kindScene } from "./kind-scene.contract.ts";
import type { Scene } from "./request-script.contract.ts";

const certificatePem = [
  "-----BEGIN CERTIFICATE-----",
  "MIIBbzCCARWgAwIBAgIUci69djpDs7L8NIZinuA4vWRXPAowCgYIKoZIzj0EAwIw",
  "DDEKMAgGA1UEAwwBYTAgFw0yNjExMTYwNDQ0NTRaGA8yMTI2MTAyMzA0NDQ1NFow",
  "DDEKMAgGA1UEAwwBYTBZMBMGByqGSM49AgEGCCqGSM49AwEHA0IABIMinRqvteKx",
  "qlThWkiQEQOTyC3FKLKYeRjriS47v9ITpDaVJu1ifY3avBMgDJLiF6Q4NfY2HfXJ",
  "HxXtnwibN3ijUzBRMB0GA1UdDgQWBBTaDwDucEmTyDoDS0kxQEe5Gb01VzAfBgNV",
  "HSMEGDAWgBTaDwDucEmTyDoDS0kxQEe5Gb01VzAPBgNVHRMBAf8EBTADAQH/MAoG",
  "CCqGSM49BAMCA0gAMEUCIQDRgp9rIyvESiDis+aQ/HMvMo02zPKmZ3LF+IzEt/jS",
  "RgIgQkvkauFoWx/p4+U7gA1PRcwS/OTBtoDaSq52Ye6gVpw=",
  "-----END CERTIFICATE-----",
  "",
].join("\n");

const path = "/apis/certificates.k8s.io/v1/certificatesigningrequests";
const table = { accept: "application/json;as=Table;g=meta.k8s.io;v=v1" };
const encoded = (text: string) => Buffer.from(text, "latin1").toString("base64");
const request = encoded(requestPem);
const certificate = encoded(certificatePem);
/** One bit of the signature is another. */
const forged = encoded(requestPem.replace("ZwgKA==", "ZwhKA=="));
const spec = { request, signerName: "example.com/signer", usages: ["client auth"] };
const object = (name: string) => ({
  kind: "CertificateSigningRequest",
  apiVersion: "certificates.k8s.io/v1",
  metadata: { name },
  spec,
});
const condition = (type: string, more: object = {}) => ({ type, status: "True", reason: "r", message: "m", ...more });
const conditions = (...types: string[]) => ({ status: { conditions: types.map((type) => condition(type)) } });

const refused: Readonly<Record<string, { readonly spec: object | undefined }>> = {
  "without anything": { spec: undefined },
  "of nothing": { spec: { request: "" } },
  "of something else": { spec: { request: certificate } },
  "of a forged request": { spec: { request: forged } },
  "without usages": { spec: { usages: [] } },
  "of odd usages": { spec: { usages: ["client auth", "client auth", "x"] } },
  "of a short time": { spec: { expirationSeconds: 599 } },
  "without a signer": { spec: { signerName: "" } },
  "of a signer without a path": { spec: { signerName: "a.b" } },
  "of a signer without a domain": { spec: { signerName: "a/b" } },
  "of bad signers": { spec: { signerName: "A_b.c/D_e" } },
  "of a long signer": { spec: { signerName: `a.b/${"c".repeat(600)}` } },
  "of the signer of old": { spec: { signerName: "kubernetes.io/legacy-unknown" } },
};

/** Whose requests they are differs between servers, and so do all answers that show one: only refusals can be compared as they are. */
export const certificatesScenes: readonly Scene[] = [
  {
    name: "refused certificate signing requests",
    steps: [
      ...Object.entries(refused).map(([title, { spec: other }]) => ({
        title,
        method: "POST",
        path,
        body: { ...object("{ns}-r"), spec: other && { ...spec, ...other } },
      })),
      { title: "by signer", path, query: { fieldSelector: "spec.signerName=nobody.example.com/x" } },
      { title: "by namespace", path, query: { fieldSelector: "metadata.namespace=a" } },
      { title: "by a field nobody knows", path, query: { fieldSelector: "nonsense=a" } },
    ],
  },
];

/** All of it. */
export const certificateStories: readonly Scene[] = [
  kindScene({
    name: "certificate signing requests",
    path,
    object: {
      ...object("{ns}-c"),
      spec: { ...spec, username: "somebody", groups: ["else"], expirationSeconds: 3600 },
      status: { certificate },
    },
    others: {
      ...refused,
      "under a name no path holds, for nothing": { metadata: { name: "a/b" }, spec: { usages: [] } },
      "under any name": { metadata: { name: "a:B_c" } },
    },
    changes: {
      "kept by anybody": { metadata: { finalizers: ["x"] } },
      "let go": { metadata: { finalizers: null } },
      "given a bad prefix": { metadata: { generateName: "A_b" } },
      "given no prefix": { metadata: { generateName: null } },
      "given an end and bad labels": { metadata: { deletionGracePeriodSeconds: 5, labels: { "a b": "c" } } },
      "asking for something else": { spec: { signerName: "a.b/c", expirationSeconds: 5 } },
      "telling its own state": conditions("Approved"),
    },
    throughSubresources: {
      "status: approved through the wrong subresource": conditions("Approved"),
      "status: failed and odd": conditions("Failed", "Odd"),
      "status: odd no more": conditions("Failed"),
      "status: failed no more": conditions(),
      "status: badly told": {
        status: {
          conditions: [
            condition("Failed", { status: "False" }),
            condition("", { status: "" }),
            condition("A", { status: "X" }),
            condition("B"),
            condition("B"),
          ],
        },
      },
      "status: signed with nonsense": { status: { certificate: encoded("nonsense") } },
      "status: signed with a request": { status: { certificate: request } },
      "approval: signed through the wrong subresource": { status: { certificate } },
    },
    badName: "a%b",
    steps: [
      { title: "by signer", path, query: { fieldSelector: "spec.signerName=nobody.example.com/x" } },
      { title: "by namespace", path, query: { fieldSelector: "metadata.namespace=a" } },
    ],
  }),
  kindScene({
    name: "certificates",
    path,
    object: object("{ns}-d"),
    throughSubresources: {
      "approval: denied and approved": conditions("Denied", "Approved"),
      "approval: approved and denied": conditions("Approved", "Denied"),
      "approval: approved": { spec: { signerName: "a.b/c" }, ...conditions("Approved") },
      "approval: approved twice": conditions("Approved", "Approved"),
      "approval: approved no more": conditions(),
      "approval: denied instead": conditions("Denied"),
      "status: signed": { status: { certificate } },
      "status: signed again": { status: { certificate: encoded(certificatePem + certificatePem) } },
      "status: with another approval": {
        status: { conditions: [condition("Approved", { reason: "s", lastUpdateTime: "2020-01-01T00:00:00Z" })] },
      },
    },
    steps: [{ title: "signed, as a table", path: `${path}/{ns}-d`, headers: table }],
  }),
];
