import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { PodShell } from '../pod-shell.ts';
import type { Kubectl } from '../shop/kubectl.ts';

export const warehousePod = 'warehouse-0';
/** Volumes of the pod, in the order in which they are shown. */
export const warehouseVolumes = ['scratch', 'disk', 'data'] as const;

export interface WarehouseOptions {
  image: string;
  /** StorageClass of the disk; see {@link createDisks}. */
  diskClass: string;
  /** StorageClass of the volume with snapshots. */
  storageClass: string;
}

const readyTimeout = '--timeout=240s';

/** A StatefulSet with three kinds of volumes, each with files; resolves with the content of the volumes. */
export async function createWarehouse(
  kubectl: Kubectl,
  shell: PodShell,
  { image, diskClass, storageClass }: WarehouseOptions,
): Promise<string> {
  const text = readFileSync(join(import.meta.dirname, 'warehouse.yaml'), 'utf8')
    .replaceAll('WAREHOUSE_IMAGE', image)
    .replaceAll('WAREHOUSE_DISKS', diskClass)
    .replaceAll('WAREHOUSE_CLASS', storageClass);
  await kubectl(['apply', '-f', '-'], text);
  await waitForWarehouse(kubectl);
  await shell.run(['sh', '-eus'], fill);
  return await whatIsThere(shell);
}

export async function waitForWarehouse(kubectl: Kubectl): Promise<void> {
  await kubectl(['rollout', 'status', 'statefulset/warehouse', readyTimeout]);
}

/** Files of several sizes in several folders, with links, modes and owners. */
const fill = `
for volume in ${warehouseVolumes.join(' ')}; do
  cd /volumes/$volume
  mkdir -p shelves/a shelves/b 'a name with spaces'
  for number in 1 2 3 4 5 6 7 8 9 10; do
    head -c $((number * 1000)) /dev/urandom > shelves/a/$number
    echo "$volume $number" > "shelves/b/$number"
  done
  head -c 3000000 /dev/urandom > 'a name with spaces/large'
  ln -sf ../a/1 shelves/b/link
  chmod 0640 shelves/a/2
  chown 1000:2000 shelves/a/3
done
sync
`;

const list = `cd /volumes && find . -type f -not -path './*/.velero/*' -exec sha256sum {} + | LC_ALL=C sort`;

/** Every file of the three volumes with its checksum. */
export const whatIsThere = (shell: PodShell): Promise<string> => shell.run(['sh', '-c', list]);

/** The same, as the container found it at its start. */
export const whatWasFound = (shell: PodShell): Promise<string> => shell.run(['cat', '/tmp/found/at-start']);
