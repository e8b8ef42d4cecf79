import { FakeClock, seededRandom } from "@kubeloop/core/base";
import { describe, expect, test } from "vitest";
import { ApiServer } from "../api-server.ts";
import { ask } from "../ask.fixture.ts";
import { choosePluginNames, newPlugins, type PluginChoice } from "./choose-plugins.ts";
import { defaultOnPlugins, orderedPluginNames } from "./plugin-order.ts";
import { writtenPlugins } from "./plugins/index.ts";

const all = () => true;
const choose = (choice: PluginChoice, isWritten: (name: string) => boolean = all) =>
  choosePluginNames(choice, isWritten);

describe("a server runs", () => {
  test("what upstream runs by default, in its order, but for ServiceAccount", () => {
    const expected = orderedPluginNames.filter((name) => defaultOnPlugins.has(name) && name !== "ServiceAccount");
    expect(choose({})).toEqual(expected);
  });

  test("only what is written", () => {
    expect(choose({}, (name) => name === "Priority")).toEqual(["Priority"]);
  });

  test("what is asked for, in its place", () => {
    const chosen = choose({ enableAdmissionPlugins: ["ServiceAccount"], disableAdmissionPlugins: ["LimitRanger"] });
    expect(chosen.slice(0, 3)).toEqual(["NamespaceLifecycle", "ServiceAccount", "TaintNodesByCondition"]);
  });
});

describe("plugins are asked", () => {
  test("in the order in which they were chosen", () => {
    const written = orderedPluginNames.filter((name) => writtenPlugins.has(name));
    expect(newPlugins(written, writtenPlugins, {} as never).map(({ name }) => name)).toEqual(written);
  });

  test("in that order by a server: NamespaceLifecycle refuses what ServiceAccount would, too", async () => {
    const enableAdmissionPlugins = ["ServiceAccount"];
    await using server = await ApiServer.open({
      clock: new FakeClock(),
      random: seededRandom(1),
      enableAdmissionPlugins,
    });
    const create = async (namespace: string) => {
      const spec = { serviceAccountName: "x", containers: [{ name: "c", image: "i" }] };
      const value = { metadata: { name: "a" }, spec };
      return (await ask(server, `/api/v1/namespaces/${namespace}/pods`, { method: "POST", value })).code;
    };
    expect([await create("none"), await create("default")]).toEqual([404, 403]);
  });
});

test.each([
  [{ enableAdmissionPlugins: ["Nonsense"] }, 'enable-admission-plugins plugin "Nonsense" is unknown'],
  [{ disableAdmissionPlugins: ["Nonsense"] }, 'disable-admission-plugins plugin "Nonsense" is unknown'],
  [
    { enableAdmissionPlugins: ["Priority", "LimitRanger"], disableAdmissionPlugins: ["Priority", "LimitRanger"] },
    "[LimitRanger Priority] in enable-admission-plugins and disable-admission-plugins overlapped",
  ],
  [
    { enableAdmissionPlugins: ["ImagePolicyWebhook"] },
    'enable-admission-plugins plugin "ImagePolicyWebhook" is not written yet',
  ],
])("%j is refused when the server opens", async (choice, message) => {
  await expect(ApiServer.open(choice as PluginChoice)).rejects.toThrow(message);
});

test("every written plugin has its own name, and there is one of each", () => {
  for (const [name, newPlugin] of writtenPlugins) expect(newPlugin({} as never).name).toBe(name);
});
