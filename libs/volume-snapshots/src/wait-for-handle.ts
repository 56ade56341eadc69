import {
  type VolumeSnapshot,
  type VolumeSnapshotContent,
  volumeSnapshotContentType,
  volumeSnapshotType,
} from '@lateen/api-types';
import { AppError, plainLine } from '@lateen/errors';
import { keyOf, keyText, readObject } from '@lateen/kube';
import type { SightPorts, WaitForSnapshot } from './snapshot-sight.ts';

/** A VolumeSnapshot and its content, which has a handle. */
export interface TakenSnapshot {
  snapshot: VolumeSnapshot;
  content: VolumeSnapshotContent;
  handle: string;
}

/** What a wait has learnt so far: for whoever has to say why it was in vain. */
export interface WaitNotes {
  contentName: string | undefined;
  /** The last words of snapshot controller or driver. */
  complaint: string | undefined;
}

interface WaitPorts extends SightPorts {
  wait: WaitForSnapshot;
  failsAtOnce: boolean;
}

/**
 * The controller writes each change of a content onto its VolumeSnapshot, which is watched. Should it not, we look ourselves
 * about this often.
 */
const lookAgainMs = 15_000;

/** Waits until the content of the snapshot has a handle. @throws AppError SNAPSHOT_FAILED; the signal's reason */
export async function waitForHandle(
  made: VolumeSnapshot,
  notes: WaitNotes,
  ports: WaitPorts,
  signal: AbortSignal,
): Promise<TakenSnapshot> {
  let seen: VolumeSnapshot | undefined;
  for (;;) {
    const snapshot = await nextOf(made, seen, ports, signal);
    if (snapshot === undefined) throw failed(made, 'it was deleted while it was being taken');
    seen = snapshot;
    hear(snapshot.status?.error?.message, made, notes, ports);
    notes.contentName = snapshot.status?.boundVolumeSnapshotContentName || undefined;
    if (notes.contentName === undefined) continue;
    const content = await readObject(ports.kube, volumeSnapshotContentType, { name: notes.contentName }, signal);
    const handle = content?.status?.snapshotHandle ?? '';
    if (content !== undefined && handle !== '') return { snapshot, content, handle };
    hear(content?.status?.error?.message, made, notes, ports);
  }
}

/** The snapshot once it is another than before, or as it is after a while; undefined when it is gone. */
async function nextOf(
  made: VolumeSnapshot,
  seen: VolumeSnapshot | undefined,
  { wait, kube, clock, random }: WaitPorts,
  signal: AbortSignal,
): Promise<VolumeSnapshot | undefined> {
  const waited = new AbortController();
  const lookAgain = clock.sleep(lookAgainMs * (1 + random.next()), AbortSignal.any([signal, waited.signal])).then(
    () => waited.abort(),
    () => {},
  );
  try {
    const isNew = (snapshot: VolumeSnapshot | undefined) => {
      if (snapshot === undefined) return { snapshot };
      return snapshot.metadata.resourceVersion === seen?.metadata.resourceVersion ? undefined : { snapshot };
    };
    return (await wait(keyOf(made), isNew, AbortSignal.any([signal, waited.signal]))).snapshot;
  } catch (error) {
    if (signal.aborted || !waited.signal.aborted) throw error;
    return await readObject(kube, volumeSnapshotType, keyOf(made), signal);
  } finally {
    waited.abort();
    await lookAgain;
  }
}

function hear(complaint: string | undefined, made: VolumeSnapshot, notes: WaitNotes, ports: WaitPorts): void {
  if (complaint === undefined || complaint === '') return;
  notes.complaint = plainLine(complaint);
  if (ports.failsAtOnce)
    throw failed(made, notes.complaint, 'The message is that of the storage driver; check its log.');
}

function failed(made: VolumeSnapshot, why: string, nextStep?: string): AppError {
  const message = `VolumeSnapshot ${keyText(keyOf(made))}: ${why}`;
  return new AppError('SNAPSHOT_FAILED', message, nextStep === undefined ? {} : { nextStep });
}
