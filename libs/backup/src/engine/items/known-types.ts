import type { DiscoveredType, Discovery } from '@lateen/kube';
import { type EngineActions, type ItemType, itemType } from './item-type.ts';

/** The resource types by name, for objects that actions and users name. */
export class KnownTypes {
  readonly #byName: Map<string, ItemType>;
  readonly #discovery: Discovery;
  readonly #actions: EngineActions;

  constructor(types: readonly DiscoveredType[], actions: EngineActions, discovery: Discovery) {
    const preferred = types.filter((type) => type.preferred);
    this.#byName = new Map(preferred.map((type) => [nameOf(type), itemType(type, actions)]));
    this.#actions = actions;
    this.#discovery = discovery;
  }

  /** Finds a type; asks discovery for types that were added since the start of the backup. @throws KUBE_RESOURCE_UNKNOWN */
  async find(named: { group: string; resource: string }, signal: AbortSignal): Promise<ItemType> {
    const known = this.#byName.get(nameOf(named));
    if (known !== undefined) return known;
    const query = named.group === '' ? named.resource : `${named.resource}.${named.group}`;
    const found = itemType(await this.#discovery.findResourceType(query, { signal }), this.#actions);
    this.#byName.set(nameOf(named), found);
    return found;
  }

  /** The type with that plural and group (`deployments.apps`), or the first one with that plural. */
  named(text: string): ItemType | undefined {
    const [resource = '', ...group] = text.split('.');
    if (group.length > 0) return this.#byName.get(nameOf({ resource, group: group.join('.') }));
    return this.#byName.get(nameOf({ resource, group: '' })) ?? this.#all().find(({ type }) => type.resource === text);
  }

  #all(): ItemType[] {
    return [...this.#byName.values()];
  }
}

const nameOf = ({ group, resource }: { group: string; resource: string }): string => `${resource}.${group}`;
