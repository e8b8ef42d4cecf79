// Builders of objects for tests. Start with objects.ts.
export {
  newConfigMap,
  newDaemonSet,
  newDeployment,
  newJob,
  newNamespace,
  newNode,
  newObject,
  newPod,
  newReplicaSet,
  newSecret,
  newService,
  newStatefulSet,
  ownedBy,
  stored,
} from "./objects.ts";
export type { Overrides } from "./overrides.ts";
