import { AppError } from '@lateen/errors';
import { ownerText } from '../conventions/repository-names.ts';
import type { KopiaSession } from '../engine/kopia-session.ts';

/** Never: Velero keeps snapshots until their Backup goes (data-movement.md section 9, "Policy"). */
const keepForever = 2_147_483_647;

/**
 * Maintenance belongs to the identity all clients share: full every 24 h, quick every 1 h (data-movement.md section 9,
 * "Init parameters"). Reading them opens the repository, so this is also the check of the password.
 */
export async function ensureMaintenanceOwner(
  session: KopiaSession,
  options: { readOnly: boolean; signal: AbortSignal },
): Promise<void> {
  const doing = 'opening the repository';
  const info = await session.run(['maintenance', 'info', '--json'], { signal: options.signal });
  options.signal.throwIfAborted();
  if (info.exitCode !== 0) throw session.failure(info, doing);
  if (options.readOnly || ownerOf(info.stdout) === ownerText) return;
  await must(session, options.signal, 'setting the maintenance owner', [
    'maintenance',
    'set',
    `--owner=${ownerText}`,
    '--enable-quick=true',
    '--quick-interval=1h',
    '--enable-full=true',
    '--full-interval=24h',
  ]);
}

/**
 * One policy for all sources of our identity, inherited by each, so that a backup need not write one of its own.
 * Parallel reads are given per run instead.
 */
export async function applyOwnerPolicy(session: KopiaSession, signal: AbortSignal): Promise<void> {
  const keep = ['latest', 'hourly', 'daily', 'weekly', 'monthly', 'annual'].map(
    (unit) => `--keep-${unit}=${keepForever}`,
  );
  await must(session, signal, 'setting the retention policy', [
    'policy',
    'set',
    ownerText,
    ...keep,
    '--compression=none',
    '--ignore-unknown-types=true',
    '--parallel-upload-above-size-mib=2048',
  ]);
}

async function must(session: KopiaSession, signal: AbortSignal, doing: string, args: readonly string[]): Promise<void> {
  const exit = await session.run(args, { signal });
  signal.throwIfAborted();
  if (exit.exitCode !== 0) throw session.failure(exit, doing);
}

function ownerOf(json: string): string {
  const parsed: unknown = parse(json);
  if (typeof parsed === 'object' && parsed !== null && 'owner' in parsed) return String(parsed.owner);
  throw new AppError('ENGINE_BAD_ANSWER', 'kopia maintenance info answered something that is not its JSON');
}

function parse(json: string): unknown {
  try {
    return JSON.parse(json);
  } catch {
    return undefined;
  }
}
