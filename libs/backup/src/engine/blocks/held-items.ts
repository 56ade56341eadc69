import { isNotFound, type KubeApi, parseExact, stringify, type Unstructured } from '@lateen/kube';
import type { ApiCalls } from '../collect/api-calls.ts';
import { type Item, itemOf } from '../items/item.ts';
import { placeText, type RecordedItem } from '../items/item-record.ts';

export const heldKey = (item: RecordedItem): string => `${item.type.gvk} ${placeText(item)}`;

interface Held extends RecordedItem {
  /** The JSON; absent when the limit was reached already. */
  text: string | undefined;
}

/** Objects that wait for their block: their JSON up to a limit; of further objects only the names, by which they are read again. */
export class HeldItems {
  readonly #held = new Map<string, Held>();
  readonly #bytesMax: number;
  #bytes = 0;

  constructor(bytesMax: number) {
    this.#bytesMax = bytesMax;
  }

  /** How many bytes are held. */
  get bytes(): number {
    return this.#bytes;
  }

  hold(item: Item): void {
    const { type, namespace, name } = item;
    const text = this.#bytes < this.#bytesMax ? stringify(item.object) : undefined;
    this.#bytes += text?.length ?? 0;
    this.#held.set(heldKey(item), { type, namespace, name, text });
  }

  has(key: string): boolean {
    return this.#held.has(key);
  }

  recorded(key: string): RecordedItem | undefined {
    return this.#held.get(key);
  }

  keys(): string[] {
    return [...this.#held.keys()];
  }

  /** Returns the item without releasing it; undefined when it is not in the cluster any more. */
  async read(key: string, kube: KubeApi, calls: ApiCalls, signal: AbortSignal): Promise<Item | undefined> {
    const held = this.#held.get(key);
    if (held === undefined) return undefined;
    if (held.text !== undefined) return itemOf(held.type, parseExact(held.text) as Unstructured);
    const { type } = held.type;
    const place = held.namespace === undefined ? { name: held.name } : { namespace: held.namespace, name: held.name };
    try {
      const object = await calls.run(
        (either) => kube.get(type, place, { numbers: 'exact', signal: either }) as Promise<Unstructured>,
        signal,
      );
      return itemOf(held.type, object);
    } catch (error) {
      if (isNotFound(error)) return undefined;
      throw error;
    }
  }

  /** Call it when the item is done. */
  release(key: string): void {
    this.#bytes -= this.#held.get(key)?.text?.length ?? 0;
    this.#held.delete(key);
  }
}
