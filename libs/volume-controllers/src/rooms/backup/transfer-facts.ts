import type { Instance } from '@lateen/block-engine';
import { describeError } from '@lateen/errors';
import type { Replica } from '@lateen/storage-types';
import { type HostFacts, instanceOf, type TransferFacts } from '@lateen/volume-decisions';

export interface TransferSeen {
  /** Name of the current transfer. */
  readonly transfer: string;
  /** All nodes, because the transfer may continue after its replica is gone. */
  readonly nodes: readonly string[];
  /** The volume's replicas. */
  readonly replicas: readonly Replica[];
  /** The replica that it was last seen reading: `status.replicaAddress`. */
  readonly replicaAddress: string;
  facts(node: string): HostFacts;
  /** Since when the host of a node has not answered, in ms since the epoch. */
  silentSinceMs(node: string): number;
}

/**
 * What is known of a transfer, which runs on the host of one of the volume's replicas. It is never `absent` while a host that may have it does not
 * answer.
 */
export function transferFacts(seen: TransferSeen): TransferFacts {
  const ofReplicas = new Set(seen.replicas.map(({ spec }) => spec.nodeID ?? '').filter((node) => node !== ''));
  for (const node of [...new Set([...ofReplicas, ...seen.nodes])].sort()) {
    const found = instanceOf(seen.facts(node), 'transfer', seen.transfer);
    if (found !== undefined) return factsOf(found, addressOn(seen.replicas, node));
  }
  const lastOn = seen.replicas.find((replica) => addressOf(replica) === seen.replicaAddress)?.spec.nodeID;
  const may = lastOn === undefined ? [...ofReplicas].sort() : [lastOn];
  const silent = may.find((node) => seen.facts(node).reach === 'silent' || seen.facts(node).reach === 'down');
  if (silent !== undefined) return { state: 'silent', sinceMs: seen.silentSinceMs(silent) };
  return { state: 'absent' };
}

function factsOf({ transfer, error, state }: Instance, replicaAddress: string): TransferFacts {
  const failure = transfer?.error ?? error;
  if (failure !== undefined || state === 'error')
    return {
      state: 'failed',
      error: describeError(failure?.message ?? 'the transfer has failed'),
      ...(failure === undefined ? {} : { code: failure.code }),
    };
  if (transfer?.ended === true) return { state: 'completed' };
  const { doneBytes = 0n, totalBytes = 0n } = transfer ?? {};
  const progress = totalBytes === 0n ? 0 : Number((doneBytes * 99n) / totalBytes);
  return { state: 'running', progress, replicaAddress };
}

const addressOn = (replicas: readonly Replica[], node: string): string => {
  const replica = replicas.find(({ spec }) => spec.nodeID === node);
  return replica === undefined ? '' : addressOf(replica);
};

/** The address in the form that clients of Longhorn show. */
export const addressOf = ({ status }: Replica): string => {
  const { storageIP, ip, port = 0 } = status ?? {};
  return port === 0 ? '' : `tcp://${storageIP || ip}:${port}`;
};
