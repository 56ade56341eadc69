import { isAppError } from '@lateen/errors';
import { type Clock, settledOrAborted } from '@lateen/kernel';
import { health, healthServiceName } from '@lateen/plugin-protocol';
import type { PluginProcess } from '../process/plugin-process.ts';

/** For the news of its end, which come by another way than the end of its connection, and for the answer of one that lives. */
const answerMs = 2_000;

const ofBrokenConnections: ReadonlySet<string> = new Set(['UNAVAILABLE', 'INTERNAL', 'CANCELLED']);

/**
 * Whether a process that answered with an error lives. A status such as UNAVAILABLE may be a plugin's own (of a cloud that it asked), or our client's
 * for a connection that broke: then it has ended, or is asked, and one that does not answer is killed.
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
    // One without this service answers, too.
    (refusal: unknown) => isAppError(refusal, 'UNIMPLEMENTED'),
  );
  if (answer) return true;
  if (!process.ended.aborted) await settledOrAborted(process.stop(true), process.ended);
  return false;
}
