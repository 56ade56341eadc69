import { ownerText } from '../conventions/repository-names.ts';
import type { KopiaSession } from '../engine/kopia-session.ts';
import { mustRun } from '../engine/must-run.ts';
import { readSchedule } from '../operations/kopia-schedule.ts';

/** Never: Velero keeps snapshots until their Backup is deleted (data-movement.md section 9, "Policy"). */
const keepForever = 2_147_483_647;

/**
 * The identity that all clients share owns the maintenance: full every 24 h, quick every 1 h (data-movement.md section 9, "Init
 * parameters"). Reading these parameters opens the repository, so this also checks the password.
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
 * One policy for all sources of our identity, which each source inherits, so that a backup need not write one. The number of
 * parallel reads is set per run instead.
 */
export async function applyOwnerPolicy(session: KopiaSession, signal: AbortSignal): Promise<void> {
  const keep = ['latest', 'hourly', 'daily', 'weekly', 'monthly', 'annual'].map(
    (unit) => `--keep-${unit}=${keepForever}`,
  );
  const others = ['--compression=none', '--ignore-unknown-types=true', '--parallel-upload-above-size-mib=2048'];
  await mustRun(session, 'setting the retention policy', ['policy', 'set', ownerText, ...keep, ...others], { signal });
}
