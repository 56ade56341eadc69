import {
  annotations,
  type DataDownload,
  dataDownloadType,
  type Pod,
  persistentVolumeClaimType,
} from '@lateen/api-types';
import { parseBoolean, parseDurationMs } from '@lateen/kernel';
import { listAll, readObject } from '@lateen/kube';
import type { ItemIdentifier } from '../contract/item-identifier.ts';
import { type RestoreActionContext, type RestoreItemAction, withItemsWait } from '../contract/restore-item-action.ts';
import { waitsForConsumer } from '../item/waits-for-consumer.ts';
import { claimsOf } from '../pod-items.ts';
import { ofRestore } from '../restore-csi/restore-labels.ts';
import { ownEphemeralClaims } from './ephemeral-claims.ts';

/**
 * The claims that a pod mounts come before it. A pod is created while the data of its claims still moves, and starts when that is there;
 * where the pod or the Restore asks for it (`lateen.dev/wait-for-data`), it is created when all of them have it: for operators that count
 * how long a pod takes to start. Claims of ephemeral volumes are the pod's own as soon as it is there.
 */
export const claimsOfPodAction: RestoreItemAction = {
  name: 'velero.io/add-pvc-from-pod',
  appliesTo: { includedResources: ['pods'] },
  execute: async ({ item }, context) => {
    const additionalItems = claimsOf(item as unknown as Pod);
    const result = { updatedItem: item, additionalItems };
    const waitMs = additionalItems.length === 0 ? undefined : dataWaitOf(item as unknown as Pod, context);
    return waitMs === undefined ? result : withItemsWait(result, waitMs);
  },
  areAdditionalItemsReady: async ({ items, restore, signal }, context) => {
    const { kube, veleroNamespace: namespace } = context;
    const labelSelector = ofRestore(restore);
    const downloads = await listAll(kube, dataDownloadType, { namespace, labelSelector, signal });
    for (const item of items) {
      const download = downloads.items.find(({ spec }) => isInto(spec.targetVolume, item, context));
      const phase = download?.status?.phase;
      if (phase === 'Failed' || phase === 'Canceled')
        return { ready: false, error: `DataDownload ${download?.metadata.name} of PVC ${item.name} is ${phase}` };
      if (download === undefined || phase === 'Completed') continue;
      if (!(await needsPod(item, context, signal))) return { ready: false };
    }
    return { ready: true };
  },
  itemCreated: async ({ item }, context, signal) => {
    await ownEphemeralClaims(item as unknown as Pod, context, signal);
    return [];
  },
};

/** How long the pod waits at most, 0 as long as the server says; undefined: not at all. The pod's word counts before the Restore's. */
function dataWaitOf({ metadata }: Pod, { restore, log }: RestoreActionContext): number | undefined {
  const key = annotations.waitForData;
  const text = metadata.annotations?.[key] ?? restore.metadata.annotations?.[key] ?? '';
  if (text === '' || parseBoolean(text) === false) return undefined;
  if (parseBoolean(text) === true) return 0;
  const waitMs = parseDurationMs(text);
  if (waitMs !== undefined && waitMs > 0) return waitMs;
  log.warn(
    { annotation: key, value: text },
    'the annotation is neither true, false nor a duration: the pod does not wait',
  );
  return undefined;
}

const isInto = (
  target: DataDownload['spec']['targetVolume'],
  { namespace = '', name }: ItemIdentifier,
  { mappedNamespace }: RestoreActionContext,
): boolean => target.namespace === mappedNamespace(namespace) && target.pvc === name;

/** The data does not move before a pod is scheduled: whoever waits for it would wait for itself. */
async function needsPod(
  { namespace = '', name }: ItemIdentifier,
  { kube, mappedNamespace }: RestoreActionContext,
  signal: AbortSignal,
): Promise<boolean> {
  const key = { namespace: mappedNamespace(namespace), name };
  const claim = await readObject(kube, persistentVolumeClaimType, key, signal);
  return claim !== undefined && (await waitsForConsumer(kube, claim, signal));
}
