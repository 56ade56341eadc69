import { annotations } from '@lateen/api-types';
import type { Clock, Random } from '@lateen/kernel';
import { apiTime, isConflict, isNotFound, keyOf } from '@lateen/kube';
import type { PhaseOf, RunPatch } from '../run-kind.ts';
import type { RunObject } from '../run-object.ts';
import { type RunWrites, type WritePorts, workedOnBy } from './run-writes.ts';

export interface ClaimPorts<R extends RunObject> extends WritePorts<R> {
  clock: Clock;
  random: Random;
  /** Identity of this process among the replicas. */
  identity: string;
}

/**
 * Moves a valid run to InProgress and records on it which process works on it. Of several controllers one wins; the others get
 * undefined. When the answer of the API server is lost, the stored object shows whether the claim is ours.
 */
export async function claimRun<R extends RunObject>(
  writes: RunWrites<R>,
  ports: ClaimPorts<R>,
  run: R,
  patch: RunPatch<R>,
  signal: AbortSignal,
): Promise<R | undefined> {
  const { token, claim } = claimOf(ports, patch);
  const status = { ...patch.status, startTimestamp: apiTime(ports.clock.now()) };
  return await claimed(writes, ports, run, token, signal, () =>
    writes.move(ports, run, 'InProgress' as PhaseOf<R>, { ...claim, status } as RunPatch<R>, signal),
  );
}

/** Takes over a run that is InProgress and that no process works on any more; otherwise like {@link claimRun}. */
export async function takeOverRun<R extends RunObject>(
  writes: RunWrites<R>,
  ports: ClaimPorts<R>,
  run: R,
  patch: RunPatch<R>,
  signal: AbortSignal,
): Promise<R | undefined> {
  const { token, claim } = claimOf(ports, patch);
  return await claimed(writes, ports, run, token, signal, () => writes.write(ports, run, claim, signal));
}

function claimOf<R extends RunObject>({ identity, random }: ClaimPorts<R>, patch: RunPatch<R>) {
  const token = `${identity}/${random.suffix(8)}`;
  const claim: RunPatch<R> = { ...patch, annotations: { ...patch.annotations, [annotations.workedOnBy]: token } };
  return { token, claim };
}

async function claimed<R extends RunObject>(
  { kind }: RunWrites<R>,
  { kube }: ClaimPorts<R>,
  run: R,
  token: string,
  signal: AbortSignal,
  write: () => Promise<R>,
): Promise<R | undefined> {
  try {
    return await write();
  } catch (error) {
    signal.throwIfAborted();
    if (isNotFound(error)) return undefined;
    const now = await kube.get(kind.type, keyOf(run), { signal });
    if (workedOnBy(now) === token) return now;
    if (isConflict(error)) return undefined;
    throw error;
  }
}
