import type { EventRecorder } from '@lateen/kube-runtime';
import type { DataPathEnd } from './data-path-end.ts';
import type { DataPathPorts, DataPathTask } from './data-path-ports.ts';
import { flushEvents } from './flush-events.ts';
import { runDataPath } from './run-data-path.ts';

export interface MoverPorts extends Omit<DataPathPorts, 'record'> {
  events: EventRecorder;
  /** Leaves the result where kubelet finds it when the process has ended. Does not reject. */
  writeTermination(message: string): Promise<void>;
}

/**
 * The mover from its start to its last Event; resolves with the exit code, and then the process has to end at once. The termination
 * message is written before the Events are waited for, so it is right without an API server.
 */
export async function moveVolume(
  task: DataPathTask,
  ports: MoverPorts,
  stop: AbortSignal,
): Promise<DataPathEnd['exitCode']> {
  const { events, clock, log, writeTermination } = ports;
  const record: DataPathPorts['record'] = (about, { reason, message, type }) =>
    events.record(about, reason, message, { type: type ?? 'Normal' });
  const end = await runDataPath(task, { ...ports, record }, stop);
  await writeTermination(end.terminationMessage);
  if (end.engineHangs) return end.exitCode;
  await flushEvents(events, { clock, log, stop });
  return end.exitCode;
}
