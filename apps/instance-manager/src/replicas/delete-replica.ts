import { readdir, rm, rmdir } from 'node:fs/promises';
import { join } from 'node:path';
import { type DeleteReplicaData, hostError } from '@lateen/block-engine';
import { describeError } from '@lateen/errors';
import { type Call, parseRecord } from '@lateen/replica-store';
import { checkReplicaName } from './check-replica.ts';
import { replicaProcessId } from './replica-entry.ts';
import type { ReplicaHost } from './replica-host.ts';

const recordFile = 'replica.json';
/** Layers and unfinished files; the record is deleted last, so that an interrupted deletion can be recognised. */
const isLayer = (name: string): boolean => /^layer-\d+\.qcow2(\.tmp)?$/.test(name);
const isRecord = (name: string): boolean => name === recordFile || name === `${recordFile}.tmp`;

/**
 * Deletes the folder of a replica that does not run. Does nothing when it does not exist; removes only files of a replica.
 * @throws AppError `REPLICA_FOREIGN` for another volume's or one that does not name its volume, `INSTANCE_RUNNING`, `NOT_POSSIBLE_NOW` when the
 * folder has other content
 */
export function deleteReplicaData(host: ReplicaHost, request: DeleteReplicaData, o: Call): Promise<void> {
  checkReplicaName(request.replica);
  return host.inTurn(request.replica, o.signal, async () => {
    const { ports } = host;
    const path = ports.paths.here(request.directory, 'the directory of a replica');
    const entry = host.find(request.replica);
    if (ports.keeper.mayRun(replicaProcessId(request.replica)))
      throw hostError('INSTANCE_RUNNING', `replica ${request.replica} runs on this node`, {
        nextStep: 'Stop it first.',
      });
    const names = await readdir(path).catch(ifMissing);
    if (names !== undefined) await deleteFolder(host, request, path, names);
    if (entry === undefined) return;
    await host.processes.end(entry, o.signal);
    host.forget(entry);
  });
}

async function deleteFolder(host: ReplicaHost, request: DeleteReplicaData, path: string, names: readonly string[]) {
  const { files, log } = host.ports;
  const text = await files.readText(join(path, recordFile));
  if (text === undefined) {
    if (names.length > 0) throw foreign(request, `${path} has no ${recordFile}`);
  } else {
    const problem = ownerProblem(text, request, join(path, recordFile));
    if (problem !== undefined) throw foreign(request, problem);
  }
  const others = names.filter((name) => !isLayer(name) && !isRecord(name));
  if (others.length > 0)
    throw hostError(
      'NOT_POSSIBLE_NOW',
      `${path} contains files that are not those of a replica: ${others.slice(0, 5).join(', ')}`,
      {
        nextStep: 'Move it away. Nothing was deleted.',
      },
    );
  for (const name of names.filter(isLayer)) await rm(join(path, name), { force: true });
  for (const name of names.filter(isRecord)) await files.removeDurably(join(path, name));
  await rmdir(path);
  log.info({ replica: request.replica }, 'the data of a replica are deleted');
}

/** A damaged record does not block the deletion, as long as it still names its volume. */
function ownerProblem(text: string, wanted: DeleteReplicaData, path: string): string | undefined {
  try {
    const { replica, volumeUid } = parseRecord(text, path);
    if (replica === wanted.replica && volumeUid === wanted.volumeUid) return undefined;
    return `${path} is of ${replica} of volume ${volumeUid}`;
  } catch (error) {
    const named = [wanted.replica, wanted.volumeUid].every((name) => text.includes(JSON.stringify(name)));
    return named ? undefined : describeError(error);
  }
}

const foreign = ({ replica }: DeleteReplicaData, what: string) =>
  hostError('REPLICA_FOREIGN', `the data of replica ${replica} are not deleted: ${what}`, {
    nextStep: 'Check which volume the folder belongs to; remove an unused one as an orphan.',
  });

const ifMissing = (error: NodeJS.ErrnoException): undefined => {
  if (error.code !== 'ENOENT' && error.code !== 'ENOTDIR') throw error;
};
