import type { Random } from '@lateen/kernel';
import type { Replica } from '@lateen/storage-types';

/** More replicas than a volume may have. */
const uuidsPerVolume = 20;

/**
 * Identities for new replicas: the same as long as the same replicas are seen, so that a decision that is repeated with a stale cache creates its
 * replica only once; then new ones, so that no name is used twice. Memory: 20 strings for each volume of this manager.
 */
export class FreshNames {
  readonly #random: Pick<Random, 'uuid'>;
  readonly #known = new Map<string, { readonly replicas: string; readonly uuids: readonly string[] }>();

  constructor(random: Pick<Random, 'uuid'>) {
    this.#random = random;
  }

  of(volumeKey: string, replicas: readonly Replica[]): readonly string[] {
    const seen = replicas
      .map(({ metadata }) => metadata.uid ?? '')
      .sort()
      .join();
    const known = this.#known.get(volumeKey);
    if (known?.replicas === seen) return known.uuids;
    const uuids = Array.from({ length: uuidsPerVolume }, () => this.#random.uuid());
    this.#known.set(volumeKey, { replicas: seen, uuids });
    return uuids;
  }

  forget(volumeKey: string): void {
    this.#known.delete(volumeKey);
  }
}
