import type { DiskStatus } from '@lateen/storage-types';
import { withCondition } from '../conditions/with-condition.ts';
import type { EventWish } from '../decision/decision.ts';
import { hasRoom, keepsMinimalAvailable } from '../scheduler/disk-room.ts';
import { bytesOf, numberOf } from './bytes-of.ts';
import { type DiskProblem, diskProblem } from './disk-problem.ts';
import type { DiskSeen } from './disk-seen.ts';
import { scheduledOnDisk } from './scheduled-on-disk.ts';

/** The disk at this path gets this identity, unless it has one. */
export interface RegisterDisk {
  readonly do: 'register-disk';
  readonly disk: string;
  readonly path: string;
  readonly uuid: string;
}

export interface DiskDecision {
  readonly status: DiskStatus;
  readonly register?: RegisterDisk;
  readonly events: readonly EventWish[];
}

/**
 * The state of one disk of a node: what is on it and what may be placed there, whether it can be used (Ready) and whether replicas may be placed
 * (Schedulable; `allowScheduling` and evictions are separate). The recorded identity does not change while the disk has replicas to lose: it is
 * recorded once, and another disk at its path is refused.
 */
export function decideDisk(seen: DiskSeen, nowMs: number): DiskDecision {
  const { spec, before, found } = seen;
  const path = spec.path ?? '';
  const problem = diskProblem(seen);
  const recorded = before?.diskUUID ?? '';
  const diskUUID = recorded !== '' || problem !== undefined ? recorded : (found?.uuid ?? '');
  const scheduled = scheduledOnDisk(seen.node, diskUUID, seen.replicas);
  const size = sizeOf(seen, problem);
  const sum = [...scheduled.values()].reduce((total, bytes) => total + bytes, 0n);
  const status: DiskStatus = {
    ...before,
    conditions: conditionsOf(seen, problem, { ...size, sum }, nowMs),
    storageMaximum: numberOf(size.maximum),
    storageAvailable: numberOf(size.available),
    storageScheduled: numberOf(sum),
    scheduledReplica: Object.fromEntries([...scheduled].map(([name, bytes]) => [name, numberOf(bytes)])),
    scheduledBackingImage: {},
    diskUUID,
    diskName: seen.name,
    diskPath: path,
    diskType: spec.diskType ?? 'filesystem',
    diskDriver: '',
    filesystemType: found?.filesystemType ?? before?.filesystemType ?? '',
    instanceManagerName: seen.instanceManager,
  };
  const register: RegisterDisk | undefined =
    problem?.reason === 'DiskNotRegistered'
      ? { do: 'register-disk', disk: seen.name, path, uuid: seen.freshUuid }
      : undefined;
  return { status, events: eventsOf(before, status), ...(register === undefined ? {} : { register }) };
}

/** While the disk cannot be inspected, the last figures are kept; for a wrong disk at the path there are none. */
function sizeOf({ found, before }: DiskSeen, problem: DiskProblem | undefined) {
  if (problem?.lost === true) return { maximum: 0n, available: 0n };
  if (found !== undefined && found.error === undefined)
    return { maximum: found.maximumBytes, available: found.availableBytes };
  return { maximum: bytesOf(before?.storageMaximum) ?? 0n, available: bytesOf(before?.storageAvailable) ?? 0n };
}

interface Figures {
  readonly maximum: bigint;
  readonly available: bigint;
  readonly sum: bigint;
}

function conditionsOf(seen: DiskSeen, problem: DiskProblem | undefined, figures: Figures, nowMs: number) {
  const { name, spec, node, before } = seen;
  const ready =
    problem === undefined
      ? { status: 'True' as const, reason: '', message: `Disk ${name}(${spec.path ?? ''}) on node ${node} is ready` }
      : { status: 'False' as const, reason: problem.reason, message: problem.message };
  const pressure = problem === undefined ? pressureOf(seen, figures) : undefined;
  const schedulable =
    problem === undefined && pressure === undefined
      ? {
          status: 'True' as const,
          reason: '',
          message: `Disk ${name}(${spec.path ?? ''}) on node ${node} is schedulable`,
        }
      : {
          status: 'False' as const,
          reason: problem === undefined ? 'DiskPressure' : 'DiskNotReady',
          message: pressure ?? problem?.message ?? '',
        };
  const conditions = withCondition(before?.conditions, { type: 'Ready', ...ready }, nowMs);
  return withCondition(conditions, { type: 'Schedulable', ...schedulable }, nowMs);
}

/** Why not even an empty volume would fit. */
function pressureOf({ spec, node, settings }: DiskSeen, { maximum, available, sum }: Figures): string | undefined {
  const storageReserved = bytesOf(spec.storageReserved) ?? 0n;
  const disk = {
    storageMaximum: maximum,
    storageAvailable: available,
    storageReserved,
    storageScheduled: sum,
  };
  const where = `the disk ${spec.path ?? ''} on the node ${node}`;
  if (!keepsMinimalAvailable(disk, 0n, settings.minimalAvailablePercentage))
    return `${where} has ${available} available of ${maximum}, but requires more than ${settings.minimalAvailablePercentage}% to schedule more replicas`;
  if (!hasRoom(disk, 0n, settings.overProvisioningPercentage))
    return `${where} has promised ${sum} to replicas, more than ${settings.overProvisioningPercentage}% of its ${maximum} without the reserved ${storageReserved}`;
  return undefined;
}

function eventsOf(before: DiskStatus | undefined, after: DiskStatus): EventWish[] {
  return (['Ready', 'Schedulable'] as const).flatMap((type) => {
    const [was, is] = [before, after].map((status) => status?.conditions?.find((each) => each.type === type));
    if (is === undefined || was?.status === is.status) return [];
    const isTrue = is.status === 'True';
    // A disk that is not ready is not schedulable either: one Event reports both.
    if (type === 'Schedulable' && (is.reason === 'DiskNotReady' || was === undefined)) return [];
    return [{ type: isTrue ? 'Normal' : 'Warning', reason: is.reason || type, message: is.message ?? '' } as const];
  });
}
