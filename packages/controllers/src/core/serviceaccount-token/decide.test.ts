import { type corev1, keyOf } from "@kubeloop/core/api";
import {
  type Action,
  actionsOf,
  askPort,
  type Decision,
  liveGet,
  printAction,
  TerminalError,
} from "@kubeloop/core/contract";
import { secrets, serviceAccounts } from "@kubeloop/core/resources";
import { Answers, answered, newObject, newSecret, stored, unanswered } from "@kubeloop/core/testing";
import { describe, expect, test } from "vitest";
import { newClaims, tokenSigner } from "./claims.ts";
import { decideAccount, decideReference, newDecideSecret } from "./decide.ts";
import { accountNameAnnotation, accountUidAnnotation, tokenSecretType } from "./token-secret.ts";

const toBase64 = (text: string) => Buffer.from(text).toString("base64");
const newAccount = (uid = "12345", listed: readonly string[] = []): corev1.ServiceAccount =>
  stored(
    newObject(serviceAccounts, "default/default", {
      metadata: { uid, resourceVersion: "1" },
      secrets: listed.map((name) => ({ name })),
    }),
  );
const whole = { token: toBase64("ABC"), "ca.crt": toBase64("CA Data"), namespace: toBase64("default") };
const without = (key: keyof typeof whole) => ({ ...whole, [key]: undefined });

interface TokenFacts {
  readonly data?: Readonly<Record<string, string | undefined>>;
  readonly uid?: string | undefined;
  readonly version?: string;
  readonly name?: string;
}
const newToken = ({ data = whole, uid = "12345", version = "1", name = "token-secret-1" }: TokenFacts = {}) => {
  const annotations = {
    [accountNameAnnotation]: "default",
    ...(uid === "" ? {} : { [accountUidAnnotation]: uid }),
  };
  const metadata = { uid: `uid of ${name}`, resourceVersion: version, annotations };
  const kept = Object.fromEntries(Object.entries(data).filter(([, value]) => value !== undefined));
  return stored(
    newSecret(`default/${name}`, { type: tokenSecretType, metadata, data: kept as Record<string, string> }),
  );
};

const accountQuestion = liveGet(serviceAccounts, "default/default");
const secretQuestion = liveGet(secrets, "default/token-secret-1");
const failed = unanswered(new Error("the server is away"));

/** What it does: its actions, its questions, or why it cannot go on. */
function saidBy(decision: Decision): readonly string[] {
  if (decision.kind === "ask") return decision.questions.map(({ id }) => `ask ${id}`);
  const { unfinished } = decision;
  return unfinished === undefined ? actionsOf(decision).map(printAction) : [`unfinished: ${unfinished.message}`];
}

const askAccount = [`ask ${accountQuestion.id}`];
const askSecret = [`ask ${secretQuestion.id}`];
const away = ["unfinished: the server is away"];
const deletion = ["delete secrets default/token-secret-1"];

describe("an account", () => {
  const token = newToken();
  const decided = (
    account: corev1.ServiceAccount | undefined,
    tokens: readonly corev1.Secret[],
    answers = new Answers(),
  ) =>
    decideAccount({ accountKey: "default/default", account, tokens }, { nowMs: 0, answer: (q) => answers.answer(q) });
  const live = (account: corev1.ServiceAccount | undefined) => new Answers().give(accountQuestion, answered(account));
  const anew = newAccount("67890");

  test.each<[string, Decision, readonly string[]]>([
    ["with its tokens is left alone", decided(newAccount(), [token]), []],
    ["with a token that has no uid yet is left alone", decided(newAccount(), [newToken({ uid: "" })]), []],
    ["without tokens is left alone", decided(newAccount(), []), []],
    ["that is gone without tokens left nothing behind", decided(undefined, []), []],
    ["that is gone is asked for before its tokens are deleted", decided(undefined, [token]), askAccount],
    ["that is gone is followed by its tokens", decided(undefined, [token], live(undefined)), deletion],
    [
      "that is gone is followed by a token without uid",
      decided(undefined, [newToken({ uid: "" })], live(undefined)),
      deletion,
    ],
    [
      "that cannot be asked for keeps its tokens",
      decided(undefined, [token], new Answers().give(accountQuestion, failed)),
      away,
    ],
    ["that the cache only lacks keeps its tokens", decided(undefined, [token], live(newAccount())), []],
    ["of another uid is asked for", decided(anew, [token]), askAccount],
    ["made anew loses the tokens of the one before", decided(anew, [token], live(anew)), deletion],
    ["made anew keeps a token without uid", decided(anew, [newToken({ uid: "" })], live(anew)), []],
    ["that the cache has an old one of keeps the new one's tokens", decided(anew, [token], live(newAccount())), []],
    [
      "made anew keeps its own tokens",
      decided(anew, [token, newToken({ name: "mine", uid: "67890" })], live(anew)),
      deletion,
    ],
  ])("%s", (_fact, decision, expected) => expect(saidBy(decision)).toEqual(expected));

  test("all tokens of one that is gone are deleted side by side", () => {
    const decision = decided(undefined, [token, newToken({ name: "b" })], live(undefined));
    expect(decision.kind === "plan" && decision.steps.map((step) => step.length)).toEqual([2]);
  });
});

interface Given {
  readonly secret?: corev1.Secret;
  readonly account?: corev1.ServiceAccount | undefined;
  readonly liveAccount?: corev1.ServiceAccount | undefined;
  readonly liveSecret?: corev1.Secret | undefined;
  readonly token?: string;
  readonly rootCa?: string;
  readonly answers?: Answers;
}

function decidedSecret(given: Given): Decision {
  const { secret = newToken(), rootCa = "CA Data", answers = new Answers() } = given;
  if ("liveAccount" in given) answers.give(accountQuestion, answered(given.liveAccount));
  if ("liveSecret" in given) answers.give(secretQuestion, answered(given.liveSecret));
  const account = "account" in given ? given.account : newAccount();
  const claims = newClaims(given.liveAccount ?? account ?? newAccount(), secret);
  if (given.token !== undefined) answers.give(askPort(tokenSigner, claims), answered(given.token));
  return newDecideSecret(rootCa)(
    { secret, accountKey: "default/default", account },
    { nowMs: 0, answer: (question) => answers.answer(question) },
  );
}

describe("a token without its account", () => {
  test.each<[string, Given, readonly string[]]>([
    ["is not deleted before the server was asked", { account: undefined }, askAccount],
    ["is deleted when the server has none", { account: undefined, liveAccount: undefined }, deletion],
    ["is deleted when the server has another one", { account: undefined, liveAccount: newAccount("x") }, deletion],
    ["is not deleted when the server has it", { account: undefined, liveAccount: newAccount() }, []],
    [
      "is not deleted when the server cannot be asked",
      { account: undefined, answers: new Answers().give(accountQuestion, failed) },
      away,
    ],
    ["that the cache has another one of is asked for", { account: newAccount("x") }, askAccount],
    ["is deleted when that other one is true", { account: newAccount("x"), liveAccount: newAccount("x") }, deletion],
    ["is kept when that other one is old", { account: newAccount("x"), liveAccount: newAccount() }, []],
    [
      "and without uid is deleted when there is none",
      { secret: newToken({ uid: "" }), account: undefined, liveAccount: undefined },
      deletion,
    ],
    [
      "and without uid is filled for whichever there is",
      { secret: newToken({ uid: "", data: {} }), account: undefined, liveAccount: newAccount("x") },
      askSecret,
    ],
  ])("%s", (_fact, given, expected) => expect(saidBy(decidedSecret(given))).toEqual(expected));

  test("is deleted by its uid; that it is gone or another one by now is no failure", () => {
    const decision = decidedSecret({ account: undefined, liveAccount: undefined });
    const [action] = decision.kind === "plan" ? actionsOf(decision) : [];
    expect(action).toMatchObject({
      options: { preconditions: { uid: "uid of token-secret-1" } },
      tolerates: ["NotFound", "Conflict"],
    });
  });
});

describe("a token with its account", () => {
  const lacking = newToken({ data: without("token") });
  const behind = newToken({ data: without("token"), version: "2" });
  test.each<[string, Given, readonly string[]]>([
    ["that has all is left alone", {}, []],
    [
      "keeps a namespace of the user's",
      { secret: newToken({ data: { ...whole, namespace: toBase64("custom") } }) },
      [],
    ],
    ["keeps a token that is there", { secret: newToken({ data: { ...whole, token: toBase64("mine") } }) }, []],
    ["needs no authority where there is none", { secret: newToken({ data: without("ca.crt") }), rootCa: "" }, []],
    [
      "keeps another authority where there is none",
      { secret: newToken({ data: { ...whole, "ca.crt": toBase64("old") } }), rootCa: "" },
      [],
    ],
    ["that lacks its token is read first", { secret: lacking }, askSecret],
    ["that lacks its authority is read first", { secret: newToken({ data: without("ca.crt") }) }, askSecret],
    ["with another authority is read first", { secret: newToken({ data: { ...whole, "ca.crt": "b2xk" } }) }, askSecret],
    ["that lacks its namespace is read first", { secret: newToken({ data: without("namespace") }) }, askSecret],
    ["with an empty token is read first", { secret: newToken({ data: { ...whole, token: "" } }) }, askSecret],
    ["with an empty namespace is read first", { secret: newToken({ data: { ...whole, namespace: "" } }) }, askSecret],
    ["without data is read first", { secret: newToken({ data: {} }) }, askSecret],
    ["that is gone is left alone", { secret: lacking, liveSecret: undefined }, []],
    ["that has changed since waits for its event", { secret: lacking, liveSecret: behind }, []],
    [
      "that cannot be read is tried again",
      { secret: lacking, answers: new Answers().give(secretQuestion, failed) },
      away,
    ],
    [
      "that lacks its token gets one signed",
      { secret: lacking, liveSecret: lacking },
      [`ask ${askPort(tokenSigner, newClaims(newAccount(), lacking)).id}`],
    ],
    [
      "that lacks only its authority needs no signer",
      { secret: newToken({ data: without("ca.crt") }), liveSecret: newToken({ data: without("ca.crt") }) },
      ["edit secrets default/token-secret-1"],
    ],
  ])("%s", (_fact, given, expected) => expect(saidBy(decidedSecret(given))).toEqual(expected));

  test("without a signature it is not tried again: the same claims would fail again", () => {
    const answers = new Answers().give(askPort(tokenSigner, newClaims(newAccount(), lacking)), failed);
    const decision = decidedSecret({ secret: lacking, liveSecret: lacking, answers });
    expect(decision.kind === "plan" && decision.unfinished).toBeInstanceOf(TerminalError);
    expect(saidBy(decision)).toEqual(away);
  });
});

const annotated = { [accountNameAnnotation]: "default", [accountUidAnnotation]: "12345" };
const editOf = (given: Given): Action | undefined => {
  const decision = decidedSecret({ token: "ABC", ...given, liveSecret: given.secret });
  return decision.kind === "plan" ? actionsOf(decision)[0] : undefined;
};

describe("a token is filled with", () => {
  test.each<[string, TokenFacts, object]>([
    ["a token", { data: without("token") }, { data: { token: whole.token } }],
    ["the authority", { data: without("ca.crt") }, { data: { "ca.crt": whole["ca.crt"] } }],
    ["this authority", { data: { ...whole, "ca.crt": "b2xk" } }, { data: { "ca.crt": whole["ca.crt"] } }],
    ["its namespace", { data: without("namespace") }, { data: { namespace: whole.namespace } }],
    ["all of it", { data: {} }, { data: whole }],
    ["all of it, beside what a user put there", { data: { mine: "eA==" } }, { data: whole }],
    [
      "the account's uid, too",
      { data: without("token"), uid: "" },
      { data: { token: whole.token }, metadata: { annotations: { [accountUidAnnotation]: "12345" } } },
    ],
  ])("%s", (_fact, facts, patch) => {
    const action = editOf({ secret: newToken(facts) });
    expect(action?.type === "edit" && action.patch).toEqual(patch);
  });

  test("what it lacks, on the secret as it was read; that it is gone is no failure, a conflict is one", () => {
    const secret = newToken({ data: {} });
    expect(editOf({ secret })).toMatchObject({ before: secret, isLocked: true, tolerates: ["NotFound"] });
  });

  test("the uid of the account as the server has it", () => {
    const secret = newToken({ data: {}, uid: "" });
    const action = editOf({ secret, account: undefined, liveAccount: newAccount("x") });
    expect(action).toMatchObject({ patch: { metadata: { annotations: { [accountUidAnnotation]: "x" } } } });
  });

  test("no authority where there is none", () => {
    const action = editOf({ secret: newToken({ data: {} }), rootCa: "" });
    expect(action?.type === "edit" && action.patch).toEqual({
      data: { token: whole.token, namespace: whole.namespace },
    });
  });

  test("no annotation that is there already", () => {
    expect(newToken().metadata.annotations).toEqual(annotated);
    expect(editOf({ secret: newToken({ data: {} }) })).not.toHaveProperty("patch.metadata");
  });
});

describe("a token that was deleted", () => {
  const decided = (answers: Answers) =>
    decideReference(
      { accountKey: "default/default", accountUid: "12345", secretName: "token-secret-1" },
      { nowMs: 0, answer: (question) => answers.answer(question) },
    );
  const live = (account: corev1.ServiceAccount | undefined) =>
    decided(new Answers().give(accountQuestion, answered(account)));
  const edit = ["edit serviceaccounts default/default"];

  test.each<[string, Decision, readonly string[]]>([
    ["is looked for in the account as the server has it", decided(new Answers()), askAccount],
    ["is struck from the list", live(newAccount("12345", ["token-secret-1"])), edit],
    ["is not on an empty list", live(newAccount()), []],
    ["is not on a list of others", live(newAccount("12345", ["other"])), []],
    ["is nothing to an account that is gone", live(undefined), []],
    ["is nothing to another account of that name", live(newAccount("x", ["token-secret-1"])), []],
    ["is looked for again if the server cannot be asked", decided(new Answers().give(accountQuestion, failed)), away],
  ])("%s", (_fact, decision, expected) => expect(saidBy(decision)).toEqual(expected));

  test("leaves the other entries; that the account is gone is no failure, a conflict is one", () => {
    const account = newAccount("12345", ["a", "token-secret-1", "b"]);
    const decision = live(account);
    const [action] = decision.kind === "plan" ? actionsOf(decision) : [];
    expect(action).toMatchObject({ before: account, isLocked: true, tolerates: ["NotFound"] });
    expect(action?.type === "edit" && action.patch).toEqual({ secrets: [{ name: "a" }, { name: "b" }] });
    expect(keyOf(account)).toBe("default/default");
  });

  test("and was named by no uid is struck from whichever account there is", () => {
    const answers = new Answers().give(accountQuestion, answered(newAccount("x", ["token-secret-1"])));
    const decision = decideReference(
      { accountKey: "default/default", accountUid: "", secretName: "token-secret-1" },
      { nowMs: 0, answer: (question) => answers.answer(question) },
    );
    expect(saidBy(decision)).toEqual(edit);
  });
});
