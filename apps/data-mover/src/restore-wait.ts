import { access, readdir, readFile, rm } from 'node:fs/promises';
import { join } from 'node:path';
import type { Clock, Logger } from '@lateen/kernel';

/** Where the init container `restore-wait` has the volumes of its pod, each under its name. */
export const restoredVolumes = '/restores';

/** Where it finds, once somebody says so, that it is to wait no longer: an annotation of the pod, written there by the kubelet. */
export const startWord = '/restore-wait/start-without-data';

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

/**
 * Waits until every volume under `directory` has the mark of a restore, then takes the marks away, so that the pod finds its data and
 * nothing else. A mark that may not be taken away does not keep the pod from starting. Text in `wordFile` ends the wait at once.
 * @throws the signal's reason; what keeps the directory from being read
 */
export async function waitForVolumes(
  { clock, log }: RestoreWaitPorts,
  { directory, restoreUid, wordFile = startWord }: { directory: string; restoreUid: string; wordFile?: string },
  signal: AbortSignal,
): Promise<void> {
  const volumes = (await readdir(directory, { withFileTypes: true })).filter((entry) => entry.isDirectory());
  let open = volumes.map(({ name }) => name);
  let toldMs = Number.NEGATIVE_INFINITY;
  for (;;) {
    const marks = await Promise.all(open.map((name) => isThere(join(directory, name, markDirectory, restoreUid))));
    open = open.filter((_, at) => marks[at] !== true);
    if (open.length === 0) break;
    if (await hasText(wordFile)) {
      log.warn(
        { volumes: open },
        'the pod starts although volumes of it are not restored: an annotation of it says so',
      );
      break;
    }
    if (clock.monotonicMs() - toldMs >= tellMs) {
      log.info({ volumes: open }, 'volumes are not restored yet');
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
async function hasText(path: string): Promise<boolean> {
  return (await readFile(path, 'utf8').catch(() => '')).trim() !== '';
}

async function isThere(path: string): Promise<boolean> {
  try {
    await access(path);
    return true;
  } catch {
    return false;
  }
}
