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
    `\n${result.entries} entries, ${context.source.files} of the files from ${context.source.path}; ${result.changedFiles} changed between the backups.`,
  );
  console.log(
    `During the first backup customers bought for ${customers.seconds} s, ${customers.failed === 0 ? 'none was turned away' : `${customers.failed} were TURNED AWAY`}; their longest pause was ${customers.longestPauseSeconds} s.`,
  );
  console.log(
    clean
      ? 'Nothing leaked: no pod, PVC, PV, VolumeSnapshot or VolumeSnapshotContent is left of the movements.'
      : `LEFT BEHIND: ${result.leftovers.join(', ')}`,
  );
  console.log(
    `\n${stepTable([...result.steps, { title: 'all, with cluster and images', ms: context.seconds * 1_000 }])}`,
  );
  if (context.ownCluster)
    console.log(
      'The cluster goes on running. Look around: npm run cluster -- status   End it: npm run cluster -- down',
    );
  const well = result.restores.every(isWell) && clean && customers.failed === 0;
  console.log(`${well ? 'Done' : 'FAILED'} after ${context.seconds.toFixed(0)} s.`);
  return well;
}

const isWell = ({ comparison, flaws }: RestoredShop): boolean => isFaithful(comparison) && flaws.length === 0;

function printRestore({ title, comparison, database, flaws }: RestoredShop): void {
  console.log(`\nThe ${title}:\n${comparisonTable(comparison)}`);
  console.log(
    flaws.length === 0
      ? `The database is as it was: ${database.state.transactions} transactions; accounts, tellers, branches and history agree, pg_dump writes the same to the byte, and every page and index was read. The three volumes of the warehouse had every file, to the byte, before its container started.`
      : `Database or warehouse came back WRONG: ${flaws.join('; ')}`,
  );
  console.log(
    isFaithful(comparison)
      ? 'The restored tree equals the source in everything that the engine keeps.'
      : 'The restored tree DIFFERS from the source where it must not: see WRONG above.',
  );
}
