import type { ItemPlace } from '@lateen/archive';

/** Maps kind, namespace and name to the number of an object, without a string key for each. */
export class ItemIndex {
  readonly #byResource = new Map<string, Map<string, Map<string, number>>>();

  get({ groupResource, namespace = '', name }: ItemPlace): number | undefined {
    return this.#byResource.get(groupResource)?.get(namespace)?.get(name);
  }

  set({ groupResource, namespace = '', name }: ItemPlace, number: number): void {
    const namespaces = this.#byResource.get(groupResource) ?? new Map<string, Map<string, number>>();
    const names = namespaces.get(namespace) ?? new Map<string, number>();
    this.#byResource.set(groupResource, namespaces.set(namespace, names.set(name, number)));
  }
}
