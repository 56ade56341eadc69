import type { AsyncBR } from '@lateen/datapath';
import { PodWatch } from './pod-watch.ts';
import type { HostingPod, WatchHostingPodOptions } from './watch-options.ts';

/**
 * A data path in another pod, seen from outside: AsyncBR over the pod's phases and the mover's Events (design "VGDP
 * Watcher"). `init` looks at the pod and subscribes, so nothing that happens later is missed; the start begins to call
 * back, first with what has happened since. A data path is completed as soon as its mover's Event says so: by then a snapshot is in
 * the repository and a volume is written and synced, and kubelet would take a second more to notice that the mover exits. The
 * pod's end is still held against it, and `onContradicted` told. Only where the pod has to be gone for what follows
 * (`needsPodEnd`) is its end waited for. `cancel` does nothing here: the mover reads `spec.cancel` itself and the
 * end arrives like any other. The pod's log is repeated while it is written; `close` resolves when all of it is, so the
 * pod may be deleted then.
 */
export function watchHostingPod(options: WatchHostingPodOptions): AsyncBR<HostingPod, undefined> {
  let watch: PodWatch | undefined;
  let started = false;
  const start = async (): Promise<void> => {
    if (watch === undefined) throw new Error('init must come before the start');
    if (started) throw new Error('a data path is started once');
    started = true;
    watch.start({ early: !options.needsPodEnd });
  };
  return {
    init: async (pod, { signal }) => {
      const fresh = new PodWatch(options, pod);
      await fresh.init(signal);
      watch = fresh;
    },
    startBackup: start,
    startRestore: start,
    cancel: () => {},
    close: async () => watch?.close(),
  };
}
