// The host ports in use on a node. A port is taken per protocol and IP address; the address 0.0.0.0, or none, stands for all addresses.
import type { ContainerPort } from "@kubeloop/core/types/core/v1";

const allAddresses = "0.0.0.0";

export class HostPorts {
  /** By protocol and port, how many containers use each address. */
  readonly #users: Map<string, Map<string, number>>;

  constructor(users = new Map<string, Map<string, number>>()) {
    this.#users = users;
  }

  get size(): number {
    return this.#users.size;
  }

  add(port: ContainerPort): void {
    this.#change(port, 1);
  }

  remove(port: ContainerPort): void {
    this.#change(port, -1);
  }

  hasConflict(port: ContainerPort): boolean {
    const addresses = this.#users.get(keyOf(port));
    if (addresses === undefined) return false;
    const address = addressOf(port);
    return address === allAddresses || addresses.has(allAddresses) || addresses.has(address);
  }

  clone(): HostPorts {
    return new HostPorts(new Map([...this.#users].map(([key, addresses]) => [key, new Map(addresses)])));
  }

  #change(port: ContainerPort, by: number): void {
    const key = keyOf(port);
    const addresses = this.#users.get(key) ?? new Map<string, number>();
    const address = addressOf(port);
    const count = (addresses.get(address) ?? 0) + by;
    if (count > 0) addresses.set(address, count);
    else addresses.delete(address);
    if (addresses.size > 0) this.#users.set(key, addresses);
    else this.#users.delete(key);
  }
}

function keyOf({ protocol = "TCP", hostPort }: ContainerPort): string {
  return `${protocol}/${hostPort}`;
}

function addressOf({ hostIP = "" }: ContainerPort): string {
  return hostIP === "" ? allAddresses : hostIP;
}
