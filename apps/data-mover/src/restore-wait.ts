import { access, readdir, readFile, rm } from 'node:fs/promises';
import { join } from 'node:path';
import type { Clock, Logger } from '@lateen/kernel';

/** Where the init container `restore-wait` has the volumes of its pod, each under its name. */
export const restoredVolumes = '/restores';

/** Where it finds what annotations of its pod say, written there by the kubelet. */
const wordsOfPod = '/restore-wait';

/** With any text: it is to wait no longer. With the uid of the restore: all volumes have their data, for one that does not see the marks. */
const words = { start: 'start-without-data', restored: 'volumes-restored' } as const;

/** Between two looks (data-movement.md section 6). */
const lookMs = 1_000;

/** A long restore must not fill the log. */
const tellMs = 60_000;

/** In the volume: whoever has restored its data puts the uid of its Restore in here. */
export const markDirectory = '.velero';

export interface RestoreWaitPorts {
  clock: Clock;
  log: Logger;
}

export interface RestoreWaitOptions {
  /** Has the volumes, each under its name. */
  directory: string;
  restoreUid: string;
  /** Has what annotations of the pod say. */
  wordsDirectory?: string;
}

/**
 * Waits until every volume under `directory` has the mark of a restore, then takes the marks away, so that the pod finds its data and
 * nothing else. A mark that may not be taken away does not keep the pod from starting. A mark is not always to be seen: an application may keep
 * others out of its volume, and another pod that mounts the same volume may have taken it away. So an annotation of the pod says the same.
 * Another annotation ends the wait at once.
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
      log.info({ volumes: open }, 'the restore says that volumes have their data in which its mark is not to be seen');
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

/** A pod without the annotation has an empty file, one that another has made none. */
const textOf = async (path: string): Promise<string> => (await readFile(path, 'utf8').catch(() => '')).trim();

async function markIn(path: string): Promise<'there' | 'missing' | 'hidden'> {
  try {
    await access(path);
    return 'there';
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === 'EACCES' ? 'hidden' : 'missing';
  }
}
