import type { InstanceHost } from '@lateen/block-engine';
import type { EngineHost } from '../engines/engine-host.ts';
import { notRunning } from '../replicas/replica-entry.ts';
import type { ReplicaHost } from '../replicas/replica-host.ts';
import type { TransferProcesses } from './transfer-processes.ts';

export interface TransferCallsParts {
  transfers: TransferProcesses;
  replicas: Pick<ReplicaHost, 'find'>;
  engines: Pick<EngineHost, 'one'>;
}

/** The transfer calls of the port. Whether the replica or the engine is on this node is checked before a process is started. */
export function transferCalls({
  transfers,
  replicas,
  engines,
}: TransferCallsParts): Pick<InstanceHost, 'startBackup' | 'startRestore' | 'startClone'> {
  const engineIsHere = (of: Parameters<EngineHost['one']>[0]) => () => engines.one(of, async () => {});
  const replicaIsHere = (replica: string) => async () => {
    if (replicas.find(replica) === undefined) throw notRunning(replica);
  };
  return {
    startBackup: (request, o) => {
      const name = request.transfer ?? request.backup;
      const of = { name, volume: request.volume, check: replicaIsHere(request.replica) };
      return transfers.run({ ...of, begin: (host, call) => host.startBackup(request, call) }, o);
    },
    startRestore: (request, o) => {
      const of = { name: request.restore, volume: request.volume, check: engineIsHere(request) };
      return transfers.run({ ...of, begin: (host, call) => host.startRestore(request, call) }, o);
    },
    startClone: (request, o) => {
      const of = { name: request.clone, volume: request.volume, check: engineIsHere(request) };
      return transfers.run({ ...of, begin: (host, call) => host.startClone(request, call) }, o);
    },
  };
}
