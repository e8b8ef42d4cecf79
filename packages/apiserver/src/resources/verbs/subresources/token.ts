// POST of a TokenRequest: tokens come with authentication. Until then the server says so, as one without a signing key does, to whoever is admitted.
import { type KubernetesObject, newStatusError } from "@kubeloop/core/api";
import type { Draft } from "../../../kinds/kind-rules.ts";
import type { Answer } from "../../../wire/answer.ts";
import { tokenRequestKind } from "../../../wire/meta-kinds.ts";
import { writeOptionsOf } from "../../options/request-options.ts";
import { admitAndValidate } from "../../registry/admission-attributes.ts";
import { readPlain } from "../read-object.ts";
import type { RequestScope } from "../request-scope.ts";

export async function createToken(scope: RequestScope): Promise<Answer> {
  const options = writeOptionsOf(scope.request.query, "CreateOptions");
  const object = (await readPlain(scope, tokenRequestKind, options)) as Draft<KubernetesObject>;
  const { isDryRun } = options;
  await admitAndValidate(scope, { operation: "CREATE", kind: tokenRequestKind, object, options, isDryRun });
  throw newStatusError({
    code: 404,
    reason: "NotFound",
    message: "the server could not find the requested resource",
  });
}
