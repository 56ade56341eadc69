import { type Host, runQuick } from '../host/host.ts';

export interface MountPlan {
  type: string;
  device: string;
  at: string;
  flags: readonly string[];
  readOnly: boolean;
}

/**
 * The device itself stays writable, so a read-only mount still replays the journal of a snapshot. `nouuid`: a restored or
 * cloned XFS has the UUID of its origin, which may be mounted beside it.
 */
export function mountArguments({ type, device, at, flags, readOnly }: MountPlan): string[] {
  const kept = flags.filter((flag) => flag !== 'ro' && flag !== 'rw');
  const options = [...(type === 'xfs' ? ['nouuid'] : []), ...kept, ...(readOnly ? ['ro'] : [])];
  return ['-t', type, ...(options.length > 0 ? ['-o', [...new Set(options)].join(',')] : []), device, at];
}

export async function mountFileSystem(host: Host, plan: MountPlan, signal: AbortSignal): Promise<void> {
  await host.files.makeDirectory(plan.at);
  await runQuick(host, signal, 'mount', mountArguments(plan));
}
