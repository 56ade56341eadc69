import { persistentVolumeClaimType, persistentVolumeType, podType } from '@lateen/api-types';
import { eachAtOnce } from '@lateen/kernel';
import { isNotFound } from '@lateen/kube';
import type { EngineParts } from '../engine-parts.ts';
import type { ItemType } from '../items/item-type.ts';
import { asPod } from '../volumes/claim-index.ts';
import { listRange } from './list-type.ts';

/**
 * Reads facts that decisions about volumes need in addition: all pods of namespaces with claims, including pods that the filters exclude,
 * and, when policies need them, volumes that no list contained.
 */
export async function readMissingVolumeFacts(parts: EngineParts, signal: AbortSignal): Promise<void> {
  const { volumes, ports } = parts;
  const pods = parts.knownTypes.named(podType.resource);
  if (pods !== undefined)
    await eachAtOnce(rangesWithoutPods(pods, parts), ports.limits.listsMax, async (range) => {
      const onPage = async (page: readonly { object: object }[]) => {
        for (const { object } of page) volumes.index.addPod(asPod(object as never), false);
        return 0;
      };
      await listRange({ type: pods, range }, parts.lists, onPage, signal);
    });
  if (!volumes.needsVolumes) return;
  await eachAtOnce(volumes.index.unknownVolumes(), ports.limits.itemsMax, (name) => readVolume(name, parts, signal));
}

/** The lists that are needed for pods which no list of the backup contained. */
function rangesWithoutPods(pods: ItemType, { request, volumes, knownTypes }: EngineParts): { namespace?: string }[] {
  const namespaces = volumes.index.namespaces();
  if (namespaces.length === 0) return [];
  const plan = request.filters.listPlan(pods.type);
  const seen = plan === undefined || plan.labelSelectors.length > 0 ? [] : plan.namespaces;
  if (seen === 'all') return [];
  const unseen = namespaces.filter((namespace) => !seen.includes(namespace));
  const claims = knownTypes.named(persistentVolumeClaimType.resource);
  const everywhere = claims !== undefined && request.filters.listPlan(claims.type)?.namespaces === 'all';
  return everywhere && unseen.length > 1 ? [{}] : unseen.map((namespace) => ({ namespace }));
}

async function readVolume(name: string, { ports, calls, volumes }: EngineParts, signal: AbortSignal): Promise<void> {
  try {
    const read = (either: AbortSignal) => ports.kube.get(persistentVolumeType, { name }, { signal: either });
    volumes.index.addVolume(await calls.run(read, signal));
  } catch (error) {
    signal.throwIfAborted();
    const fields = { resource: persistentVolumeType.resource, name, err: error };
    if (isNotFound(error)) ports.log.warn(fields, 'volume of a claim is not in the cluster');
    else ports.log.error(fields, 'Error reading the volume of a claim: volume policies are decided without it');
  }
}
