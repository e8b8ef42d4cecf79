// A request for a certificate, signed with a key that is nobody's.
export const requestPem = [
  "-----BEGIN CERTIFICATE REQUEST-----",
  "MIHcMIGDAgEAMCExDTALBgNVBAoMBHRlYW0xEDAOBgNVBAMMB3NvbWVvbmUwWTAT",
  "BgcqhkjOPQIBBggqhkjOPQMBBwNCAASDIp0ar7XisapU4VpIkBEDk8gtxSiymHkY",
  "64kuO7/SE6Q2lSbtYn2N2rwTIAyS4hekODX2Nh31yR8V7Z8Imzd4oAAwCgYIKoZI",
  "zj0EAwIDSAAwRQIhAPcDoMPGlS5F/HgqgLQ75ZRjbws6It7M4qKBEnCsCXODAiAz",
  "b84dSbRkAo9hlytHhWiqDSRa5Pnli90dRfZ2pZwgKA==",
  "-----END CERTIFICATE REQUEST-----",
  "",
].join("\n");
