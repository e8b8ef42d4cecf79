// The fake server as a SimulatedServer. Its writes are immediate. GrownServer adds features that it does not have, such as patches.
import type { KubernetesObject, Resource } from "../../api/index.ts";
import { GrownServer } from "../contract/grown-server.fixture.ts";
import type { OpenServer, SimulatedServer } from "./simulated-server.fixture.ts";

export const openFakeServer: OpenServer = async ({ clock, resources, body, behaviour, onWritten }) => {
  const grown = new GrownServer({
    clock,
    resources,
    ...(body === undefined ? {} : { body }),
    ...(behaviour === undefined ? {} : { behaviour }),
  });
  const { server } = grown;
  const tell = (resource: Resource, before: KubernetesObject | undefined, after: KubernetesObject | undefined) =>
    onWritten?.({ resource, revision: server.revision, before, after });
  const simulated: SimulatedServer = {
    transport: grown.transport,
    get revision() {
      return server.revision;
    },
    get openWatches() {
      return server.openWatches;
    },
    get: (resource, key) => server.get(resource, key),
    list: (resource) => server.list(resource),
    async create(resource, object) {
      const created = server.create(resource, object);
      tell(resource, undefined, created);
      return created;
    },
    async update(resource, object) {
      const { namespace = "", name = "" } = object.metadata;
      const before = server.get(resource, resource.namespaced ? `${namespace}/${name}` : name);
      const updated = server.update(resource, object);
      tell(resource, before, updated);
      return updated;
    },
    async delete(resource, key) {
      const before = server.get(resource, key);
      server.delete(resource, key);
      tell(resource, before, undefined);
    },
    async compact(revision) {
      server.compact(revision);
    },
    endWatches: (how) => server.endWatches(how),
    fallBehind: () => server.pauseCache(),
    catchUp: () => server.resumeCache(),
    behave: (changed) => server.behave(changed),
    moveToServerBehind: (writes) => server.moveToServerBehind(writes),
    async [Symbol.asyncDispose]() {},
  };
  return simulated;
};
