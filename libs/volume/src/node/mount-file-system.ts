import { type Host, runQuick } from '../host/host.ts';

export interface MountPlan {
  type: string;
  device: string;
  at: string;
  flags: readonly string[];
}

/**
 * Mounts for writing even when pods only read: growing and journal recovery need it; the bind of each pod is read-only.
 * `nouuid`: a restored or cloned XFS has the UUID of its origin, which may be mounted beside it.
 */
export function mountArguments({ type, device, at, flags }: MountPlan): string[] {
  const options = [...(type === 'xfs' ? ['nouuid'] : []), ...flags.filter((flag) => flag !== 'ro')];
  return ['-t', type, ...(options.length > 0 ? ['-o', [...new Set(options)].join(',')] : []), device, at];
}

export async function mountFileSystem(host: Host, plan: MountPlan, signal: AbortSignal): Promise<void> {
  await host.files.makeDirectory(plan.at);
  await runQuick(host, signal, 'mount', mountArguments(plan));
}
