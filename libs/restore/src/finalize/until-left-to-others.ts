import type { Restore } from '@lateen/api-types';
import { AppError } from '@lateen/errors';
import type { Informer } from '@lateen/kube-runtime';

/** Aborts when cancellation or deletion of a restore in finalization is requested, because the waits of the finalization are then pointless. */
export function untilLeftToOthers(
  restores: Pick<Informer<Restore>, 'onChange'>,
  { metadata: { name, namespace } }: Restore,
): { signal: AbortSignal; stop(): void } {
  const left = new AbortController();
  const stop = restores.onChange(({ type, object: { metadata, spec } }) => {
    if (metadata.name !== name || metadata.namespace !== namespace) return;
    if (type !== 'deleted' && metadata.deletionTimestamp === undefined && spec.cancel !== true) return;
    left.abort(new AppError('RESTORE_LEFT', `Restore ${name} is to be cancelled or deleted`));
  });
  return { signal: left.signal, stop };
}
