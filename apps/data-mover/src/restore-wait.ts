import { access, readdir, readFile, rm } from 'node:fs/promises';
import { join } from 'node:path';
import type { Clock, Logger } from '@lateen/kernel';

/** The directory in which the init container `restore-wait` has the volumes of its pod, each under its name. */
export const restoredVolumes = '/restores';

/** The directory with the values of the pod's annotations, which the kubelet writes. */
const wordsOfPod = '/restore-wait';

/**
 * With any text: stop waiting. With the UID of the restore: all volumes have their data, for a waiter that does not see the
 * marks.
 */
const words = { start: 'start-without-data', restored: 'volumes-restored' } as const;

/** Interval between two looks (data-movement.md section 6). */
const lookMs = 1_000;

/** Interval between log lines: a long restore must not fill the log. */
const tellMs = 60_000;

/** Directory in the volume for the mark: the data mover of a restore writes the UID of its Restore here. */
export const markDirectory = '.velero';

export interface RestoreWaitPorts {
  clock: Clock;
  log: Logger;
}

export interface RestoreWaitOptions {
  /** Contains the volumes, each under its name. */
  directory: string;
  restoreUid: string;
  /** Contains the values of the pod's annotations. */
  wordsDirectory?: string;
}

/**
 * Waits until every volume under `directory` has the mark of a restore, then removes the marks, so that the pod finds only its
 * data. A mark that cannot be removed does not prevent the start of the pod. A mark may be invisible: an application may deny
 * others access to its volume, and another pod that mounts the same volume may have removed the mark. So an annotation of the pod
 * says the same. Another annotation ends the wait at once.
 * @throws the signal's reason; what keeps the directory from being read
 */
export async function waitForVolumes(
  { clock, log }: RestoreWaitPorts,
  { directory, restoreUid, wordsDirectory = wordsOfPod }: RestoreWaitOptions,
  signal: AbortSignal,
): Promise<void> {
  const volumes = (await readdir(directory, { withFileTypes: true })).filter((entry) => entry.isDirectory());
  let open = volumes.map(({ name }) => name);
  let toldMs = Number.NEGATIVE_INFINITY;
  for (;;) {
    const marks = await Promise.all(open.map((name) => markIn(join(directory, name, markDirectory, restoreUid))));
    const hidden = open.filter((_, at) => marks[at] === 'hidden');
    open = open.filter((_, at) => marks[at] !== 'there');
    if (open.length === 0) break;
    if ((await textOf(join(wordsDirectory, words.restored))) === restoreUid) {
      log.info({ volumes: open }, 'the restore reports volumes as restored in which its mark is not visible');
      break;
    }
    if ((await textOf(join(wordsDirectory, words.start))) !== '') {
      log.warn(
        { volumes: open },
        'the pod starts although volumes of it are not restored: an annotation of it says so',
      );
      break;
    }
    if (clock.monotonicMs() - toldMs >= tellMs) {
      log.info({ volumes: open, ...(hidden.length === 0 ? {} : { hidden }) }, 'volumes are not restored yet');
      toldMs = clock.monotonicMs();
    }
    await clock.sleep(lookMs, signal);
  }
  for (const { name } of volumes)
    await rm(join(directory, name, markDirectory), { recursive: true, force: true }).catch((error: unknown) =>
      log.warn({ volume: name, err: error }, 'the mark of the restore stays in the volume'),
    );
  if (open.length === 0) log.info({ volumes: volumes.map(({ name }) => name) }, 'all volumes are restored');
}

/** For a missing annotation, the kubelet writes an empty file; another implementation may write none. */
const textOf = async (path: string): Promise<string> => (await readFile(path, 'utf8').catch(() => '')).trim();

async function markIn(path: string): Promise<'there' | 'missing' | 'hidden'> {
  try {
    await access(path);
    return 'there';
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === 'EACCES' ? 'hidden' : 'missing';
  }
}
