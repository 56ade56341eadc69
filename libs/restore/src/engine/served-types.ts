import { type DiscoveredType, type Discovery, groupResourceText, matchResourceType } from '@lateen/kube';
import type { ServedTypes } from './item-run.ts';

/** Chooses one of the versions that the target serves, given with its preferred one first; undefined when none is suitable. */
export type ChooseVersion = (groupResource: string, served: readonly string[]) => string | undefined;

/** The types that the target cluster serves, read once and again after CRDs were restored. */
export class KnownServedTypes implements ServedTypes {
  readonly #discovery: Discovery;
  readonly #choose: ChooseVersion;
  #types: readonly DiscoveredType[] = [];
  #byName = new Map<string, DiscoveredType[]>();
  readonly #chosen = new Map<string, DiscoveredType | undefined>();
  #refreshing: Promise<void> | undefined;

  constructor(discovery: Discovery, choose: ChooseVersion) {
    this.#discovery = discovery;
    this.#choose = choose;
  }

  get all(): readonly DiscoveredType[] {
    return this.#types;
  }

  /** Reads the types for the first time; the process may have them already. */
  async read(signal: AbortSignal): Promise<void> {
    this.#take(await this.#discovery.resourceTypes({ signal }));
  }

  find(groupResource: string): DiscoveredType | undefined {
    if (this.#chosen.has(groupResource)) return this.#chosen.get(groupResource);
    const served = this.#byName.get(groupResource) ?? [];
    const versions = [...served]
      .sort((a, b) => Number(b.preferred) - Number(a.preferred))
      .map(({ version }) => version);
    const version = versions.length === 0 ? undefined : this.#choose(groupResource, versions);
    const chosen = version === undefined ? undefined : served.find((type) => type.version === version);
    this.#chosen.set(groupResource, chosen);
    return chosen;
  }

  /** The resource that a user means by a name. */
  named(name: string): string | undefined {
    const found = matchResourceType(this.#types, name);
    return found && groupResourceText(found);
  }

  /** Reads the types again. A caller that arrives during a reading waits for the next one, because the current one may be too old. */
  async refresh(signal: AbortSignal): Promise<void> {
    await this.#refreshing?.catch(() => {});
    this.#refreshing ??= this.#readFresh(signal).finally(() => {
      this.#refreshing = undefined;
    });
    await this.#refreshing;
  }

  async #readFresh(signal: AbortSignal): Promise<void> {
    this.#take(await this.#discovery.resourceTypes({ fresh: true, signal }));
  }

  #take(types: readonly DiscoveredType[]): void {
    this.#types = types;
    this.#byName = Map.groupBy(types, groupResourceText);
    this.#chosen.clear();
  }
}
