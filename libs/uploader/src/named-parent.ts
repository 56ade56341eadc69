import type { UploadRequest } from '@lateen/datapath';
import type { Logger } from '@lateen/kernel';
import type { KopiaSession } from '@lateen/repository';
import { listSourceSnapshots, type SourceSnapshot } from './attributes/snapshot-list.ts';

/** `spec.parentSnapshot`, where it is the ID of a snapshot: the mover hands it on in the configuration. */
export const namedParentOf = ({ config }: Pick<UploadRequest, 'config'>): string | undefined =>
  config.ParentSnapshot || undefined;

/**
 * Makes kopia build on the snapshot that `spec.parentSnapshot` names, or on none. kopia's command line builds on the newest complete
 * snapshot of a source and has no flag for another one, so for every other parent all files are read, and the reason is a warning. One more
 * run of kopia if a parent is named. @throws as `session.failure`; ENGINE_BAD_ANSWER; the signal's reason on abort
 */
export async function withNamedParent(
  { session, log }: { session: KopiaSession; log: Logger },
  request: UploadRequest,
): Promise<UploadRequest> {
  const parent = namedParentOf(request);
  if (parent === undefined) return request;
  const { source, signal } = request;
  const reason = whyNoParent(parent, await listSourceSnapshots(session, source.path, signal));
  if (reason === undefined) return request;
  tellUnusedParent(request, reason, log);
  return { ...request, config: { ...request.config, ReadUnchangedFiles: 'true' } };
}

/** Undefined when the engine builds on the named snapshot by itself. Pure. */
export function whyNoParent(parent: string, snapshots: readonly SourceSnapshot[]): string | undefined {
  if (snapshots.every(({ id }) => id !== parent)) return unknownParent(parent);
  const newest = snapshots.reduce((one, other) => (other.startedAtMs >= one.startedAtMs ? other : one));
  if (newest.id === parent) return undefined;
  return `kopia builds on the newest snapshot of a volume alone, which is ${newest.id} and not ${parent}`;
}

export const unknownParent = (parent: string): string =>
  `parent snapshot ${parent} is not a complete snapshot of this volume in the repository`;

/** The reason is a warning of the movement. */
export function tellUnusedParent({ onWarning }: Pick<UploadRequest, 'onWarning'>, reason: string, log: Logger): void {
  log.warn({ reason }, 'the named parent snapshot is not used: all files are read');
  onWarning?.(`All files were read: ${reason}.`);
}
