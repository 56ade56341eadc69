import type { DataUpload, PodVolumeBackup } from '@lateen/api-types';
import { dataUploadType, labels, podVolumeBackupType } from '@lateen/api-types';
import type { ObjectSummary } from '@lateen/object-store';
import {
  type BackupJourneyOptions,
  type BackupJourneyPorts,
  backupName,
  backupPrefix,
  demoLabel,
  restoreName,
} from './backup-journey-options.ts';
import { type BroughtBack, bringBack } from './bring-back.ts';
import { filesUnder, storedBytes } from './bucket.ts';
import { cleanUpShop } from './clean-up-shop.ts';
import { repositoryPrefix } from './cluster/drop-repositories.ts';
import { findLeftovers } from './cluster/expect-nothing-left.ts';
import { takeInventory } from './cluster/find-leftovers.ts';
import { recordMovements } from './cluster/record-movement.ts';
import { createWorkload, deleteNamespace, waitForPod } from './cluster/workload.ts';
import { changeFiles, fillVolume, readTree } from './content/fill-volume.ts';
import type { MovementRecord } from './report/movement-record.ts';
import { createShop, deleteDefinition, sendCustomersHome, startCustomers } from './shop/create-shop.ts';
import { type CustomerReport, customerReport } from './shop/customer-report.ts';
import { checkPages, type DatabaseRecord, flawsOf, recordDatabase } from './shop/database-state.ts';
import { type Step, Steps } from './steps.ts';
import { type AspectResult, compareTrees } from './tree/compare-trees.ts';
import type { TreeEntry } from './tree/tree-entry.ts';
import { openWarehouse, uploadByClaim, waysOfWarehouse } from './warehouse/in-the-journey.ts';
import type { VolumeWay } from './warehouse/volume-ways.ts';
import { whatIsThere, whatWasFound } from './warehouse/warehouse.ts';

export interface BackupJourneyResult {
  entries: number;
  changedFiles: number;
  records: readonly MovementRecord[];
  customers: CustomerReport;
  /** How the first backup was made of each volume of the warehouse. */
  ways: readonly VolumeWay[];
  restores: readonly RestoredShop[];
  /** The content of the second backup in the bucket; absent when the demo cannot read it. */
  files: readonly ObjectSummary[] | undefined;
  steps: readonly Step[];
  leftovers: readonly string[];
}

/** The comparison of one restore with the original. */
export interface RestoredShop {
  title: string;
  comparison: readonly AspectResult[];
  database: DatabaseRecord;
  /** Errors in the database and the other objects; empty when there are none. */
  flaws: readonly string[];
}

/** The content of the second backup, which every restore has to have. */
interface ShopRecord {
  tree: TreeEntry[];
  database: DatabaseRecord;
  /** The files of the warehouse with their checksums. */
  warehouse: string;
}

/**
 * A shop is backed up while its customers buy, changed, backed up again when they have stopped, and deleted. It is restored under its name,
 * and once more under another name, and both are compared with the original.
 */
export async function runBackupJourney(
  options: BackupJourneyOptions,
  ports: BackupJourneyPorts,
  signal: AbortSignal,
): Promise<BackupJourneyResult> {
  const { kube, bucket } = ports;
  const { namespace, restoredNamespace } = options;
  const steps = new Steps(ports);
  const before = await takeInventory(kube, options.veleroNamespace, signal);
  const opening = `Creating namespace ${namespace}: a volume with files from ${options.source.path}, a volume with PostgreSQL, customers who buy, and a warehouse with an emptyDir, a volume without snapshots and a volume with snapshots`;
  await steps.take('create the shop', opening, () => openShop(options, ports, signal));
  const first = await steps.take('first backup', 'First backup, while customers buy', () =>
    backUp(1, options, ports, signal),
  );
  await ports.lateen(['backup', 'describe', backupName(options, 1), '--details']);
  await ports.lateen(['backup', 'logs', backupName(options, 1)]);
  await lookAtOffer(options, ports);
  const ways = await waysOfWarehouse(options, ports, signal);
  const customers = await customersOf(options, ports);

  const closing = 'Changing 1 % of the files, stopping the customers, and recording the state of files and database';
  const { changedFiles, shop } = await steps.take('change 1 % of the files', closing, () => changeShop(options, ports));
  const text = `Second backup: ${changedFiles} files and the database have changed`;
  const second = await steps.take('second backup', text, () => backUp(2, options, ports, signal));
  const stored = bucket && (await filesUnder(bucket, backupPrefix(options, 2), signal));

  await steps.take(
    'delete the shop',
    `Deleting namespace ${namespace} with its volumes, and the definition of its custom resource`,
    () => loseShop(options, ports, signal),
  );
  const restores: RestoredShop[] = [];
  const downloads: MovementRecord[] = [];
  const wanted: BroughtBack[] = [
    { title: 'restore', name: restoreName(options, 'again'), namespace },
    { title: 'restore side by side', name: restoreName(options, 'copy'), namespace: restoredNamespace },
  ];
  for (const each of wanted) {
    const back = `Restoring ${backupName(options, 2)} into namespace ${each.namespace}`;
    downloads.push(...(await steps.take(each.title, back, () => bringBack(each, options, ports, signal))));
    const compared = `Comparing namespace ${each.namespace} with the recorded state`;
    restores.push(await steps.take(`${each.title}, compared`, compared, () => compareShop(each, shop, ports)));
  }
  await ports.lateen(['restore', 'describe', restoreName(options, 'again'), '--details']);
  if (ports.ownInstallation) {
    const text = 'Uploading the same disk without a path of the node: through a second PersistentVolume object';
    await steps.take('without host paths', text, () => uploadByClaim(options, ports));
  }
  await steps.take('clean-up', 'Deleting everything that the demo created', () => cleanUpShop(options, ports, signal));
  return {
    entries: shop.tree.length,
    changedFiles,
    records: [...first, ...second, ...downloads],
    customers,
    ways,
    restores,
    files: stored,
    steps: steps.done,
    leftovers: await findLeftovers(before, { ...ports, veleroNamespace: options.veleroNamespace }, signal),
  };
}

async function openShop(options: BackupJourneyOptions, ports: BackupJourneyPorts, signal: AbortSignal): Promise<void> {
  const { namespace } = options;
  const { kube, clock } = ports;
  await createWorkload(kube, { ...options, withPvc: true }, signal);
  await waitForPod(kube, namespace, clock, signal);
  await Promise.all([
    fillVolume(ports.shell(namespace), options.source, options.bigFileBytes),
    createShop(ports.kubectl(namespace), ports.database(namespace), options),
    openWarehouse(options, ports),
  ]);
  await startCustomers(ports.kubectl(namespace), options);
}

async function backUp(
  number: number,
  options: BackupJourneyOptions,
  ports: BackupJourneyPorts,
  signal: AbortSignal,
): Promise<MovementRecord[]> {
  const { namespace, veleroNamespace } = options;
  const name = backupName(options, number);
  const what = ['--include-namespaces', namespace, '--snapshot-move-data', '--labels', demoLabel(options)];
  const watched = { ...ports, namespace: veleroNamespace, labelSelector: `${labels.backupName}=${name}` };
  const create = () => ports.lateen(['backup', 'create', name, ...what, '--wait', '--exit-code']);
  let podVolumes: MovementRecord[] = [];
  const uploads = await recordMovements<DataUpload>(
    { ...watched, type: dataUploadType, titleOf: ({ spec }) => `backup ${number}, ${spec.sourcePVC}` },
    async () => {
      const titleOf = ({ spec }: PodVolumeBackup) => `backup ${number}, ${spec.pod.name}:${spec.volume}`;
      podVolumes = await recordMovements({ ...watched, type: podVolumeBackupType, titleOf }, create, signal);
    },
    signal,
  );
  const { bucket } = ports;
  const bytes = bucket && (await storedBytes(bucket, repositoryPrefix(options.namespace), signal));
  return [...uploads, ...podVolumes].map((each) => ({ ...each, storedBytes: bytes }));
}

async function changeShop({ namespace }: BackupJourneyOptions, ports: BackupJourneyPorts) {
  const files = ports.shell(namespace);
  const shell = ports.database(namespace);
  const [changedFiles] = await Promise.all([changeFiles(files), sendCustomersHome(ports.kubectl(namespace), shell)]);
  const [tree, database, warehouse] = await Promise.all([
    readTree(files),
    recordDatabase(shell),
    whatIsThere(ports.warehouse(namespace)),
  ]);
  return { changedFiles, shop: { tree, database, warehouse } satisfies ShopRecord };
}

async function loseShop(
  { namespace }: BackupJourneyOptions,
  ports: BackupJourneyPorts,
  signal: AbortSignal,
): Promise<void> {
  await deleteNamespace(ports.kube, namespace, ports.clock, signal);
  await deleteDefinition(ports.kubectl('default'));
}

async function compareShop(
  { title, namespace }: BroughtBack,
  shop: ShopRecord,
  ports: BackupJourneyPorts,
): Promise<RestoredShop> {
  const shell = ports.database(namespace);
  const [tree, database, offers] = await Promise.all([
    readTree(ports.shell(namespace)),
    recordDatabase(shell),
    ports.kubectl(namespace)(['get', 'offers', 'frigate', '-o', 'json']),
  ]);
  await checkPages(shell);
  const flaws = flawsOf(database, shop.database);
  if ((await whatWasFound(ports.warehouse(namespace))) !== shop.warehouse)
    flaws.push('the container of the warehouse found other files than were backed up');
  if (!offers.includes(`"cents": ${frigateCents}`)) flaws.push('the offer of a frigate has another price');
  return { title, comparison: compareTrees(shop.tree, tree), database, flaws };
}

/** Greater than 2^53: a program that reads it as a floating-point number stores another one. */
const frigateCents = '9007199254740993';

/** A number that floating point cannot represent has to be unchanged in the archive. */
async function lookAtOffer(options: BackupJourneyOptions, ports: BackupJourneyPorts): Promise<void> {
  const archive = `${ports.scratch}/${backupName(options, 1)}.tar.gz`;
  await ports.lateen(['backup', 'download', backupName(options, 1), '--output', archive]);
  const path = `resources/offers.shop.lateen.dev/namespaces/${options.namespace}/frigate.json`;
  const offer = await ports.readArchive(archive, path);
  if (!offer.includes(`"cents":${frigateCents}`))
    throw new Error(`${path} in the archive differs from the object in the cluster: ${offer}`);
}

async function customersOf({ namespace }: BackupJourneyOptions, ports: BackupJourneyPorts): Promise<CustomerReport> {
  return customerReport(await ports.kubectl(namespace)(['exec', 'deployment/customers', '--', 'cat', '/tmp/progress']));
}
