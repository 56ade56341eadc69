import { type BackupRepository, jobType, type Lease, labels, leaseType, podType } from '@lateen/api-types';
import type { Clock } from '@lateen/kernel';
import {
  apiMicroTime,
  isAlreadyExists,
  isConflict,
  isNotFound,
  type KubeApi,
  keyOf,
  type ObjectKey,
  ownerReferenceTo,
  readObject,
  selectorText,
} from '@lateen/kube';
import { claimed } from '@lateen/kube-runtime';
import { maintenanceJobLabels } from '../job/maintenance-job.ts';
import { creationMs, type LockState, lockState } from './lock-state.ts';

/** Number of attempts: each failed write means that another writer was first; after this many, the lock counts as held. */
const looksMax = 5;

export type LockAnswer =
  | { held: true }
  /** `by`: name of a Job, as far as it is known. `againMs`: nothing reports the end, so it has to be checked again. */
  | { held: false; by?: string; againMs?: number };

interface LockPorts {
  kube: KubeApi;
  clock: Clock;
}

/**
 * Takes the lock of a repository for a Job of that name, which need not exist yet: a Lease that names it. One that has it
 * already renews it. It is never released explicitly: it is free when the Job has ended, and is deleted with the repository.
 * Of any number of parallel callers one gets it: the API server lets only one create the Lease, or write the version that was read.
 * @throws OWNER_NOT_STORED, KUBE_…
 */
export async function takeRepositoryLock(
  { kube, clock }: LockPorts,
  repository: BackupRepository,
  jobName: string,
  signal: AbortSignal,
): Promise<LockAnswer> {
  const key = lockKey(repository);
  for (let look = 1; look <= looksMax; look++) {
    const lease = await readObject(kube, leaseType, key, signal);
    if (lease !== undefined && lease.spec?.holderIdentity !== jobName) {
      const state = await stateOf({ kube, clock }, repository, lease, signal);
      if (state.kind === 'held') return { held: false, by: state.by, ...again(state.againMs) };
    }
    const claim = { identity: jobName, leaseDurationMs: creationMs, epochMs: clock.now() };
    const wanted = leaseFor(repository, key, lease, claimed(lease?.spec, claim));
    if (await written(kube, wanted, lease === undefined, signal)) return { held: true };
  }
  return { held: false, againMs: 5_000 };
}

const again = (againMs: number | undefined) => (againMs === undefined ? {} : { againMs });

/**
 * Records that a Job will not be created: it was refused, or has been deleted. The next caller for the lock then checks
 * only what is left of it. A lock that another Job holds by now stays unchanged. This may fail: the lock of a Job that is never created
 * is free after a minute. @throws the signal's reason only
 */
export async function releaseRepositoryLock(
  { kube, clock }: LockPorts,
  repository: BackupRepository,
  jobName: string,
  signal: AbortSignal,
): Promise<void> {
  try {
    const lease = await readObject(kube, leaseType, lockKey(repository), signal);
    if (lease?.spec?.holderIdentity !== jobName) return;
    const renewTime = apiMicroTime(clock.now() - creationMs);
    await written(kube, { ...lease, spec: { ...lease.spec, renewTime } }, false, signal);
  } catch {
    signal.throwIfAborted();
  }
}

/** A label value of a name that may be longer, behind the prefix of all Leases of Lateen. */
function lockKey({ metadata }: BackupRepository): ObjectKey {
  const name = maintenanceJobLabels(metadata.name ?? '')[labels.repoName] ?? '';
  return { namespace: metadata.namespace, name: `lateen-repository-${name}` };
}

async function stateOf(
  { kube, clock }: LockPorts,
  repository: BackupRepository,
  lease: Lease,
  signal: AbortSignal,
): Promise<LockState> {
  const name = lease.spec?.holderIdentity ?? '';
  const { namespace = '' } = lease.metadata;
  if (name === '') return { kind: 'free' };
  const own = maintenanceJobLabels(repository.metadata.name ?? '');
  const job = await readObject(kube, jobType, { namespace, name }, signal);
  const isOurs = Object.entries(own).every(([label, value]) => job?.metadata.labels?.[label] === value);
  // Long names of repositories are cut, and those of their Jobs may then be the same: ours was never made.
  if (job !== undefined && !isOurs) return { kind: 'free' };
  const labelSelector = selectorText({ matchLabels: { ...own, 'job-name': name } });
  const { items } = await kube.list(podType, { namespace, labelSelector, limit: 5, signal });
  return lockState({ lease, job, pods: items, nowMs: clock.now() });
}

function leaseFor(
  repository: BackupRepository,
  { namespace, name }: ObjectKey,
  lease: Lease | undefined,
  spec: Lease['spec'],
): Lease {
  return {
    ...(lease ?? { apiVersion: 'coordination.k8s.io/v1', kind: 'Lease' }),
    metadata: {
      ...lease?.metadata,
      name,
      ...(namespace === undefined ? {} : { namespace }),
      labels: { ...lease?.metadata.labels, ...maintenanceJobLabels(repository.metadata.name ?? '') },
      ownerReferences: [ownerReferenceTo(repository)],
    },
    ...(spec === undefined ? {} : { spec }),
  };
}

/** False when another writer was first. */
async function written(kube: KubeApi, lease: Lease, isNew: boolean, signal: AbortSignal): Promise<boolean> {
  const { namespace = '' } = keyOf(lease);
  try {
    if (isNew) await kube.create(leaseType, lease, { namespace, signal });
    else await kube.update(leaseType, lease, { signal });
    return true;
  } catch (error) {
    if (isNew ? isAlreadyExists(error) : isConflict(error) || isNotFound(error)) return false;
    throw error;
  }
}
