import type { KubeClient } from '@lateen/kube-client';
import { type RestoreControllersOptions, restoreItems } from '@lateen/restore';
import type { BackupPortsOfApp } from './backup-ports.ts';
import type { ControllerConfig } from './config.ts';

type Ports = Pick<
  RestoreControllersOptions,
  'settings' | 'discovery' | 'exec' | 'actions' | 'logTo' | 'restoringKube' | 'engine'
>;

/** What restores need beside what all controllers have; the form of the log is that of backups. */
export const restorePorts = (
  config: ControllerConfig,
  { kube }: { kube: KubeClient },
  { actions, logTo }: Pick<BackupPortsOfApp, 'actions' | 'logTo'>,
): Ports => ({
  settings: config.restores,
  discovery: kube,
  exec: kube,
  // Thousands of writes that nobody waits for one by one, beside the few calls that somebody does.
  restoringKube: kube.withPriority('bulk'),
  actions: actions.restore,
  logTo,
  engine: { restoreItems },
});
