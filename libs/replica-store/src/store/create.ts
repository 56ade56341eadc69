import { join } from 'node:path';
import type { Call } from '../call.ts';
import { createRecord } from '../record/record-create.ts';
import type { ReplicaRecord, ReplicaState } from '../record/replica-record.ts';
import { replicaError } from '../replica-error.ts';
import type { Replica } from './replica.ts';
import { recordFile } from './replica-folder.ts';
import { settle } from './settle.ts';

export interface CreateReplica {
  readonly sizeBytes: bigint;
  /** `new`: an existing replica must have all its data; `rebuilding`: it may be in the middle of a rebuild. */
  readonly state: Exclude<ReplicaState, 'whole'>;
  /** False for a replica that has been healthy: an unmounted disk must not become an empty replica that counts as healthy. */
  readonly mayCreate: boolean;
}

/**
 * Creates the folder, the record and an empty head. An existing replica stays unchanged.
 * @throws AppError `REPLICA_GONE` when it does not exist and may not be created, `REPLICA_FOREIGN`, `REPLICA_CORRUPT`, `SIZE_REFUSED`, `REPLICA_LAGS`
 */
export async function createReplica(replica: Replica, wanted: CreateReplica, o: Call): Promise<ReplicaRecord> {
  const { folder } = replica.ports;
  return replica.making(o, async (present) => {
    if (present !== undefined) return replica.change(await settled(replica, present, wanted, o));
    if (!wanted.mayCreate) return folder.readPresent();
    const strangers = await folder.layerFiles();
    if (strangers.length > 0) {
      throw replicaError(
        'REPLICA_CORRUPT',
        `${folder.path} has no ${recordFile} but ${strangers.length} layers, such as ${strangers[0]}; nothing of it was touched`,
        {
          nextStep: `Put ${join(folder.path, recordFile)} back if there is a copy; else remove the folder as an orphan.`,
        },
      );
    }
    const record = createRecord({ ...folder.identity, sizeBytes: wanted.sizeBytes, state: wanted.state });
    await folder.make();
    await folder.write(record);
    return replica.change(await settle(replica.ports, record, o));
  });
}

async function settled(
  replica: Replica,
  present: ReplicaRecord,
  wanted: CreateReplica,
  o: Call,
): Promise<ReplicaRecord> {
  const record = await settle(replica.ports, present, o);
  if (wanted.state === 'new' && record.state === 'rebuilding') {
    throw replicaError('REPLICA_LAGS', `${record.replica} is in the middle of a rebuild: its head may have no base`, {
      nextStep: 'Record it as failed: it is rebuilt from the others, and continues with the layers that it has.',
    });
  }
  if (wanted.state === 'rebuilding' || BigInt(record.sizeBytes) === wanted.sizeBytes) return record;
  throw replicaError(
    'SIZE_REFUSED',
    `${record.replica} has ${record.sizeBytes} bytes and its volume ${wanted.sizeBytes}: it missed a growth or had one alone`,
    { nextStep: 'Record it as failed: it is rebuilt from the others.' },
  );
}
