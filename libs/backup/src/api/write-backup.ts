import {
  annotations,
  type Backup,
  type BackupPhase,
  type BackupSpec,
  type BackupStatus,
  backupType,
  finalizers,
} from '@lateen/api-types';
import { AppError } from '@lateen/errors';
import { type KubeApi, keyOf, retryOnConflict } from '@lateen/kube';
import { isUnderWay, mayMove, phaseOf } from '../phases/phase-moves.ts';

type Nullable<T> = { [K in keyof T]?: T[K] | null };

/** What to write; null takes a field away, what is absent stays. */
export interface BackupPatch {
  spec?: Nullable<BackupSpec>;
  status?: Nullable<Omit<BackupStatus, 'phase'>>;
  labels?: Readonly<Record<string, string | null>>;
  annotations?: Readonly<Record<string, string | null>>;
}

/** Told of each move that was stored: Events, log and metrics follow from it. */
export type OnMove = (before: Backup, after: Backup) => void;

export interface WritePorts {
  kube: KubeApi;
  onMove: OnMove;
}

/**
 * Writes to a Backup, guarded by its resourceVersion. There is no status subresource (api.md section 1).
 * @throws KUBE_CONFLICT, KUBE_NOT_FOUND
 */
export async function writeBackup(
  { kube }: Pick<WritePorts, 'kube'>,
  backup: Backup,
  patch: BackupPatch,
  signal?: AbortSignal,
): Promise<Backup> {
  return await send(kube, backup, {}, { ...patch }, signal);
}

/**
 * Moves a Backup to another phase, guarded by its resourceVersion: one of several writers wins, the others get KUBE_CONFLICT. Our
 * finalizer is on it exactly while it is under way.
 * @throws PHASE_MOVE_ILLEGAL when the phase it has does not allow it; KUBE_CONFLICT, KUBE_NOT_FOUND
 */
export async function moveBackup(
  { kube, onMove }: WritePorts,
  backup: Backup,
  to: BackupPhase,
  patch: BackupPatch = {},
  signal?: AbortSignal,
): Promise<Backup> {
  const from = phaseOf(backup);
  if (!mayMove(from, to))
    throw new AppError('PHASE_MOVE_ILLEGAL', `Backup ${backup.metadata.name} is ${from} and cannot become ${to}`);
  const after = { status: { phase: to } };
  const metadata = heldAsNeeded(backup, isUnderWay(after));
  const status = { ...inOrder(backup, patch.status ?? {}), ...after.status };
  const fields = { ...patch, ...withoutOpenHooks(backup, to, patch), status };
  const moved = await send(kube, backup, metadata, fields, signal);
  onMove(backup, moved);
  return moved;
}

/** A backup ends no earlier than it began, also when the clock was set back meanwhile. Pure. */
export function inOrder<S extends Pick<NonNullable<BackupPatch['status']>, 'completionTimestamp'>>(
  { status }: Backup,
  patch: S,
): S {
  const start = status?.startTimestamp;
  const end = patch.completionTimestamp;
  return start && end && Date.parse(end) < Date.parse(start) ? { ...patch, completionTimestamp: start } : patch;
}

/** Takes our finalizer from a Backup that is being deleted. @throws KUBE_CONFLICT, KUBE_NOT_FOUND */
export async function releaseBackup({ kube }: Pick<WritePorts, 'kube'>, backup: Backup): Promise<void> {
  await send(kube, backup, heldAsNeeded(backup, false), {});
}

/**
 * For a writer that must not lose: reads the Backup as it is now, and again after a conflict. `act` sees whether it is still the one
 * it means. @throws KUBE_NOT_FOUND, what `act` throws, KUBE_CONFLICT after ten in a row
 */
export async function onLatest(
  { kube }: Pick<WritePorts, 'kube'>,
  backup: Backup,
  act: (latest: Backup) => Promise<Backup>,
  signal?: AbortSignal,
): Promise<Backup> {
  return await retryOnConflict(async () => act(await kube.get(backupType, keyOf(backup), { signal })));
}

export const isHeld = ({ metadata }: Backup): boolean =>
  metadata.finalizers?.includes(finalizers.backupUnderWay) ?? false;

/** Which run works on it; undefined before the first. */
export const workedOnBy = ({ metadata }: Backup): string | undefined => metadata.annotations?.[annotations.workedOnBy];

/** Whoever cancels it has them still to run; with every other move a run begins, or all of them have run. */
function withoutOpenHooks(backup: Backup, to: BackupPhase, patch: BackupPatch): Pick<BackupPatch, 'annotations'> {
  if (to === 'Canceling' || backup.metadata.annotations?.[annotations.openHooks] === undefined) return {};
  return { annotations: { ...patch.annotations, [annotations.openHooks]: null } };
}

/** The API server refuses new finalizers on what is being deleted. */
function heldAsNeeded(backup: Backup, held: boolean): { finalizers?: string[] } {
  const names = backup.metadata.finalizers ?? [];
  if (held === isHeld(backup) || (held && backup.metadata.deletionTimestamp !== undefined)) return {};
  return {
    finalizers: held
      ? [...names, finalizers.backupUnderWay]
      : names.filter((name) => name !== finalizers.backupUnderWay),
  };
}

async function send(
  kube: KubeApi,
  backup: Backup,
  metadata: object,
  { labels, annotations: notes, ...fields }: BackupPatch,
  signal?: AbortSignal,
): Promise<Backup> {
  const body = {
    metadata: {
      resourceVersion: backup.metadata.resourceVersion,
      ...(labels === undefined ? {} : { labels }),
      ...(notes === undefined ? {} : { annotations: notes }),
      ...metadata,
    },
    ...fields,
  };
  return await kube.patch(backupType, keyOf(backup), { type: 'merge', body }, { signal });
}
