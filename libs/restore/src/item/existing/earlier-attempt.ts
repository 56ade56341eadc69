import type { Unstructured } from '@lateen/api-types';
import type { ItemRun } from '../../engine/item-run.ts';
import { restoreLabels } from '../item-target.ts';

/**
 * Whether this restore created the object before its controller was restarted: it has the labels, and is younger than the Restore; both
 * times are the API server's. A Restore of a name that was used before is another restore.
 */
export function isOfEarlierAttempt(run: ItemRun, { metadata }: Unstructured): boolean {
  const since = run.request.restore.metadata.creationTimestamp;
  const labels = Object.entries(restoreLabels(run));
  return (
    since !== undefined &&
    metadata.creationTimestamp !== undefined &&
    Date.parse(metadata.creationTimestamp) >= Date.parse(since) &&
    labels.every(([key, value]) => metadata.labels?.[key] === value)
  );
}
