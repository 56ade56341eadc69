import type { ItemPlace } from '@lateen/archive';

/** Numbers of objects by kind, namespace and name, without a key of text for each. */
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
