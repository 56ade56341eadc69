import type { KubeClient } from '@lateen/kube-client';
import { type RestoreControllersOptions, restoreItems } from '@lateen/restore';
import type { BackupPortsOfApp } from './backup-ports.ts';
import type { ControllerConfig } from './config.ts';

type Ports = Pick<
  RestoreControllersOptions,
  'settings' | 'discovery' | 'exec' | 'actions' | 'logTo' | 'restoringKube' | 'engine'
>;

/** The ports that restores need besides those of all controllers; the log has the same form as for backups. */
export const restorePorts = (
  config: ControllerConfig,
  { kube }: { kube: KubeClient },
  { actions, logTo }: Pick<BackupPortsOfApp, 'actions' | 'logTo'>,
): Ports => ({
  settings: config.restores,
  discovery: kube,
  exec: kube,
  // Bulk priority: thousands of writes must not delay the few calls for which a user waits.
  restoringKube: kube.withPriority('bulk'),
  actions: actions.restore,
  logTo,
  engine: { restoreItems },
});
