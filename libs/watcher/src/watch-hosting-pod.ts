import type { AsyncBR } from '@lateen/datapath';
import { PodWatch } from './pod-watch.ts';
import type { HostingPod, WatchHostingPodOptions } from './watch-options.ts';

/**
 * A data path in another pod, seen from outside: AsyncBR over the pod's phases and the mover's Events (design "VGDP
 * Watcher"). `init` looks at the pod and subscribes, so nothing that happens later is missed; the start begins to call
 * back, first with what has happened since. A backup is completed as soon as its mover's Event says so: by then the
 * snapshot is in the repository and flushed, and kubelet would take a second more to notice that the mover exits; the
 * pod's end is still held against it, and `onContradicted` told. A restore waits for the pod's end. `cancel` does nothing here: the mover reads `spec.cancel` itself and the
 * end arrives like any other. The pod's log is repeated while it is written; `close` resolves when all of it is, so the
 * pod may be deleted then.
 */
export function watchHostingPod(options: WatchHostingPodOptions): AsyncBR<HostingPod, undefined> {
  let watch: PodWatch | undefined;
  let started = false;
  const start = (early: boolean) => async (): Promise<void> => {
    if (watch === undefined) throw new Error('init must come before the start');
    if (started) throw new Error('a data path is started once');
    started = true;
    watch.start({ early });
  };
  return {
    init: async (pod, { signal }) => {
      const fresh = new PodWatch(options, pod);
      await fresh.init(signal);
      watch = fresh;
    },
    startBackup: start(true),
    startRestore: start(false),
    cancel: () => {},
    close: async () => watch?.close(),
  };
}
