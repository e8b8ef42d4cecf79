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

/** Asks for the groups "team" and "system:masters", signed with a key that is nobody's. */
export const mastersPem = [
  "-----BEGIN CERTIFICATE REQUEST-----",
  "MIH2MIGcAgEAMDoxDTALBgNVBAoMBHRlYW0xFzAVBgNVBAoMDnN5c3RlbTptYXN0",
  "ZXJzMRAwDgYDVQQDDAdzb21lb25lMFkwEwYHKoZIzj0CAQYIKoZIzj0DAQcDQgAE",
  "cxyj42PbJ97xcfEKA/Msnz0jiolasQO240BKd27aQraKlvObv6xl92zGSxpvSMPi",
  "ei8mZw1j7nOCl9/5bZe9e6AAMAoGCCqGSM49BAMCA0kAMEYCIQCehNN+iOA14BA6",
  "tVHZwxjU7ijW55rsLtGs1SW5kHj/BAIhAKwpi11i6R8YTk9Yj0+bxFcHWyb69DuK",
  "GM4ykIwZb3Do",
  "-----END CERTIFICATE REQUEST-----",
  "",
].join("\n");
