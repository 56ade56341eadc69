import type { ObjectSummary } from '@lateen/object-store';
import {
  type BackupJourneyOptions,
  type BackupJourneyPorts,
  backupLabel,
  backupName,
  backupPrefix,
  repositoryPrefix,
} from './backup-journey-options.ts';
import { bringBack } from './bring-back.ts';
import { filesUnder, storedBytes } from './bucket.ts';
import { cleanUpShop } from './clean-up-shop.ts';
import { findLeftovers } from './cluster/expect-nothing-left.ts';
import { takeInventory } from './cluster/find-leftovers.ts';
import { recordUploads } from './cluster/record-movement.ts';
import { createWorkload, deleteNamespace, waitForPod } from './cluster/workload.ts';
import { changeFiles, fillVolume, readTree } from './content/fill-volume.ts';
import type { MovementRecord } from './report/movement-record.ts';
import { createShop, startCustomers } from './shop/create-shop.ts';
import { type CustomerReport, customerReport } from './shop/customer-report.ts';
import { checkPages, type DatabaseState, flawsOf, readDatabase } from './shop/database-state.ts';
import { type AspectResult, compareTrees } from './tree/compare-trees.ts';

export interface BackupJourneyResult {
  entries: number;
  changedFiles: number;
  records: readonly MovementRecord[];
  comparison: readonly AspectResult[];
  customers: CustomerReport;
  database: { restored: DatabaseState; flaws: readonly string[] };
  /** What is in the bucket of the second backup; absent where the demo cannot look into it. */
  files: readonly ObjectSummary[] | undefined;
  leftovers: readonly string[];
}

/**
 * A shop is backed up while its customers buy, changed, backed up again, and lost; both of its volumes come back and are held
 * against what was there.
 */
export async function runBackupJourney(
  options: BackupJourneyOptions,
  ports: BackupJourneyPorts,
  signal: AbortSignal,
): Promise<BackupJourneyResult> {
  const { kube, say, bucket } = ports;
  const before = await takeInventory(kube, options.veleroNamespace, signal);
  await openShop(options, ports, signal);
  const files = ports.shell(options.namespace);

  const first = await backUp(1, options, ports, signal);
  await ports.lateen(['backup', 'describe', backupName(options, 1), '--details']);
  await ports.lateen(['backup', 'logs', backupName(options, 1)]);
  await lookAtOffer(options, ports);

  say('Changing 1 % of the files');
  const changedFiles = await changeFiles(files);
  const source = await readTree(files);
  say(`Second backup: ${changedFiles} files have changed, and what was bought since`);
  const second = await backUp(2, options, ports, signal);
  const stored = bucket && (await filesUnder(bucket, backupPrefix(options, 2), signal));
  const customers = await customersOf(options, ports);

  say(`Deleting namespace ${options.namespace} and bringing its volumes back into ${options.restoredNamespace}`);
  await deleteNamespace(kube, options.namespace, ports.clock, signal);
  const downloads = await bringBack(second.records, options, ports, signal);

  say('Comparing what came back');
  const restored = await readTree(ports.shell(options.restoredNamespace));
  const database = await lookAtDatabase(second, options, ports);
  await cleanUpShop(options, ports, signal);
  return {
    entries: source.length,
    changedFiles,
    records: [...first.records, ...second.records, ...downloads],
    comparison: compareTrees(source, restored),
    customers,
    database,
    files: stored,
    leftovers: await findLeftovers(before, { ...ports, veleroNamespace: options.veleroNamespace }, signal),
  };
}

async function openShop(options: BackupJourneyOptions, ports: BackupJourneyPorts, signal: AbortSignal): Promise<void> {
  const { namespace } = options;
  const { kube, clock, say } = ports;
  say(`Namespace ${namespace}: files from ${options.source.path} on one volume, PostgreSQL on another, and customers`);
  await createWorkload(kube, { ...options, withPvc: true }, signal);
  await waitForPod(kube, namespace, clock, signal);
  await Promise.all([
    fillVolume(ports.shell(namespace), options.source, options.bigFileBytes),
    createShop(ports.kubectl(namespace), ports.database(namespace), options),
  ]);
  await startCustomers(ports.kubectl(namespace), options);
}

/** One backup, and the database around it. */
interface BackupRecord {
  records: MovementRecord[];
  before: DatabaseState;
  after: DatabaseState;
}

async function backUp(
  number: number,
  options: BackupJourneyOptions,
  ports: BackupJourneyPorts,
  signal: AbortSignal,
): Promise<BackupRecord> {
  const { namespace, veleroNamespace } = options;
  const database = ports.database(namespace);
  const name = backupName(options, number);
  const before = await readDatabase(database);
  const what = ['--include-namespaces', namespace, '--snapshot-move-data', '--labels', backupLabel(options)];
  const records = await recordUploads(
    `backup ${number}`,
    { ...ports, namespace: veleroNamespace, backup: name },
    () => ports.lateen(['backup', 'create', name, ...what, '--wait', '--exit-code']),
    signal,
  );
  const after = await readDatabase(database);
  const { bucket } = ports;
  const bytes = bucket && (await storedBytes(bucket, repositoryPrefix(options), signal));
  return { records: records.map((each) => ({ ...each, storedBytes: bytes })), before, after };
}

/** A number that floating point cannot hold has to be in the archive as it is in the cluster. */
async function lookAtOffer(options: BackupJourneyOptions, ports: BackupJourneyPorts): Promise<void> {
  const archive = `${ports.scratch}/${backupName(options, 1)}.tar.gz`;
  await ports.lateen(['backup', 'download', backupName(options, 1), '--output', archive]);
  const path = `resources/offers.shop.lateen.dev/namespaces/${options.namespace}/frigate.json`;
  const offer = await ports.readArchive(archive, path);
  if (!offer.includes('"cents":9007199254740993'))
    throw new Error(`${path} of the archive is not as in the cluster: ${offer}`);
}

async function customersOf({ namespace }: BackupJourneyOptions, ports: BackupJourneyPorts): Promise<CustomerReport> {
  return customerReport(await ports.kubectl(namespace)(['exec', 'deployment/customers', '--', 'cat', '/tmp/progress']));
}

async function lookAtDatabase(around: BackupRecord, options: BackupJourneyOptions, ports: BackupJourneyPorts) {
  const shell = ports.database(options.restoredNamespace);
  const restored = await readDatabase(shell);
  await checkPages(shell);
  return { restored, flaws: flawsOf(restored, around) };
}
