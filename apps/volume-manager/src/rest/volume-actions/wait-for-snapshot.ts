import { AppError } from '@lateen/errors';
import { durationText } from '@lateen/kernel';
import { refused } from '@lateen/storage-rest';
import type { Volume } from '@lateen/storage-types';
import type { RestPorts } from '../serving/rest-call.ts';
import { whenSeen } from '../writing/write-object.ts';
import { activeEngineSnapshots } from './engine-snapshots.ts';

/** Shorter than the request's limit, so that the client gets a message about what it waits for. */
const snapshotMs = 45_000;

/** Resolves when the engine has the snapshot. @throws REST_REFUSED with what went wrong, REST_SNAPSHOT_LATE after 45 s */
export async function snapshotTaken(
  volume: Volume,
  name: string,
  ports: RestPorts,
  signal: AbortSignal,
): Promise<void> {
  const { reader } = ports;
  const volumeName = volume.metadata.name ?? '';
  const problem = () => reader.get('snapshots', name)?.status?.error ?? '';
  const isTaken = () => Object.hasOwn(activeEngineSnapshots(volumeName, reader), name);
  // Two kinds are followed: the engine shows that the snapshot exists, the Snapshot object shows errors.
  const over = new AbortController();
  const both = AbortSignal.any([signal, over.signal]);
  const failed = whenSeen(ports, 'snapshots', () => problem() !== '' || isTaken(), both, snapshotMs);
  const taken = whenSeen(ports, 'engines', isTaken, both, snapshotMs);
  await Promise.race([taken, failed]);
  over.abort();
  if (isTaken()) return;
  if (problem() !== '') throw refused(`failed to create snapshot ${name} of volume ${volumeName}: ${problem()}`);
  const text = `snapshot ${name} of volume ${volumeName} was asked for and was not taken within ${durationText(snapshotMs)}`;
  throw new AppError('REST_SNAPSHOT_LATE', text, { retry: 'later' });
}
