import type { Unstructured } from '@lateen/api-types';
import type { RestoreEngineRequest } from '../../engine/contract.ts';
import { restoreLabels } from '../item-target.ts';

/**
 * Whether this restore created the object before its controller was restarted: it has the labels, and is younger than the Restore; both
 * times are the API server's. A Restore of a name that was used before is another restore.
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
