// Every command that the documents show, and who runs it. A document that names another one fails the check until
// somebody does.

export type CommandRunner =
  /** `.ci/run` runs it, or it is part of what that runs. */
  | { readonly by: "ci" }
  /** The packaging tests run it as it stands and look at what it prints. */
  | { readonly by: "packaging"; readonly prints: RegExp }
  /** The packaging tests run it beside `npm start`, look at the first line that it prints, and interrupt it. */
  | { readonly by: "beside-start"; readonly prints: RegExp };

export const documentedCommands: Readonly<Record<string, CommandRunner>> = {
  "npm ci && npm start": { by: "ci" },
  "npm ci && npm test": { by: "ci" },
  "KUBECONFIG=.kubeloop/kubeconfig node examples/dist/informers/follow-pods.js": {
    by: "beside-start",
    prints: /^0 in all/,
  },
  "npm run check": { by: "ci" },
  "npm run test:kubernetes": { by: "ci" },
  "npm run generate -- --check": { by: "packaging", prints: /./ },
  "npm run bench -- install-size": { by: "packaging", prints: /^kept +install of @kubeloop\/core/m },
  "node packages/kubeloop/dist/bundle/esm/cli.js api-resources --api-group batch -o wide": {
    by: "packaging",
    prints: /^cronjobs +cj +batch\/v1 +true +CronJob +create,/m,
  },
  "node packages/kubeloop/dist/bundle/esm/cli.js generate --crd examples/sample-controller/foo-crd.yaml --out -": {
    by: "packaging",
    prints: /^export interface Foo {$/m,
  },
  "node examples/dist/sample-controller/reconcile-style.js --print-rbac": {
    by: "packaging",
    prints: /"kind": "ClusterRole",\n +"metadata": \{\n +"name": "sample-controller"/,
  },
  "node examples/dist/website-operator/main.js --print rbac": {
    by: "packaging",
    prints: /"name": "website-operator-leader-election"/,
  },
  "node examples/dist/website-operator/main.js --print webhook": {
    by: "packaging",
    prints: /"kind": "ValidatingWebhookConfiguration"/,
  },
  "node packages/controller-manager/dist/bundle/esm/cli.js --list-controllers": {
    by: "packaging",
    prints: /^replicaset-controller +replicaset +replicaset-controller +-$/m,
  },
  "node packages/kubeloop/dist/bundle/esm/cli.js version": {
    by: "packaging",
    prints: /^kubeloop \d+\.\d+\.\d+, Kubernetes v1\.36\.4$/m,
  },
};
