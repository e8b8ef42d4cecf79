// The plugins one after the other, each asked only for what it handles. All of `admit` comes before all of `validate`: the verbs see to that.
import type { AdmissionMetrics, AdmissionPhase } from "./admission-metrics.ts";
import type { AdmissionAttributes } from "./attributes.ts";
import type { AdmissionPlugin } from "./plugin.ts";

export interface Admission {
  admit(attributes: AdmissionAttributes): Promise<void>;
  validate(attributes: AdmissionAttributes): Promise<void>;
}

export class AdmissionChain implements Admission {
  readonly #plugins: readonly AdmissionPlugin[];
  /** Who is asked in a phase for an operation on a resource: found out once. */
  readonly #asked = new Map<string, readonly AdmissionPlugin[]>();

  readonly #metrics: AdmissionMetrics | undefined;

  constructor(plugins: readonly AdmissionPlugin[], metrics?: AdmissionMetrics) {
    this.#plugins = plugins;
    this.#metrics = metrics;
  }

  async admit(attributes: AdmissionAttributes): Promise<void> {
    await this.#ask("admit", attributes);
  }

  async validate(attributes: AdmissionAttributes): Promise<void> {
    await this.#ask("validate", attributes);
  }

  async #ask(phase: AdmissionPhase, attributes: AdmissionAttributes): Promise<void> {
    const { operation } = attributes;
    for (const plugin of this.#pluginsFor(phase, attributes)) {
      const ask = async () => await plugin[phase]?.(attributes);
      if (this.#metrics === undefined) await ask();
      else await this.#metrics.measure({ name: plugin.name, operation, phase }, ask);
    }
  }

  #pluginsFor(phase: AdmissionPhase, { operation, resource: { group, resource } }: AdmissionAttributes) {
    const collection = group === "" ? resource : `${group}/${resource}`;
    const key = `${phase} ${operation} ${collection}`;
    let plugins = this.#asked.get(key);
    if (plugins === undefined) {
      plugins = this.#plugins.filter(
        (plugin) =>
          plugin[phase] !== undefined &&
          plugin.handles.includes(operation) &&
          plugin.resources?.includes(collection) !== false,
      );
      this.#asked.set(key, plugins);
    }
    return plugins;
  }
}

/** For what the server writes on behalf of a request that was admitted already. */
export const noAdmission: Admission = {
  async admit() {},
  async validate() {},
};
