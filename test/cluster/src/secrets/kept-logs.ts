import { link, mkdir, readdir } from 'node:fs/promises';
import { join } from 'node:path';
import { systemClock } from '@lateen/kernel';

/** Shorter than the life of any pod. */
const everyMs = 200;

export interface KeptLogsOptions {
  /** `/var/log/pods` of a node, as the host sees it. */
  podLogs: string;
  /** A folder on the same file system. */
  keepIn: string;
  /** Namespaces of the pods begin with this. */
  namespacePrefix: string;
}

/**
 * Creates a hard link to every log file of a container, because the kubelet deletes the file with the pod: movers and Jobs are deleted
 * before their logs can be searched. Includes logs of restarted containers. Ends with the signal.
 */
export async function keepLogs(options: KeptLogsOptions, signal: AbortSignal): Promise<void> {
  const { podLogs, keepIn, namespacePrefix } = options;
  await mkdir(keepIn, { recursive: true });
  const kept = new Set<string>();
  do {
    await systemClock.sleep(everyMs, signal).catch(() => {});
    for (const pod of await readdir(podLogs)) {
      if (!pod.startsWith(namespacePrefix)) continue;
      for (const container of await listed(join(podLogs, pod)))
        for (const file of await listed(join(podLogs, pod, container))) {
          const name = `${pod}_${container}_${file}`;
          if (kept.has(name)) continue;
          await link(join(podLogs, pod, container, file), join(keepIn, name)).then(() => kept.add(name), unlessGone);
        }
    }
  } while (!signal.aborted);
}

const listed = (directory: string): Promise<string[]> => readdir(directory).catch(unlessGone);

function unlessGone(error: NodeJS.ErrnoException): never[] {
  if (error.code !== 'ENOENT') throw error;
  return [];
}
