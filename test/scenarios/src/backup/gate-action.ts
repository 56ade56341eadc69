import type { BackupItemAction } from '@lateen/item-actions';
import { orAborted } from '@lateen/kernel';

/** An action that blocks every ConfigMap until the test releases it: a backup that has one stays InProgress. */
export function gateAction() {
  let opened = Promise.withResolvers<void>();
  const held = new Set<string>();
  const action: BackupItemAction = {
    name: 'example.dev/gate',
    appliesTo: { includedResources: ['configmaps'] },
    execute: async (item, { backup }, signal) => {
      const name = backup.metadata.name ?? '';
      held.add(name);
      await orAborted(opened.promise, signal).finally(() => held.delete(name));
      return { item };
    },
  };
  return {
    action,
    /** Backups that the action blocks, sorted. */
    held: (): string[] => [...held].sort(),
    open: () => opened.resolve(),
    /** Blocks again from now on. */
    close: () => {
      opened = Promise.withResolvers();
    },
  };
}
