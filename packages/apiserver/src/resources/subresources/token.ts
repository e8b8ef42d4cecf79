// POST of a TokenRequest: tokens come with authentication. Until then the server says so, as one without a signing key does.
import { newStatusError } from "@kubeloop/core/api";
import type { Answer } from "../../wire/answer.ts";
import type { RequestScope } from "../request-scope.ts";

export async function createToken(_scope: RequestScope): Promise<Answer> {
  throw newStatusError({
    code: 404,
    reason: "NotFound",
    message: "the server could not find the requested resource",
  });
}
