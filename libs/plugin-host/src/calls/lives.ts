import { isAppError } from '@lateen/errors';
import { type Clock, settledOrAborted } from '@lateen/kernel';
import { health, healthServiceName } from '@lateen/plugin-protocol';
import type { PluginProcess } from '../process/plugin-process.ts';

/** Time for the report of its end, which arrives separately from the end of its connection, and for the answer of a living process. */
const answerMs = 2_000;

const ofBrokenConnections: ReadonlySet<string> = new Set(['UNAVAILABLE', 'INTERNAL', 'CANCELLED']);

/**
 * Whether a process that answered with an error still runs. A status such as UNAVAILABLE may come from the plugin (from a cloud that it called), or
 * from our client for a broken connection: then the process has ended, or is probed, and killed when it does not answer.
 */
export async function lives(process: PluginProcess, error: unknown, clock: Clock): Promise<boolean> {
  if (process.ended.aborted) return false;
  if (!isAppError(error) || !ofBrokenConnections.has(error.code)) return true;
  const late = AbortSignal.any([clock.deadline(answerMs), process.ended]);
  const check = process
    .client<health.HealthServer>(health.HealthClient)
    .check({ service: healthServiceName }, { signal: late });
  const answer = await check.then(
    () => true,
    // A program without this service answers too.
    (refusal: unknown) => isAppError(refusal, 'UNIMPLEMENTED'),
  );
  if (answer) return true;
  if (!process.ended.aborted) await settledOrAborted(process.stop(true), process.ended);
  return false;
}
