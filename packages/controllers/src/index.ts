// `@kubeloop/controllers`: Kubernetes' built-in controllers, one folder each. Today it holds their names; the controllers
// come wave by wave, on core's `contract`. They never see a client, an informer or a clock of their own.
export { type ControllerName, controllerNames } from "./controller-names.ts";
