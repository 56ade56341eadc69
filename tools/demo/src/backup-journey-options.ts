import type { Random } from '@lateen/kernel';
import type { JourneyOptions, JourneyPorts } from './journey.ts';
import type { PodShell } from './pod-shell.ts';
import type { ShopOptions } from './shop/create-shop.ts';
import type { Kubectl } from './shop/kubectl.ts';
import type { DisksOptions } from './warehouse/disks.ts';

export interface BackupJourneyOptions extends JourneyOptions, ShopOptions {}

/** Disks without snapshots for the warehouse: one for it, and one for each of its restores. */
export const disksOf = ({ namespace, image }: JourneyOptions): DisksOptions => ({
  className: `${namespace}-disks`,
  count: 3,
  image,
});

export interface BackupJourneyPorts extends JourneyPorts {
  random: Random;
  kubectl(namespace: string): Kubectl;
  /** Runs commands in the database's pod. */
  database(namespace: string): PodShell;
  /** The content of a file in a tar.gz on this machine. */
  readArchive(file: string, path: string): Promise<string>;
  /** Runs commands in the pod with three kinds of volumes. */
  warehouse(namespace: string): PodShell;
  /** The installation belongs to the demo, so it may be changed. */
  ownInstallation: boolean;
  /** A folder to which the demo may write. */
  scratch: string;
}

export const backupName = ({ namespace }: JourneyOptions, number: number): string => `${namespace}-${number}`;
export const restoreName = ({ namespace }: JourneyOptions, how: 'again' | 'copy'): string => `${namespace}-${how}`;
export const backupPrefix = (options: JourneyOptions, number: number): string =>
  `backups/${backupName(options, number)}/`;
/** Label of the backups and restores. */
export const demoLabel = ({ namespace }: JourneyOptions): string => `demo=${namespace}`;
