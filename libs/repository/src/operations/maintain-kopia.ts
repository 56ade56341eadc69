import { outputLines } from '@lateen/child-process';
import { ownerText } from '../conventions/repository-names.ts';
import type { KopiaSession } from '../engine/kopia-session.ts';
import { mustRun } from '../engine/must-run.ts';
import { readSchedule } from './kopia-schedule.ts';
import type { MaintainOptions, RepositoryMaintenance } from './repository-operation.ts';

export async function maintainKopia(session: KopiaSession, options: MaintainOptions): Promise<RepositoryMaintenance> {
  const { mode, signal, onProgress } = options;
  await settle(session, options);
  const bytesBefore = await storedBytes(session, signal);
  let steps = 0;
  const lines = outputLines((line) => {
    steps += 1;
    onProgress?.({ doing: session.redact(line), done: steps, unit: 'items' });
  });
  const args = ['maintenance', 'run', ...(mode === 'full' ? ['--full'] : []), '--safety=full'];
  await mustRun(session, `${mode} maintenance`, args, { signal, onStderr: lines.push });
  return { engine: 'kopia', mode, bytesBefore, bytesAfter: await storedBytes(session, signal) };
}

/** kopia runs maintenance only for the owner, which may be another identity in a repository that a user's own kopia has used. */
async function settle(session: KopiaSession, { fullIntervalMs, signal }: MaintainOptions): Promise<void> {
  const schedule = await readSchedule(session, signal);
  const changes = [
    ...(schedule.owner === ownerText ? [] : [`--owner=${ownerText}`, '--enable-quick=true', '--enable-full=true']),
    ...(fullIntervalMs === undefined || fullIntervalMs === schedule.fullIntervalMs
      ? []
      : [`--full-interval=${fullIntervalMs / 1000}s`]),
  ];
  if (changes.length === 0) return;
  await mustRun(session, 'setting the maintenance parameters', ['maintenance', 'set', ...changes], { signal });
}

async function storedBytes(session: KopiaSession, signal: AbortSignal): Promise<number> {
  const { stdout } = await mustRun(session, 'measuring the repository', ['blob', 'stats', '--raw'], { signal });
  return Number(/^Total: (\d+)/m.exec(stdout)?.[1] ?? 0);
}
