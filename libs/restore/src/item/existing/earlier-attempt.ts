import type { Unstructured } from '@lateen/api-types';
import type { RestoreEngineRequest } from '../../engine/contract.ts';
import { restoreLabels } from '../item-target.ts';

/**
 * Whether this restore created the object before its controller was restarted: it has the restore's labels and is younger than the Restore, by
 * times of the API server. An earlier Restore of the same name is a different restore.
 */
export function isOfEarlierAttempt(
  request: Pick<RestoreEngineRequest, 'restore' | 'backup'>,
  { metadata }: Unstructured,
): boolean {
  const since = request.restore.metadata.creationTimestamp;
  const labels = Object.entries(restoreLabels(request));
  return (
    since !== undefined &&
    metadata.creationTimestamp !== undefined &&
    Date.parse(metadata.creationTimestamp) >= Date.parse(since) &&
    labels.every(([key, value]) => metadata.labels?.[key] === value)
  );
}
