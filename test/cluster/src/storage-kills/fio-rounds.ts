import { join } from 'node:path';
import type { Clock } from '@lateen/kernel';
import { execa } from 'execa';

export interface FioOptions {
  fio: string;
  clock: Clock;
  place(signal: AbortSignal): Promise<string | undefined>;
}

/** The error of fio for data that differs from what it has written (EILSEQ). */
const wrongDataErrno = 84;
const pauseMs = 1_000;

/**
 * Blocks of 4 KiB, each with its place, number and checksum; overwritten, then all read again, at a rate that leaves room on two
 * processors.
 */
const job = [
  ...['--name=verified', '--size=8M', '--bs=4k', '--rw=randwrite', '--ioengine=psync', '--direct=1', '--fsync=64'],
  ...[
    '--verify=crc32c',
    '--do_verify=1',
    '--verify_fatal=1',
    '--verify_state_save=0',
    '--rate_iops=400',
    '--output-format=json',
  ],
] as const;

export interface FioRounds {
  /** Rounds in which every block was read as it was written. */
  whole: number;
  /** Rounds that a kill has interrupted: which writes were acknowledged is unknown. */
  brokenOff: number;
}

/** Runs fio with verification, round after round until the signal aborts. @throws when a round reads something else than it has written */
export async function runFio({ fio, clock, place }: FioOptions, signal: AbortSignal, rounds: FioRounds): Promise<void> {
  while (!signal.aborted) {
    const folder = await place(signal).catch(() => undefined);
    const errno = folder === undefined ? undefined : await oneRound(fio, folder, signal);
    if (signal.aborted) return;
    if (errno === wrongDataErrno) throw new Error('fio has read something else than it has written');
    if (errno === 0) rounds.whole += 1;
    else if (errno !== undefined) rounds.brokenOff += 1;
    if (errno !== 0) await clock.sleep(pauseMs, signal).catch(() => {});
  }
}

async function oneRound(fio: string, folder: string, signal: AbortSignal): Promise<number> {
  const args = [...job, `--filename=${join(folder, 'fio')}`];
  const { stdout, exitCode = 1 } = await execa(fio, args, { cancelSignal: signal, reject: false });
  return errnoOf(stdout) ?? exitCode;
}

/** A pure function that returns the error in the report of the job; undefined for a round without a report. */
export function errnoOf(report: string): number | undefined {
  const begin = report.indexOf('{');
  try {
    const { jobs } = JSON.parse(report.slice(Math.max(begin, 0))) as { jobs: { error: number }[] };
    return jobs[0]?.error;
  } catch {
    return undefined;
  }
}
