import { AppError } from '@lateen/errors';
import type { ResourceType } from '@lateen/kube';
import {
  followMovement,
  kindOf,
  type Movement,
  phaseOf,
  throughputOf,
  type VolumePorts,
} from '@lateen/operations/volume';
import type { CommandContext } from '../command-context.ts';
import { liveLine } from '../output/live-line.ts';
import { type OutputFormat, printObjects } from '../output/print-object.ts';
import { progressLine } from '../output/progress-line.ts';

export interface ReportOptions {
  wait: boolean;
  format: OutputFormat;
}

/**
 * Follows a movement to its end (unless a flag says not to wait) and prints the object in the requested format.
 * @throws AppError MOVEMENT_FAILED with the object's message when it ends in Failed or Canceled; the object is printed before
 */
export async function reportMovement<T extends Movement>(
  type: ResourceType<T>,
  movement: T,
  options: ReportOptions,
  context: CommandContext,
  ports: VolumePorts,
): Promise<void> {
  const label = `${type.kind} ${movement.metadata.namespace}/${movement.metadata.name}`;
  const line = liveLine(context.stderr);
  let ended = movement;
  if (options.wait) {
    try {
      ended = await followMovement(
        type,
        movement,
        (seen) => line.show(describe(label, seen, context)),
        ports,
        context.signal,
      );
    } catch (error) {
      if (!context.signal.aborted) throw error;
      throw new AppError('INTERRUPTED', `stopped waiting; ${label} continues`, {
        nextStep: `Cancel it with: lateen volume cancel ${kindOf(movement).verb}/${movement.metadata.name} -n ${movement.metadata.namespace}`,
      });
    } finally {
      line.end();
    }
  }
  context.stdout.write(
    options.format === 'table' ? `${summary(label, ended)}\n` : printObjects([ended], options.format, false),
  );
  const phase = ended.status?.phase;
  if (phase === 'Failed' || phase === 'Canceled')
    throw new AppError('MOVEMENT_FAILED', `${label} is ${phase}: ${ended.status?.message ?? 'no message'}`);
}

function describe(label: string, seen: Movement, context: CommandContext): string {
  const started = seen.status?.startTimestamp;
  return progressLine({
    name: label,
    phase: seen.status?.phase ?? 'New',
    bytesDone: seen.status?.progress?.bytesDone ?? 0,
    totalBytes: seen.status?.progress?.totalBytes ?? 0,
    filesPerSecond: throughputOf(seen).filesPerSecond,
    elapsedMs: typeof started !== 'string' ? 0 : Math.max(context.clock.now() - Date.parse(started), 0),
  });
}

function summary(label: string, ended: Movement): string {
  const snapshot = isRestore(ended) ? undefined : kindOf(ended).snapshotOf(ended);
  const end = `${label} ${phaseOf(ended)}`;
  return snapshot === undefined || snapshot === '' ? end : `${end}, snapshot ${snapshot}`;
}

/** The spec of a restore names the snapshot that it restores. */
const isRestore = ({ spec }: Movement): boolean => 'snapshotID' in spec;
