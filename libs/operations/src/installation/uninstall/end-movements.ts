import { type DaemonSet, daemonSetType, nodeAgentName } from '@lateen/api-types';
import { AppError } from '@lateen/errors';
import { type Clock, durationText } from '@lateen/kernel';
import { type KubeApi, readObject } from '@lateen/kube';
import { findMovements, hasEnded, type Movement, requestCancel } from '@lateen/operations/volume';
import type { Waiting } from './until-gone.ts';

/** The poll interval; each movement takes seconds to end, so the shown number falls visibly. */
const lookAgainMs = 1_000;

/**
 * Cancels movements that have not ended and waits until the node-agents have cleaned up after them. Safe to repeat.
 * @returns names of movements that have not ended: only with `force`, or when no node-agent exists that could end them
 * @throws AppError MOVEMENTS_RUNNING after the time-out without `force`
 */
export async function endMovements(
  kube: KubeApi,
  namespace: string,
  running: readonly Movement[],
  { clock, signal, timeoutMs, onWaiting, force }: Waiting & { clock: Clock; force: boolean },
): Promise<string[]> {
  if (running.length === 0) return [];
  for (const movement of running) await requestCancel(kube, movement, signal);
  const giveUpMs = clock.monotonicMs() + timeoutMs;
  for (;;) {
    const left = (await findMovements(kube, namespace, {}, signal)).filter((movement) => !hasEnded(movement));
    if (left.length === 0) return [];
    const names = left.map(({ kind, metadata }) => `${kind} ${metadata.name}`);
    const agent = await readObject(kube, daemonSetType, { namespace, name: nodeAgentName }, signal);
    if (readyAgents(agent) === 0) return names;
    if (clock.monotonicMs() >= giveUpMs) {
      if (force) return names;
      throw new AppError(
        'MOVEMENTS_RUNNING',
        `${names.join(', ')} have been canceled and not ended after ${durationText(timeoutMs)}`,
        {
          nextStep: 'Check the node-agents; --force removes everything anyway.',
        },
      );
    }
    onWaiting(`${left.length} movements to end: ${names.slice(0, 3).join(', ')}`);
    await clock.sleep(lookAgainMs, signal);
  }
}

const readyAgents = (agent: DaemonSet | undefined): number => {
  const status = agent?.status as { numberReady?: number } | undefined;
  return status?.numberReady ?? 0;
};
