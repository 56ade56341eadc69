import { attemptOf, type DataMovementPhase, isTerminalPhase, type RestoreThroughput } from '@lateen/api-types';
import { kindOf, type Movement } from './movement-kinds.ts';

/** What is shown of a movement, as numbers; times in ms. */
export interface MovementRow {
  kind: string;
  name: string;
  /** `namespace/pvc` of the claim that is read or written, or `namespace/pod:volume`. */
  volume: string;
  phase: DataMovementPhase;
  /** 1 for the first attempt. */
  attempts: number;
  bytesDone: number;
  /** 0 while the size is unknown. */
  totalBytes: number;
  location: string;
  node: string;
  ageMs: number;
  /** The rate that the mover reports, otherwise the average since the data path started; absent when nothing has moved. */
  bytesPerSecond?: number;
  /** The estimated remaining time; absent when it is unknown. */
  leftMs?: number;
  /** Empty when the movement reports no throughput. */
  throughput: RestoreThroughput;
  message: string;
}

/** Pure. @param nowMs since the epoch */
export function movementRow(movement: Movement, nowMs: number): MovementRow {
  const { metadata, spec, status } = movement;
  const phase = phaseOf(movement);
  const { bytesDone = 0, totalBytes = 0 } = status?.progress ?? {};
  return {
    kind: movement.kind,
    name: metadata.name ?? '',
    volume: volumeOf(movement),
    phase,
    attempts: attemptOf(movement),
    bytesDone,
    totalBytes,
    location: spec.backupStorageLocation,
    node: kindOf(movement).nodeOf(movement) ?? '',
    ageMs: Math.max(nowMs - (timeMs(metadata.creationTimestamp) ?? nowMs), 0),
    ...rateOf(movement, bytesDone, totalBytes, nowMs),
    throughput: throughputOf(movement),
    message: status?.message ?? '',
  };
}

export const phaseOf = (movement: Movement): DataMovementPhase => movement.status?.phase || 'New';
export const hasEnded = (movement: Movement): boolean => isTerminalPhase(phaseOf(movement));

/** `upload`, `download`, `pvb` or `pvr`. */
export const verbOf = (movement: { kind: string }): string => kindOf(movement).verb;

/** `namespace/pvc`, or `namespace/pod:volume`. */
export const volumeOf = (movement: Movement): string => kindOf(movement).volumeOf(movement);

/** Whether the movement is of the volume that `shop/data` or `shop/web-0:data` names; the claim of a pod volume names it too. */
export function isOfVolume(movement: Movement, text: string): boolean {
  const kind = kindOf(movement);
  return kind.volumeOf(movement) === text || kind.claimOf(movement) === text;
}

/** Undefined for a timestamp that is absent or invalid. */
export function timeMs(timestamp: string | null | undefined): number | undefined {
  const ms = Date.parse(timestamp ?? '');
  return Number.isNaN(ms) ? undefined : ms;
}

export const throughputOf = (movement: Movement): RestoreThroughput => kindOf(movement).throughputOf(movement) ?? {};

/** The API keeps whole seconds, so no rate is calculated in the first second of a movement. */
function rateOf(movement: Movement, bytesDone: number, totalBytes: number, nowMs: number) {
  const startMs = timeMs(movement.status?.startTimestamp);
  const ended = hasEnded(movement);
  const untilMs = ended ? timeMs(movement.status?.completionTimestamp) : nowMs;
  if (startMs === undefined || untilMs === undefined || untilMs - startMs < 1_000 || bytesDone <= 0) return {};
  const bytesPerSecond = throughputOf(movement).bytesPerSecond || (bytesDone * 1_000) / (untilMs - startMs);
  if (ended || totalBytes <= bytesDone) return { bytesPerSecond };
  return { bytesPerSecond, leftMs: ((totalBytes - bytesDone) / bytesPerSecond) * 1_000 };
}
