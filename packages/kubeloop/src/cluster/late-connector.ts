// Logs and the like come from the nodes, which are made after the server, because they are its clients. Until then nobody can be asked.
import type { ApiServerOptions } from "@kubeloop/apiserver";
import { KubeloopError } from "@kubeloop/core/base";
import type { ControlPlane } from "./control-plane.ts";

type NodeConnector = NonNullable<ApiServerOptions["nodeConnector"]>;

export class LateConnector implements NodeConnector {
  plane: Pick<ControlPlane, "nodes"> | undefined;

  readonly answer: NodeConnector["answer"] = async (target, request, signal) => {
    const connector = this.plane?.nodes?.connector;
    if (connector === undefined) throw new KubeloopError("the nodes have not started", { reason: "NotStarted" });
    return await connector.answer(target, request, signal);
  };
}
