// serviceaccount-controller: sees to it that every active namespace has the service account "default", which pods that name none run as.
//
//   watches   namespaces, and service accounts that are deleted
//   writes    service accounts (create)
//
// Promises
// - An account that is there is never touched, whatever it looks like: only its absence counts.
// - An account that is deleted is created again, as long as the namespace is active.
// - In a namespace that is being deleted nothing is created; that a create comes too late for one is no failure.
import { keyed, mapped, verbs } from "@kubeloop/core/contract";
import { namespaces, serviceAccounts } from "@kubeloop/core/resources";
import { decide } from "./decide.ts";
import { newObserve } from "./observe.ts";

export interface ServiceAccountSettings {
  /** The accounts that every namespace has: "default" alone, unless given. No flag sets it. */
  readonly accounts?: readonly string[];
}

export const newServiceAccountController = ({ accounts = ["default"] }: ServiceAccountSettings = {}) =>
  keyed({
    name: "serviceaccount-controller",
    metricName: "serviceaccount",
    primary: namespaces,
    watches: [
      mapped(serviceAccounts, ({ metadata }) => [metadata.namespace ?? ""], { when: ({ type }) => type === "delete" }),
    ],
    writes: [verbs(serviceAccounts, "create")],
    observe: newObserve(accounts),
    decide,
  });
