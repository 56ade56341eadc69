import { AppError } from '@lateen/errors';
import type { Logger } from '@lateen/kernel';
import { type KopiaSession, ownerText } from '@lateen/repository';
import { decideSplitter, needsPolicy, type SourcePolicy, type SplitterWish } from './decide-splitter.ts';

export interface SettleOptions {
  session: KopiaSession;
  /** The path part of the source. */
  sourcePath: string;
  wish: SplitterWish;
  log: Logger;
  signal: AbortSignal;
}

/**
 * Makes sure, before an upload to a source, that kopia will use the wanted splitter: one more run of kopia, or two when the
 * policy of the source has to be written. No run for a file system for which no splitter is named. Safe to repeat.
 * @returns the policy that is in effect, where it was read
 * @throws as `session.failure`; ENGINE_BAD_ANSWER; the signal's reason on abort
 */
export async function settleSplitter({
  session,
  sourcePath,
  wish,
  log,
  signal,
}: SettleOptions): Promise<SourcePolicy | undefined> {
  if (!needsPolicy(wish)) return undefined;
  const source = `${ownerText}:${sourcePath}`;
  const run = async (doing: string, args: readonly string[]): Promise<string> => {
    const exit = await session.run(args, { signal });
    signal.throwIfAborted();
    if (exit.exitCode !== 0) throw session.failure(exit, `${doing} the policy of ${source}`);
    return exit.stdout;
  };
  const policy = parsePolicy(await run('reading', ['policy', 'show', source, '--json']));
  const splitter = decideSplitter(wish, policy);
  if (splitter === undefined) return policy;
  await run('writing', ['policy', 'set', source, `--splitter=${splitter}`]);
  log.info({ source, splitter, before: policy }, 'the source has another splitter from now on');
  return { ...policy, splitter };
}

/**
 * Parses what `kopia policy show --json` prints: the policy in effect. After each snapshot of a named source, kopia marks the
 * schedule of that source as manual, and Velero writes the same before its own snapshots; so the mark means that the source has
 * snapshots.
 * @throws ENGINE_BAD_ANSWER
 */
export function parsePolicy(stdout: string): SourcePolicy {
  try {
    const { splitter, scheduling } = JSON.parse(stdout) as {
      splitter?: { algorithm?: unknown };
      scheduling?: { manual?: unknown };
    };
    const algorithm = splitter?.algorithm;
    return {
      splitter: typeof algorithm === 'string' && algorithm !== '' ? algorithm : undefined,
      isUsed: scheduling?.manual === true,
    };
  } catch (cause) {
    throw new AppError('ENGINE_BAD_ANSWER', 'kopia policy show answered something that is not its JSON', { cause });
  }
}
