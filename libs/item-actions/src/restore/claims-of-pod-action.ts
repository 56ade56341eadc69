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
 * The claims that a pod mounts are restored before it. By default the pod is created while the data of its claims is still being
 * moved, and starts when the data is there. When the pod or the Restore asks for it (`lateen.dev/wait-for-data`), the pod is
 * created only after that, for operators that limit how long a pod may take to start. Claims of ephemeral volumes belong to the
 * pod as soon as it exists.
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

/**
 * The pod's longest wait, 0 for the server's default; undefined: no wait. The pod's annotation takes precedence over the
 * Restore's.
 */
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

/** The data is not moved before a pod is scheduled, so waiting for the data before the pod is created would never end. */
async function needsPod(
  { namespace = '', name }: ItemIdentifier,
  { kube, mappedNamespace }: RestoreActionContext,
  signal: AbortSignal,
): Promise<boolean> {
  const key = { namespace: mappedNamespace(namespace), name };
  const claim = await readObject(kube, persistentVolumeClaimType, key, signal);
  return claim !== undefined && (await waitsForConsumer(kube, claim, signal));
}
