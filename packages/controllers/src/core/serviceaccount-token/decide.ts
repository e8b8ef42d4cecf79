// The rules of the token controller: which tokens are deleted, what a secret is filled with, what is struck from an account's list.
import { type corev1, keyOf } from "@kubeloop/core/api";
import {
  type Action,
  ask,
  askPort,
  type DecideContext,
  type Decision,
  editObject,
  liveGet,
  nothing,
  plan,
  removeObject,
  TerminalError,
  unfinished,
} from "@kubeloop/core/contract";
import { secrets, serviceAccounts } from "@kubeloop/core/resources";
import { newClaims, tokenSigner } from "./claims.ts";
import type { ObservedAccount, ObservedSecret } from "./observe.ts";
import { accountNameAnnotation, accountUidAnnotation, isMeant, isTokenOf, type Reference } from "./token-secret.ts";

/** Deletes the tokens of an account that is gone, and those of an earlier one of its name. */
export function decideAccount({ accountKey, account, tokens }: ObservedAccount, context: DecideContext): Decision {
  if (tokens.every((token) => isTokenOf(token, account))) return nothing("no token is left behind");
  const question = liveGet(serviceAccounts, accountKey);
  const live = context.answer(question);
  if (live === undefined) return ask("is the account really gone?", question);
  if (!live.ok) return unfinished("the account cannot be read", live.error);
  const left = tokens.filter((token) => !isTokenOf(token, live.value));
  return plan(`${left.length} left behind`, [left.map(deleteToken)]);
}

/** Deletes a token whose account is gone, and fills one whose account is there. */
export const newDecideSecret =
  (rootCa: string) =>
  ({ secret, accountKey, account: cached }: ObservedSecret, context: DecideContext): Decision => {
    let account = cached;
    if (account === undefined || !isTokenOf(secret, account)) {
      const question = liveGet(serviceAccounts, accountKey);
      const live = context.answer(question);
      if (live === undefined) return ask("is there an account that the cache has not?", question);
      if (!live.ok) return unfinished("the account cannot be read", live.error);
      account = live.value;
      if (account === undefined || !isTokenOf(secret, account)) {
        return plan("its account is gone", [[deleteToken(secret)]]);
      }
    }
    return fill(secret, account, toBase64(rootCa), context);
  };

function fill(cached: corev1.Secret, account: corev1.ServiceAccount, rootCa: string, context: DecideContext): Decision {
  if (isFilled(cached, rootCa)) return nothing("has all");
  const question = liveGet(secrets, keyOf(cached));
  const answer = context.answer(question);
  if (answer === undefined) return ask("what does the secret lack?", question);
  if (!answer.ok) return unfinished("the secret cannot be read", answer.error);
  const { value: secret } = answer;
  if (secret === undefined) return nothing("is gone");
  if (secret.metadata.resourceVersion !== cached.metadata.resourceVersion) {
    return nothing("the cache is behind: its next event brings the key back");
  }
  const { data = {} } = secret;
  const filled: Record<string, string> = { ...data };
  if (rootCa !== "") filled["ca.crt"] = rootCa;
  if (isEmpty(data["namespace"])) filled["namespace"] = toBase64(secret.metadata.namespace ?? "");
  if (isEmpty(data["token"])) {
    const signing = askPort(tokenSigner, newClaims(account, secret));
    const token = context.answer(signing);
    if (token === undefined) return ask("sign a token", signing);
    // The same key and the same claims would fail again.
    if (!token.ok) return unfinished("no token was signed", new TerminalError(token.error.message));
    filled["token"] = toBase64(token.value);
  }
  const annotations = {
    ...secret.metadata.annotations,
    [accountNameAnnotation]: account.metadata.name ?? "",
    [accountUidAnnotation]: account.metadata.uid ?? "",
  };
  const after = { ...secret, metadata: { ...secret.metadata, annotations }, data: filled };
  return plan("fill", [[editObject(secrets, secret, after, { tolerates: ["NotFound"] })]]);
}

/** Strikes a deleted token from its account's list. */
export function decideReference({ accountKey, accountUid, secretName }: Reference, context: DecideContext): Decision {
  const question = liveGet(serviceAccounts, accountKey);
  const live = context.answer(question);
  if (live === undefined) return ask("does the account list it?", question);
  if (!live.ok) return unfinished("the account cannot be read", live.error);
  const { value: account } = live;
  if (account === undefined || !isMeant(account, accountUid)) return nothing("the account is gone");
  const { secrets: listed = [] } = account;
  const kept = listed.filter(({ name }) => name !== secretName);
  if (kept.length === listed.length) return nothing("is not listed");
  const edit = editObject(serviceAccounts, account, { ...account, secrets: kept }, { tolerates: ["NotFound"] });
  return plan("strike it", [[edit]]);
}

/** A conflict is a secret that was deleted and made anew under its name: that one is not meant. */
function deleteToken(secret: corev1.Secret): Action {
  return removeObject(secrets, secret, { tolerates: ["NotFound", "Conflict"] });
}

function isFilled({ data = {} }: corev1.Secret, rootCa: string): boolean {
  const isTrusting = rootCa === "" || data["ca.crt"] === rootCa;
  return isTrusting && !isEmpty(data["namespace"]) && !isEmpty(data["token"]);
}

const isEmpty = (value: string | undefined) => value === undefined || value === "";

const toBase64 = (text: string) => Buffer.from(text, "utf8").toString("base64");
