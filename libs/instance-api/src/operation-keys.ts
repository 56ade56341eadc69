import type { InFlightKey } from '@lateen/grpc';
import type {
  DeleteReplicaDataRequest,
  EnsureReplicaRequest,
  PromiseRequest,
  StopRequest,
} from './generated/instance.ts';
import { kindFromWire } from './instance-codec.ts';

/**
 * What a call has to itself: a replica, an engine, a front end. Rebuilds, purges and copies have nothing: a replica must be fenced
 * and an engine stopped while they run.
 */
export function operationKeys(method: string, request: unknown): readonly InFlightKey[] {
  const key = keyOf(method, request);
  return key === undefined ? [] : [{ id: key, mode: 'exclusive' }];
}

function keyOf(method: string, request: unknown): string | undefined {
  switch (method) {
    case 'ensureReplica':
      return `replica ${(request as EnsureReplicaRequest).name}`;
    case 'promiseGeneration':
    case 'deleteReplicaData':
      return `replica ${(request as PromiseRequest | DeleteReplicaDataRequest).replica}`;
    case 'ensureEngine':
      return `engine ${(request as { name: string }).name}`;
    case 'ensureFrontend':
      return `frontend ${(request as { name: string }).name}`;
    case 'stop': {
      const { kind, name } = request as StopRequest;
      return `${kindFromWire(kind)} ${name}`;
    }
    default:
      return undefined;
  }
}
