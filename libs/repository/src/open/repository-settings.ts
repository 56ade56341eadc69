import { ownerText } from '../conventions/repository-names.ts';
import type { KopiaSession } from '../engine/kopia-session.ts';
import { mustRun } from '../engine/must-run.ts';
import { readSchedule } from '../operations/kopia-schedule.ts';

/** Never: Velero keeps snapshots until their Backup goes (data-movement.md section 9, "Policy"). */
const keepForever = 2_147_483_647;

/**
 * Maintenance belongs to the identity all clients share: full every 24 h, quick every 1 h (data-movement.md section 9,
 * "Init parameters"). Reading them opens the repository, so this is also the check of the password.
 */
export async function ensureMaintenanceOwner(
  session: KopiaSession,
  { readOnly, signal }: { readOnly: boolean; signal: AbortSignal },
): Promise<void> {
  const { owner } = await readSchedule(session, signal);
  if (readOnly || owner === ownerText) return;
  const settings = ['--enable-quick=true', '--quick-interval=1h', '--enable-full=true', '--full-interval=24h'];
  const args = ['maintenance', 'set', `--owner=${ownerText}`, ...settings];
  await mustRun(session, 'setting the maintenance owner', args, { signal });
}

/**
 * One policy for all sources of our identity, inherited by each, so that a backup need not write one of its own.
 * Parallel reads are given per run instead.
 */
export async function applyOwnerPolicy(session: KopiaSession, signal: AbortSignal): Promise<void> {
  const keep = ['latest', 'hourly', 'daily', 'weekly', 'monthly', 'annual'].map(
    (unit) => `--keep-${unit}=${keepForever}`,
  );
  const others = ['--compression=none', '--ignore-unknown-types=true', '--parallel-upload-above-size-mib=2048'];
  await mustRun(session, 'setting the retention policy', ['policy', 'set', ownerText, ...keep, ...others], { signal });
}
