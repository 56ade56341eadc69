import { hostError } from '@lateen/block-engine';
import type { AppError } from '@lateen/errors';

/** What is left of an attached volume on its node. Loop devices are found by backing file and inode, not by a record. */
export interface AttachedSeen {
  readonly volume: string;
  /** Where the device is mounted, in the view of the host. */
  readonly mountPoints: readonly string[];
  /** `isLeaving`: detached, but still open in a process; its number may be reused for another file at any moment. */
  readonly loops: readonly { readonly path: string; readonly isLeaving: boolean }[];
  /** The folder that nbdfuse serves, while it is mounted. */
  readonly fuseDirectory?: string;
  readonly frontend: 'lives' | 'gone';
  readonly engine: 'lives' | 'gone';
  /** Processes of its replicas that this node has to end too; none when they serve another node. */
  readonly replicas: readonly string[];
}

/** In this order. Removing something below a layer that still uses it leaves devices that hang until the next boot. */
export const teardownPhases = [
  'mounts',
  'loops',
  'leaving-loops',
  'fuse',
  'frontend',
  'engine',
  'replicas',
  'done',
] as const;
export type TeardownPhase = (typeof teardownPhases)[number];

export type TeardownStep =
  | { readonly do: 'detach-loop'; readonly path: string }
  /** The directory, not the file in it. */
  | { readonly do: 'unmount'; readonly directory: string }
  | { readonly do: 'end-frontend' }
  /** The engine finishes the writes that it has accepted. */
  | { readonly do: 'stop-engine' }
  | { readonly do: 'end-replica'; readonly id: string };

export interface TeardownPlan {
  readonly phase: TeardownPhase;
  /** All of them may be repeated. Empty in a phase that another party has to end. */
  readonly steps: readonly TeardownStep[];
  readonly reason: string;
  /** The phase has exceeded its limit: the caller gets this error, and the next call continues. */
  readonly overdue?: AppError;
}

/** A drain takes as long as a replica may take to answer, plus the time to record its failure. */
const phaseMsMax: Readonly<Record<TeardownPhase, number>> = {
  mounts: 30_000,
  loops: 10_000,
  'leaving-loops': 30_000,
  fuse: 10_000,
  frontend: 30_000,
  engine: 60_000,
  replicas: 30_000,
  done: Number.POSITIVE_INFINITY,
};

/** The next steps to detach a volume from its node. Pure; called again after each step. `before`: the phase of the last plan, and since when. */
export function planTeardown(
  seen: AttachedSeen,
  before: { readonly phase: TeardownPhase; readonly sinceMs: number } | undefined,
  atMs: number,
): TeardownPlan {
  const phase = teardownPhases.find((one) => isLeft[one](seen)) ?? 'done';
  const plan = { phase, steps: steps[phase](seen), reason: reasons[phase](seen) };
  const isLate = before?.phase === phase && atMs - before.sinceMs >= phaseMsMax[phase];
  return isLate ? { ...plan, overdue: overdue(seen.volume, plan.reason) } : plan;
}

type PerPhase<Value> = Readonly<Record<TeardownPhase, (seen: AttachedSeen) => Value>>;

const attached = ({ loops }: AttachedSeen) => loops.filter(({ isLeaving }) => !isLeaving);
const paths = (loops: AttachedSeen['loops']) => loops.map(({ path }) => path).join(', ');

const isLeft: PerPhase<boolean> = {
  mounts: ({ mountPoints }) => mountPoints.length > 0,
  loops: (seen) => attached(seen).length > 0,
  'leaving-loops': ({ loops }) => loops.length > 0,
  fuse: ({ fuseDirectory }) => fuseDirectory !== undefined,
  frontend: ({ frontend }) => frontend === 'lives',
  engine: ({ engine }) => engine === 'lives',
  replicas: ({ replicas }) => replicas.length > 0,
  done: () => true,
};

const steps: PerPhase<readonly TeardownStep[]> = {
  // kubelet unmounts, through CSI: it knows which pods use the mount.
  mounts: () => [],
  loops: (seen) => attached(seen).map(({ path }) => ({ do: 'detach-loop', path })),
  'leaving-loops': () => [],
  fuse: ({ fuseDirectory = '' }) => [{ do: 'unmount', directory: fuseDirectory }],
  frontend: () => [{ do: 'end-frontend' }],
  engine: () => [{ do: 'stop-engine' }],
  replicas: ({ replicas }) => replicas.map((id) => ({ do: 'end-replica', id })),
  done: () => [],
};

const reasons: PerPhase<string> = {
  mounts: ({ mountPoints }) => `it is still mounted at ${mountPoints.join(', ')}`,
  loops: (seen) => `${paths(attached(seen))} is still attached`,
  'leaving-loops': ({ loops }) => `something still has ${paths(loops)} open, which was detached`,
  fuse: ({ fuseDirectory = '' }) => `${fuseDirectory} is still mounted`,
  frontend: () => 'the process of its front end has not ended',
  engine: () => 'its engine has not ended',
  replicas: ({ replicas }) => `the processes of ${replicas.join(', ')} have not ended`,
  done: () => 'nothing is left',
};

const overdue = (volume: string, reason: string) =>
  hostError('NOT_POSSIBLE_NOW', `volume ${volume} cannot be detached from this node: ${reason}`, {
    nextStep: 'Find what uses it with /proc/*/mountinfo and fuser on the node.',
  });
