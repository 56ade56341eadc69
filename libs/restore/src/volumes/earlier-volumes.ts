import { annotations, getValidName, labels, type PersistentVolume, persistentVolumeType } from '@lateen/api-types';
import { type KubeApi, listAll, type Unstructured } from '@lateen/kube';
import type { RestoreEngineRequest } from '../engine/contract.ts';
import type { VolumeDecision } from '../engine/item-run.ts';
import { isOfEarlierAttempt } from '../item/existing/earlier-attempt.ts';

type Request = Pick<RestoreEngineRequest, 'restore' | 'backup'>;

/**
 * The volumes that this restore created before its controller was restarted: a native snapshot must not become a second volume. They are
 * listed once, when the first volume is needed.
 */
export class EarlierVolumes {
  readonly #kube: KubeApi;
  readonly #request: Request;
  #listing: Promise<ReadonlyMap<string, PersistentVolume>> | undefined;

  constructor(kube: KubeApi, request: Request) {
    this.#kube = kube;
    this.#request = request;
  }

  /** @param name the name of the volume in the backup */
  async of(name: string, signal: AbortSignal): Promise<Extract<VolumeDecision, { restore: true }> | undefined> {
    this.#listing ??= this.#list(signal);
    const volume = (await this.#listing).get(name);
    if (volume === undefined) return undefined;
    const { name: own = name } = volume.metadata;
    return { restore: true, volume, ...(own === name ? {} : { name: own }) };
  }

  async #list(signal: AbortSignal): Promise<ReadonlyMap<string, PersistentVolume>> {
    const labelSelector = `${labels.restoreName}=${getValidName(this.#request.restore.metadata.name ?? '')}`;
    const { items } = await listAll(this.#kube, persistentVolumeType, { labelSelector, signal });
    const ours = items.filter((each) => isOfEarlierAttempt(this.#request, each as unknown as Unstructured));
    return new Map(ours.map((each) => [nameInBackup(each), each]));
  }
}

const nameInBackup = ({ metadata }: PersistentVolume): string =>
  metadata.annotations?.[annotations.originalPvName] ?? metadata.name ?? '';
