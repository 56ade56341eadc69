import { AppError } from '@lateen/errors';
import type { KopiaSession } from '../engine/kopia-session.ts';
import { mustRun } from '../engine/must-run.ts';
import type { MaintenanceMode } from './repository-operation.ts';

/** The maintenance state of a kopia repository. */
export interface KopiaSchedule {
  owner: string;
  fullIntervalMs: number;
  /** Epoch ms; a time in the past means that it is due. */
  nextFullMs: number;
  nextQuickMs: number;
}

const hourMs = 3_600_000;

/** `spec.repositoryConfig.fullMaintenanceInterval` (api.md section 17.3; hours: data-movement.md section 9, "Init parameters"). */
const fullIntervals: Readonly<Record<string, number>> = {
  normalGC: 24 * hourMs,
  fastGC: 12 * hourMs,
  eagerGC: 6 * hourMs,
};

/** The interval of a BackupRepository's configuration; undefined when it has none of the known ones. */
export function fullInterval(
  repositoryConfig: Readonly<Record<string, string>> | null | undefined,
): number | undefined {
  const name = repositoryConfig?.fullMaintenanceInterval;
  return name !== undefined && Object.hasOwn(fullIntervals, name) ? fullIntervals[name] : undefined;
}

/** The cycle that is due by kopia's own schedule; a full cycle includes the work of a quick one. Pure. */
export function dueMode(schedule: KopiaSchedule, nowMs: number): MaintenanceMode | undefined {
  if (schedule.nextFullMs <= nowMs) return 'full';
  return schedule.nextQuickMs <= nowMs ? 'quick' : undefined;
}

/** Opens the repository to read it. @throws as `session.failure`; ENGINE_BAD_ANSWER; the signal's reason on abort */
export async function readSchedule(session: KopiaSession, signal: AbortSignal): Promise<KopiaSchedule> {
  const { stdout } = await mustRun(session, 'opening the repository', ['maintenance', 'info', '--json'], { signal });
  const schedule = scheduleOf(stdout);
  if (schedule === undefined) {
    throw new AppError('ENGINE_BAD_ANSWER', 'kopia maintenance info answered something that is not its JSON');
  }
  return schedule;
}

const nanosecondsPerMs = 1e6;

function scheduleOf(json: string): KopiaSchedule | undefined {
  try {
    const { owner, full, schedule } = JSON.parse(json) as {
      owner: unknown;
      full?: { interval?: unknown };
      schedule?: { nextFullMaintenance?: unknown; nextQuickMaintenance?: unknown };
    };
    if (typeof owner !== 'string') return undefined;
    return {
      owner,
      fullIntervalMs: Number(full?.interval) / nanosecondsPerMs,
      nextFullMs: timeOf(schedule?.nextFullMaintenance),
      nextQuickMs: timeOf(schedule?.nextQuickMaintenance),
    };
  } catch {
    return undefined;
  }
}

/** kopia writes the year 1 for "never", and nanoseconds and zones in a form that Date can parse. */
function timeOf(text: unknown): number {
  const ms = Date.parse(String(text));
  return Number.isNaN(ms) ? Number.NEGATIVE_INFINITY : ms;
}
