import type { Instance } from '@lateen/block-engine';
import type { ModelDisk } from './model-disk.ts';

/** A replica that could not be served. */
export interface RefusedReplica {
  readonly generation: number;
  readonly code: string;
  readonly message: string;
}

/** The state of a replica that a host reports; undefined while it does not run and was not rejected. */
export function replicaInstance(
  name: string,
  disk: ModelDisk | undefined,
  refused: RefusedReplica | undefined,
): Instance | undefined {
  const { promised = 0, record = 'new', killedIn, port = 0 } = disk ?? {};
  if (port === 0 && refused === undefined) return undefined;
  const killed = killedIn === undefined ? {} : { killedGeneration: killedIn };
  const replica = { actualBytes: 0n, promisedGeneration: promised, recordState: record, snapshots: [], ...killed };
  const common = { kind: 'replica', name, volume: '', replica } as const;
  if (port > 0) return { ...common, generation: promised, state: 'running', uuid: `port-${port}`, port };
  const { generation = 0, code = '', message = '' } = refused ?? {};
  return { ...common, generation, state: 'error', uuid: '', error: { code, message } };
}
