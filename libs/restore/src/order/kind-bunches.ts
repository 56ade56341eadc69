import type { CatalogItem } from '../engine/contract.ts';

/** Objects of one kind in one namespace, or cluster-scoped, in the serial order. */
export interface KindBunch {
  readonly groupResource: string;
  readonly namespace: string | undefined;
  readonly nodes: number[];
}

const keyOf = (groupResource: string, namespace: string | undefined): string => `${groupResource} ${namespace ?? ''}`;

export class KindBunches {
  readonly #bunches = new Map<string, KindBunch>();
  /** Namespaces in which a kind has objects. */
  readonly #namespacesOf = new Map<string, (string | undefined)[]>();

  constructor(items: readonly CatalogItem[]) {
    for (const [node, { groupResource, namespace }] of items.entries()) {
      const key = keyOf(groupResource, namespace);
      const bunch = this.#bunches.get(key);
      if (bunch !== undefined) {
        bunch.nodes.push(node);
        continue;
      }
      this.#bunches.set(key, { groupResource, namespace, nodes: [node] });
      const namespaces = this.#namespacesOf.get(groupResource);
      if (namespaces === undefined) this.#namespacesOf.set(groupResource, [namespace]);
      else namespaces.push(namespace);
    }
  }

  all(): KindBunch[] {
    return [...this.#bunches.values()];
  }

  /** Objects of a kind that objects of a namespace may depend on: those in it and cluster-scoped ones; for cluster-scoped objects, all. */
  concerning(groupResource: string, namespace: string | undefined): KindBunch[] {
    const places = namespace === undefined ? (this.#namespacesOf.get(groupResource) ?? []) : [namespace, undefined];
    return places.flatMap((place) => this.#bunches.get(keyOf(groupResource, place)) ?? []);
  }
}
