import type { BackupJourneyResult, RestoredShop } from '../backup-journey.ts';
import type { SourceFolder } from '../content/source-folder.ts';
import { isFaithful } from '../tree/compare-trees.ts';
import { comparisonTable, fileTable, movementTable, stepTable, wayTable } from './print-report.ts';

export interface ResultContext {
  source: SourceFolder;
  seconds: number;
  ownCluster: boolean;
}

/** Prints the result of the demo. Returns true when trees and databases are correct, no transaction failed, and nothing is left. */
export function printResult(result: BackupJourneyResult, context: ResultContext): boolean {
  const clean = result.leftovers.length === 0;
  const { customers } = result;
  if (result.files !== undefined) console.log(`\n${fileTable(result.files)}`);
  console.log(`\n${wayTable(result.ways)}`);
  console.log(`\n${movementTable(result.records)}`);
  for (const each of result.restores) printRestore(each);
  console.log(
    `\nThe backup has ${result.entries} files and directories, ${context.source.files} of them from ${context.source.path}. ${result.changedFiles} files were changed between the two backups.`,
  );
  console.log(
    `Customers bought for ${customers.seconds} s during the first backup. ${customers.failed === 0 ? 'No purchase failed.' : `${customers.failed} purchases FAILED.`} The longest time without a purchase was ${customers.longestPauseSeconds} s.`,
  );
  console.log(
    clean
      ? 'Everything was cleaned up: no pod, PVC, PV, VolumeSnapshot or VolumeSnapshotContent of the uploads and restores is left.'
      : `NOT CLEANED UP: ${result.leftovers.join(', ')}`,
  );
  console.log(
    `\n${stepTable([...result.steps, { title: 'total, with starting the cluster and building images', ms: context.seconds * 1_000 }])}`,
  );
  if (context.ownCluster)
    console.log(
      'The cluster is still running. See its state: npm run cluster -- status   Remove it: npm run cluster -- down',
    );
  const well = result.restores.every(isWell) && clean && customers.failed === 0;
  console.log(`${well ? 'Done' : 'FAILED'} after ${context.seconds.toFixed(0)} s.`);
  return well;
}

const isWell = ({ comparison, flaws }: RestoredShop): boolean => isFaithful(comparison) && flaws.length === 0;

function printRestore({ title, comparison, database, flaws }: RestoredShop): void {
  console.log(`\nResult of the ${title}:\n${comparisonTable(comparison)}`);
  console.log(
    flaws.length === 0
      ? `The restored database equals the one that was backed up: ${database.state.transactions} transactions, the same totals in all tables, the same output of pg_dump, and every page and index can be read. The three volumes of the warehouse had all files, with the same content, before its container started.`
      : `The restored database or warehouse is WRONG: ${flaws.join('; ')}`,
  );
  console.log(
    isFaithful(comparison)
      ? 'The restored files equal the source in everything that the engine stores.'
      : 'The restored files DIFFER from the source: see WRONG in the table above.',
  );
}
