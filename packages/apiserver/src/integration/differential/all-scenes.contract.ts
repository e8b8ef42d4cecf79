// Every scene of the differential suite, one list per subject.
import { protocolScenes } from "./protocol-scenes.contract.ts";
import { rbacScenes } from "./rbac-scenes.contract.ts";
import type { Scene } from "./request-script.contract.ts";

export const allScenes: readonly Scene[] = [...protocolScenes, ...rbacScenes];
