import type { Backup, Engine } from '@lateen/storage-types';
import type { JsonFields } from '../../envelope/resource.ts';
import { nameOf } from '../given.ts';

/** What parts of a resource have in place of links and actions. */
const noLinks = { links: null, actions: null } as const;

/** Names of replicas by their address, as an engine's status has it with a scheme or without. */
type NameAt = (address: string) => string;

function namesOf({ spec, status }: Engine): NameAt {
  const names = new Map<string, string>();
  for (const addresses of [spec.replicaAddressMap, status?.currentReplicaAddressMap])
    for (const [name, address] of Object.entries(addresses ?? {})) names.set(plain(address), name);
  return (address) => names.get(plain(address)) ?? plain(address);
}

const plain = (address: string): string => address.replace(/^tcp:\/\//, '');

/** Each replica's part in some work of the engine, by the name of the replica. */
function perReplica<T extends object>(
  engine: Engine | undefined,
  byAddress: Readonly<Record<string, T>> | null | undefined,
  fields: (one: T, nameAt: NameAt) => JsonFields,
): JsonFields[] {
  if (engine === undefined) return [];
  const nameAt = namesOf(engine);
  return Object.entries(byAddress ?? {})
    .map(([address, one]) => ({ ...noLinks, replica: nameAt(address), ...fields(one, nameAt) }))
    .sort((a, b) => (a.replica < b.replica ? -1 : 1));
}

export const restoreStatuses = (engine: Engine | undefined): JsonFields[] =>
  perReplica(engine, engine?.status?.restoreStatus, (one) => ({
    isRestoring: one.isRestoring ?? false,
    lastRestored: one.lastRestored ?? '',
    progress: one.progress ?? 0,
    error: one.error ?? '',
    filename: one.filename ?? '',
    state: one.state ?? '',
    backupURL: one.backupURL ?? '',
  }));

export const purgeStatuses = (engine: Engine | undefined): JsonFields[] =>
  perReplica(engine, engine?.status?.purgeStatus, (one) => ({
    isPurging: one.isPurging ?? false,
    progress: one.progress ?? 0,
    error: one.error ?? '',
    state: one.state ?? '',
  }));

export const rebuildStatuses = (engine: Engine | undefined): JsonFields[] =>
  perReplica(engine, engine?.status?.rebuildStatus, (one, nameAt) => ({
    isRebuilding: one.isRebuilding ?? false,
    progress: one.progress ?? 0,
    error: one.error ?? '',
    state: one.state ?? '',
    fromReplicaList: (one.fromReplicaAddressList ?? (one.fromReplicaAddress ? [one.fromReplicaAddress] : [])).map(
      nameAt,
    ),
  }));

/** Backups of a volume, with the replica that each is read from. */
export function backupStatuses(backups: readonly Backup[], engine: Engine | undefined): JsonFields[] {
  const nameAt: NameAt = engine === undefined ? plain : namesOf(engine);
  return backups
    .map((backup) => {
      const { spec, status = {} } = backup;
      return {
        ...noLinks,
        id: nameOf(backup),
        snapshot: status.snapshotName || spec.snapshotName || '',
        progress: status.progress ?? 0,
        backupURL: status.url ?? '',
        error: status.error ?? '',
        state: status.state ?? '',
        replica: nameAt(status.replicaAddress ?? ''),
        size: status.size ?? '',
      };
    })
    .sort((a, b) => (a.id < b.id ? -1 : 1));
}
