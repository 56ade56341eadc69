import { describeError } from '@lateen/errors';
import { planTeardown, type TeardownPhase, type TeardownStep } from '@lateen/instance-host';
import { detachLoop, unmountPath } from '@lateen/volume';
import { type FrontendDeps, processId } from '../frontend-deps.ts';
import { notNow } from '../frontend-error.ts';
import { frontendLimits } from '../frontend-limits.ts';
import { type FrontendSeen, lookAtFrontend } from './look.ts';
import { placesOf } from './nbdfuse-process.ts';

/** Looks, does what can be done now, and looks again, until nothing is left or a phase lasts longer than it may. */
export async function stopFrontend(deps: FrontendDeps, volume: string, signal: AbortSignal): Promise<void> {
  const { clock, files } = deps.host;
  let before: { phase: TeardownPhase; sinceMs: number } | undefined;
  let failure: unknown;
  for (;;) {
    signal.throwIfAborted();
    const seen = await lookAtFrontend(deps, volume, signal);
    const nowMs = clock.monotonicMs();
    const plan = planTeardown(attachedSeen(deps, volume, seen), before, nowMs);
    if (plan.phase === 'done') break;
    if (plan.overdue !== undefined) throw overdue(volume, plan.reason, seen, failure);
    if (before?.phase !== plan.phase) before = { phase: plan.phase, sinceMs: nowMs };
    for (const step of plan.steps) {
      // A mount that is busy, a device that went away in between: the next look says what is left.
      failure = await apply(deps, volume, seen, step, signal).then(
        () => undefined,
        (error: unknown) => error,
      );
      signal.throwIfAborted();
    }
    await clock.sleep(frontendLimits.pollMs, signal);
  }
  // It has ended by itself when its directory was unmounted: the keeper of processes is told that it is no longer wanted.
  await deps.processes.end(processId(volume), signal);
  await files.removeMountPoint(placesOf(deps, volume).mountPoint);
}

function attachedSeen(deps: FrontendDeps, volume: string, seen: FrontendSeen) {
  return {
    volume,
    mountPoints: seen.mountPoints,
    loops: [...seen.loops, ...seen.stale],
    ...(seen.mount === undefined ? {} : { fuseDirectory: placesOf(deps, volume).mountPoint }),
    frontend: seen.process.state,
    engine: 'gone' as const,
    replicas: [],
  };
}

async function apply(
  deps: FrontendDeps,
  volume: string,
  seen: FrontendSeen,
  step: TeardownStep,
  signal: AbortSignal,
): Promise<void> {
  if (step.do === 'detach-loop') {
    const loop = [...seen.loops, ...seen.stale].find(({ path }) => path === step.path);
    if (loop !== undefined) await detachLoop(deps.host, loop, signal);
  }
  if (step.do === 'unmount')
    await unmountPath(deps.host, step.directory, ({ fileSystem }) => fileSystem.startsWith('fuse'), signal);
  if (step.do === 'end-frontend') await deps.processes.end(processId(volume), signal);
}

function overdue(volume: string, reason: string, { stale }: FrontendSeen, cause: unknown) {
  const names = stale.map(({ path }) => path);
  const earlier =
    names.length === 0 ? '' : `; ${names.join(', ')} ${names.length === 1 ? 'is' : 'are'} of an earlier one`;
  const said = cause === undefined ? '' : ` (${describeError(cause)})`;
  return notNow(volume, `it cannot be removed: ${reason}${earlier}${said}`, {
    ...(cause === undefined ? {} : { cause }),
    details: { stale: names },
    nextStep: 'Find what uses it with /proc/*/mountinfo and fuser on the node.',
  });
}
