// Signs for tests: whoever reads a token sees what it is for.
import { Ports } from "@kubeloop/core/runtime";
import { type TokenClaims, tokenSigner } from "./claims.ts";

export const fakeToken = (claims: TokenClaims) => `signed ${JSON.stringify(claims)}`;

export const newSignerPorts = () => new Ports().implement(tokenSigner, async (claims) => fakeToken(claims));
