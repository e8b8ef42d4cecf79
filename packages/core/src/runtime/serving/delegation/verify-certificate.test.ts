import { X509Certificate } from "node:crypto";
import { expect, test } from "vitest";
import { verifyCertificate } from "./verify-certificate.ts";

/** Of its own authority, made by `openssl req -x509` with the subject /O=dev+O=ops/CN=eve\+test@example.com: both organizations are one part, as Go makes them. */
const pem = `-----BEGIN CERTIFICATE-----
MIIByDCCAW+gAwIBAgIUIj9U14wnO8JLB8g98yJ1tbTKaDkwCgYIKoZIzj0EAwIw
OTEYMAoGA1UECgwDZGV2MAoGA1UECgwDb3BzMR0wGwYDVQQDDBRldmUrdGVzdEBl
eGFtcGxlLmNvbTAgFw0yNjExMTgwOTIyNTJaGA8yMTI2MTAyNTA5MjI1MlowOTEY
MAoGA1UECgwDZGV2MAoGA1UECgwDb3BzMR0wGwYDVQQDDBRldmUrdGVzdEBleGFt
cGxlLmNvbTBZMBMGByqGSM49AgEGCCqGSM49AwEHA0IABMw/roa6A3CUEWHOurp8
5FFgfN42lvusjDeSnYD6bCogR0I5sT03WcXjQS1P4rHcQom5EGbtElwdokvIT/ke
rDqjUzBRMB0GA1UdDgQWBBSGtf3LwBouypEK6QpJL/fWN41J6DAfBgNVHSMEGDAW
gBSGtf3LwBouypEK6QpJL/fWN41J6DAPBgNVHRMBAf8EBTADAQH/MAoGCCqGSM49
BAMCA0cAMEQCID221iIto68SEbP15zmcij+4q/zp7SRKGrXSpbEKFhRfAiAkSMHl
C8C9Ld2xZRZtp9GLLv0E088MMtw3Lk4cyFvwRg==
-----END CERTIFICATE-----
`;

test("several organizations in one part of the subject are several groups, and a name is read as it is", () => {
  const certificate = new X509Certificate(pem);
  const nowMs = Date.parse(certificate.validFrom);
  expect(verifyCertificate([certificate.raw], [certificate], nowMs)).toEqual({
    commonName: "eve+test@example.com",
    organizations: ["dev", "ops"],
  });
  expect(verifyCertificate([certificate.raw], [certificate], nowMs - 1000)).toBeUndefined();
});
