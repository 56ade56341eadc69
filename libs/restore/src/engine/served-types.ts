import { type DiscoveredType, type Discovery, groupResourceText, matchResourceType } from '@lateen/kube';
import type { ServedTypes } from './item-run.ts';

/** Which of the versions that the target serves, its preferred one first; undefined when none will do. */
export type ChooseVersion = (groupResource: string, served: readonly string[]) => string | undefined;

/** What the target cluster serves, read once and again when definitions have come. */
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

  /** The first reading, which may be one that the process has. */
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

  /** What a person means by a name. */
  named(name: string): string | undefined {
    const found = matchResourceType(this.#types, name);
    return found && groupResourceText(found);
  }

  /** Who comes while it is read already waits for the next reading: the present one may be too old. */
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
